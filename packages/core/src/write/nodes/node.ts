// NestedNode: a validated request body, with a node for each of its objects and values in canonical JSON form. `write/body` makes these
// nodes; the endpoint wraps each record of the body in a WriteNode (`write-node.ts`), and the other folders of `write` store it.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import type { InputProblems } from '../body/input-problems.ts'
import type { ValueCheck } from '../body/validators.ts'

/** Values by field name, in their JSON forms. */
export type Values = Readonly<Record<string, JsonValue>>

/**
 * Members of the body that the client cannot change, such as `id` and `created_at` of an object that it has read and sends back: accepted
 * if they equal the stored record as responses show it. The write compares them when the record is locked.
 */
export interface SentBack {
  /** Read-only, managed, generated and key fields. */
  readonly fields: Values
  /**
   * Values of another type than their column's, which the database may have stored nevertheless; each with the problem to report if it is
   * not the stored value.
   */
  readonly otherForms: Readonly<
    Record<string, { readonly value: JsonValue; readonly problem: CodedProblem }>
  >
  /** Relations as the URLs that responses contain; null for a to-one relation that was sent as null. */
  readonly urls: Readonly<Record<string, string | null>>
  /** Relations with nested records, which are written only if the object creates a record; absent if there are none. */
  readonly nested?: readonly string[]
}

/**
 * A record to be created or changed. `POST /api/books {"title": "Emma", "author": {"name": "Ann"}, "reviews": [{"stars": 5}]}` has
 * `values: { title: 'Emma' }`, one of `parents` (`author`) and one of `children` (`reviews`).
 */
export interface RecordNode {
  readonly kind: 'record'
  readonly resource: Resource
  /** Its position in the body: empty for the body itself, or `author`, `items[2]`, `[3].author`. */
  readonly path: string
  /** Writable fields that were sent. */
  readonly values: Values
  /**
   * Initial values of a new record that are known, because a validator has received them, or `on_conflict` has used them in its look-up.
   */
  readonly initial?: Values
  /** If the object may name a stored record instead of creating one. */
  readonly uniqueName?: UniqueName
  readonly sentBack: SentBack
  /** Columns whose validator takes the record to be stored, which is not known before the transaction. */
  readonly wholeRecordChecks: readonly NamedColumn[]
  /**
   * The values of columns with a `transform` as the body has them, for validators; `values` has their stored forms. Absent without such
   * values, and without `wholeRecordChecks`.
   */
  readonly beforeTransform?: Values
  /** Columns of type json whose value is an object to merge into the stored document (RFC 7396). */
  readonly merges: readonly NamedColumn[]
  /** Nested to-one objects, whose key this record stores; they are written first. */
  readonly parents: readonly { readonly relation: ResolvedRelation; readonly node: NestedNode }[]
  /** Nested objects and lists of records that store this record's key, and many-to-many lists; they are written last. */
  readonly children: readonly {
    readonly relation: ResolvedRelation
    readonly nodes: readonly NestedNode[]
    /** What happens to the children of a stored record that the list does not name; absent if the list has none of a stored record. */
    readonly others?: 'keep' | 'remove'
  }[]
}

/** How a nested object names a stored record by a unique key other than the primary key (`labels.on_conflict=name`). */
export interface UniqueName {
  /** The columns of the key, hidden ones too. */
  readonly columns: readonly NamedColumn[]
  /** The other members of the object; if the record is stored, they must equal its values. */
  readonly sentBack: SentBack
  /** Problems that apply only if the record is created, such as missing required fields. */
  readonly problems: InputProblems
  /** The validators of its values, which run only if the record is created. */
  readonly checks: readonly ValueCheck[]
}

/** An object with a key, which refers to the stored record with that key: `{ "id": 1 }`. */
export interface ReferenceNode {
  readonly kind: 'reference'
  readonly resource: Resource
  readonly path: string
  /** In primary-key order. */
  readonly key: readonly Value[]
  readonly sentBack: SentBack
  /** The values of the record, at least its key, if this write has created it; the caller may not be able to read it. */
  readonly created?: Values
  /** The record to create if none has this key; null if clients cannot choose the key, or if required fields are missing. */
  readonly otherwise: RecordNode | null
  /** Problems that apply only if the record is created: fields that clients cannot write. */
  readonly problems?: InputProblems
}

/** An object with a key in a list of children of a stored record: the change of a child, or a new one. */
export interface ChildNode {
  readonly kind: 'child'
  readonly resource: Resource
  readonly path: string
  /** Its values include those of the key, without the part that the parent fills. */
  readonly asFound: RecordNode
  /** The record to create if none has this key; null if clients cannot choose the key. */
  readonly asMissing: RecordNode | null
  /** Problems that apply only if the record is created, such as missing required fields. */
  readonly problems: InputProblems
  /** The validators of its values, which run only if the record is created. */
  readonly checks: readonly ValueCheck[]
}

/** What an object of a body is: a record, a reference to a stored one, or a child of a stored record. */
export type NestedNode = RecordNode | ReferenceNode | ChildNode

/** The records that a nested object may create or change. */
export function recordsOf(node: NestedNode): readonly RecordNode[] {
  if (node.kind === 'record') return [node]
  const other = node.kind === 'reference' ? node.otherwise : node.asMissing
  const found = node.kind === 'child' ? [node.asFound] : []
  return other === null ? found : [...found, other]
}

/** Whether a record has nested objects or lists. */
export const isNested = ({ parents, children }: RecordNode): boolean =>
  parents.length + children.length > 0

/**
 * Whether a list of nested records, at any level, has more than one record, or may remove several children, or links that are records.
 * Hooks of one record may then run before others are stored, as in a bulk write.
 */
export const nestsSeveral = ({ parents, children }: RecordNode): boolean =>
  parents.some(({ node }) => isSeveral(node)) ||
  children.some(
    ({ nodes, others, relation: { through } }) =>
      nodes.length > 1 ||
      others === 'remove' ||
      through?.resource !== undefined ||
      nodes.some(isSeveral),
  )

const isSeveral = (node: NestedNode): boolean => recordsOf(node).some(nestsSeveral)

/** `author` and `email` → `author.email`; the empty path means the body. */
export const pathTo = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`

/** The values without some fields. */
export function without(values: Values, names: ReadonlySet<string>): Values {
  const others: Record<string, JsonValue> = {}
  for (const name in values) {
    if (!names.has(name)) others[name] = values[name] as JsonValue
  }
  return others
}

/** Whether an object has no members. Allocates no list, as Object.keys would. */
export function isEmpty(members: object): boolean {
  for (const _ in members) return false
  return true
}
