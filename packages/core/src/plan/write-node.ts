// WriteNode: a validated body, one node per record, values in canonical JSON forms; what the executor works through. Types only.

import type { JsonValue } from '../json/json-value.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'
import type { Value } from './plan.ts'

/** Values by field name, in the JSON forms of contract §7. */
export type Values = Readonly<Record<string, JsonValue>>

/** What a client sent that it does not write: accepted where it is what an answer would show (contract §8). */
export interface Echoed {
  /** Read-only, managed, generated and key fields. */
  readonly fields: Values
  /** Relations as URLs or null. */
  readonly urls: Readonly<Record<string, string | null>>
}

/** A record to be created or changed. */
export interface RecordNode {
  readonly kind: 'record'
  readonly resource: Resource
  /** Where it stands in the body: empty for the body itself, `author`, `items[2]`, `[3].author`. */
  readonly path: string
  /** Writable fields that were sent. */
  readonly values: Values
  readonly echoed: Echoed
  /** Columns whose validator looks at the whole record, which a change only has once the stored one is read. */
  readonly wholeRecordChecks: readonly NamedColumn[]
  /** To-one objects whose key this record holds; they come first. */
  readonly parents: readonly { readonly relation: ResolvedRelation; readonly node: WriteNode }[]
  /** Objects and lists that hold this record's key, and links; they come last. */
  readonly children: readonly {
    readonly relation: ResolvedRelation
    readonly nodes: readonly WriteNode[]
  }[]
}

/** A record that exists, found by its key. */
export interface LinkNode {
  readonly kind: 'link'
  readonly resource: Resource
  readonly path: string
  /** In primary-key order. */
  readonly key: readonly Value[]
  readonly echoed: Echoed
  /** A key that clients choose may also belong to a record that is still to be created. */
  readonly otherwise: RecordNode | null
}

export type WriteNode = RecordNode | LinkNode

/** `author` and `email` → `author.email`; the empty path is the body. */
export const pathTo = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`
