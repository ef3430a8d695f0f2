// The records that a request deletes: which ones, and in which way. Types and names only.

import type { DependentModel } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { OnDelete } from '../../model/relation.ts'
import { keyText } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import { keyIn } from '../resolve/look-up-records.ts'

/** What happens to dependents that do not prevent the deletion: they are deleted too, or lose their reference. */
export type Action = Exclude<OnDelete, 'restrict'>

/** A record to delete. */
export interface ToRemove {
  readonly resource: Resource
  readonly stored: Values
  /** Whether the record is marked as deleted, and its row stays. */
  readonly soft: boolean
}

/** Records of one model to delete in the same way. */
export interface ListToRemove {
  readonly resource: Resource
  readonly rows: readonly Values[]
  readonly soft: boolean
}

/**
 * Whether a cascade marks the dependents of these records as deleted. Before a hard delete, the rows of dependents must go as well, even
 * those that are marked already, since they still refer to the record.
 */
export const isSoftBelow = (
  { soft }: Pick<ToRemove, 'soft'>,
  { resource }: DependentModel,
): boolean => soft && resource.settings.softDelete !== null

/** Identifies a record among those of all models. */
export const idOf = (resource: Resource, stored: Values): string =>
  `${resource.name} ${keyText(keyIn(resource, stored) ?? [])}`

/** `idOf` with the way of the deletion: a request may first mark a record and later, for another record, delete its row. */
export const nameOf = ({ resource, stored, soft }: ToRemove): string =>
  `${soft ? 'soft' : 'hard'} ${idOf(resource, stored)}`
