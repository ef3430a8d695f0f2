// How a write runs: as one statement of its own, or step by step in a transaction; decided before anything is sent.

import type { RowChange, SingleWriteEcho, SingleWrites } from '../dialect/shared/writes.ts'
import type { Resource } from '../registry/resource.ts'
import type { ReadPlan } from './plan.ts'
import { readsTable } from './write-echo.ts'
import type { RecordNode } from './write-node.ts'
import { narrowedReferences } from './write-references.ts'

export type WriteStrategy =
  /** One statement, which commits by itself; `echo` says how the record becomes known. */
  | { readonly kind: 'single statement'; readonly echo: SingleWriteEcho }
  | { readonly kind: 'transaction'; readonly because: Reason }

/** Why a write takes a transaction. */
export type Reason =
  | 'switched off'
  | 'a transaction of the host'
  | 'many records'
  | 'an idempotency key'
  | 'a precondition'
  | 'a policy'
  | 'a callback'
  | 'not permitted'
  | 'nested records'
  | 'values to compare'
  | 'checks of the whole record'
  | 'references to look for'
  | 'nothing to write'
  | 'a key to change'
  | 'a default that gets the connection'
  | 'a deletion mark'
  | 'dependents to look for'
  | 'an echo of more than the row'
  | 'the database'

/** A write of one record, as far as it is known before it runs. */
export interface PlannedWrite {
  readonly change: RowChange
  readonly resource: Resource
  /** What was sent; null for a removal. */
  readonly node: RecordNode | null
  /** What is read for the answer; null for a removal. */
  readonly echo: ReadPlan | null
  /** PUT: what was not sent is set, too. */
  readonly replace: boolean
  /** Whether others may refer to the record, which has to be asked before it goes. */
  readonly dependents: boolean
}

/** What stands around a write. */
export interface Circumstances {
  readonly enabled: boolean
  /** Inside a transaction that the host began. */
  readonly hosted: boolean
  readonly many: boolean
  readonly idempotencyKey: boolean
  readonly precondition: boolean
  /** Whether the resource has an access policy. */
  readonly policy: boolean
  /** Whether a callback sees the record or the answer before the transaction ends, or narrows what is read. */
  readonly callback: boolean
  /** Whether methods and roles allow this, the reading of the echo included. */
  readonly permitted: boolean
  /** Whether a policy narrows what is seen of another resource. */
  readonly narrows: (resource: Resource) => boolean
  /** What the database allows. */
  readonly singleWrites: SingleWrites | undefined
}

/**
 * Whether a write is one statement or a transaction. It is one statement if no other code or statement has to run between
 * BEGIN and COMMIT, and the written row itself is the answer.
 *
 * `PATCH /api/books/1 {"pages": 7}` → `{ kind: 'single statement', echo: 'returned' }`, or `'read'` without RETURNING
 */
export function strategyOf(write: PlannedWrite, around: Circumstances): WriteStrategy {
  const because = reasonAround(around) ?? reasonWithin(write, around)
  if (because !== undefined) return { kind: 'transaction', because }
  const echo = around.singleWrites?.(write.change, write.resource.table)
  // Whether there was a record to remove, only the statement itself can tell.
  const told = echo === 'returned' || (echo === 'read' && write.echo !== null)
  return told
    ? { kind: 'single statement', echo }
    : { kind: 'transaction', because: 'the database' }
}

function reasonAround(around: Circumstances): Reason | undefined {
  if (!around.enabled) return 'switched off'
  if (around.hosted) return 'a transaction of the host'
  if (around.many) return 'many records'
  if (around.idempotencyKey) return 'an idempotency key'
  if (around.precondition) return 'a precondition'
  if (around.policy) return 'a policy'
  if (around.callback) return 'a callback'
  return around.permitted ? undefined : 'not permitted'
}

function reasonWithin(write: PlannedWrite, { narrows }: Circumstances): Reason | undefined {
  const { resource, node, echo, dependents } = write
  if (dependents) return 'dependents to look for'
  const readsMore = echo !== null && (echo.embeds.length > 0 || !readsTable(echo.rows))
  if (readsMore) return 'an echo of more than the row'
  return node === null ? undefined : reasonInBody(write, node, resource, narrows)
}

function reasonInBody(
  { change, replace }: PlannedWrite,
  node: RecordNode,
  resource: Resource,
  narrows: Circumstances['narrows'],
): Reason | undefined {
  const { values, parents, children, echoed, wholeRecordChecks } = node
  if (parents.length > 0 || children.length > 0) return 'nested records'
  const takesDefaults = change === 'insert' || replace
  if (takesDefaults && hasDefaultWithArgs(resource)) return 'a default that gets the connection'
  if (change === 'update') {
    const compared = Object.keys(echoed.fields).length + Object.keys(echoed.urls).length
    if (compared > 0) return 'values to compare'
    if (wholeRecordChecks.length > 0) return 'checks of the whole record'
    if (Object.keys(values).length === 0 && !replace) return 'nothing to write'
    if (resource.primaryKey.some(({ name }) => name in values)) return 'a key to change'
  }
  if (narrowedReferences(resource, values, narrows).length > 0) return 'references to look for'
  // A record that is deleted by being written is not in its own echo.
  const { softDelete } = resource.settings
  return softDelete !== null && softDelete.attribute in values ? 'a deletion mark' : undefined
}

/** Whether a default is a function that takes the arguments of hooks, and may write with their connection. */
function hasDefaultWithArgs(resource: Resource): boolean {
  const known = withArgs.get(resource)
  if (known !== undefined) return known
  const found = [...resource.allColumns.values()].some(
    ({ definition }) => typeof definition.default === 'function' && definition.default.length > 0,
  )
  withArgs.set(resource, found)
  return found
}

const withArgs = new WeakMap<Resource, boolean>()
