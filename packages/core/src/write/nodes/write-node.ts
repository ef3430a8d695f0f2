// WriteNode: one record of a write. It says how the record is found, what happens to a stored one, and what is created if there is none.
// An endpoint makes the nodes of its body, the writer those of nested records and dependents; each step of the writer fills in a field.

import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow } from '../../query/run/key.ts'
import type { LoadedRow } from '../../query/run/loaded-row.ts'
import type { InputProblems } from '../body/input-problems.ts'
import type { ValueCheck } from '../body/validators.ts'
import type { ChangedRow, NewRow, RemovedLinks, RemovedRow } from '../store/rows/rows.ts'
import type { Precondition } from '../store/write-context.ts'
import {
  isNested,
  type NestedNode,
  type RecordNode,
  type ReferenceNode,
  type Values,
} from './node.ts'

/**
 * What happens to a stored record. `change`: its fields are set; `link`: it is only referred to; `move`: it gets another parent; `restore`:
 * its soft delete is undone; `remove`: it is deleted, or marked as deleted.
 */
export type WhenFound = 'change' | 'link' | 'move' | 'restore' | 'remove'

/** How records are removed: they are marked as deleted, or their rows are deleted. */
export type HowRemoved = 'mark' | 'delete'

/** How the records of a list are removed. */
export interface RemovalOptions {
  readonly how: HowRemoved
  /** Whether the request says `cascade_delete`. */
  readonly cascade: boolean
  /** Whether records to which others still refer are tried again after the others, which may be removed by then. */
  readonly inRounds: boolean
  /** Whether records are read again at their turn, because hooks or the database may have changed or deleted them. */
  readonly readsAgain: boolean
  /** Whether a record that is gone is an error (404). */
  readonly whenMissing: 'refuse' | 'skip'
}

/** What the nodes of one list have in common. */
export interface NodeOptions {
  readonly resource: Resource
  readonly whenFound: WhenFound
  /** The columns by which stored records are found: those of the primary key, or of another unique key. */
  readonly columns: readonly NamedColumn[]
  /** Whether each object changes the stored record that has its key, or else creates one: with `on_conflict`, and in lists of children. */
  readonly isUpsert: boolean
  /** The right that the caller needs to change a stored record. */
  readonly action: 'PATCH' | 'PUT' | 'RESTORE' | 'DELETE'
  /** PUT: writable columns that were not sent get their default, or NULL. */
  readonly replace: boolean
  /**
   * Whether the `managed: 'updated'` columns are set even if nothing else changes. False for an upsert, so that a repeated import changes
   * nothing.
   */
  readonly touches: boolean
  /** Whether the path of the request names the one record: `PATCH /api/books/1`. */
  readonly isOfPath: boolean
  /** `If-Match` and `If-None-Match` of a request with `isOfPath`; undefined if it has neither. */
  readonly precondition?: Precondition | undefined
  /** Given if the records are removed. */
  readonly removal?: RemovalOptions
  /** For children, which store the key of their parent: the relation that they are nested in. Absent for other records. */
  readonly relation?: ResolvedRelation
  /** Whether links of a many-to-many list will name the records. */
  readonly isLinked?: boolean
  /** The columns to which foreign keys of other records of the body will refer; they are read besides the primary key. */
  readonly referencedColumns?: readonly NamedColumn[]
}

/**
 * Options for new records, to which the other options add. With these alone, objects with a key only refer to the record that has it
 * (`link`), which takes the right to read it, not `action`.
 */
export const optionsForNew = (resource: Resource): NodeOptions => ({
  resource,
  whenFound: 'link',
  columns: resource.primaryKey,
  isUpsert: false,
  action: 'PATCH',
  replace: false,
  touches: true,
  isOfPath: false,
})

/**
 * Options for the children of stored records: each is found by its key and that of its parent, so that those of other parents are as
 * unknown as missing ones.
 */
export function optionsForChildren(relation: ResolvedRelation): NodeOptions {
  const { target, to } = relation
  const columns = [...new Set([...target.primaryKey, ...to])]
  const options = { columns, isUpsert: true, touches: false, relation } as const
  return { ...optionsForChange(target), ...options }
}

/** Options for changes of records by their primary key. */
export const optionsForChange = (
  resource: Resource,
  options: Partial<Pick<NodeOptions, 'replace' | 'isOfPath' | 'precondition'>> = {},
): NodeOptions => ({
  ...optionsForNew(resource),
  whenFound: 'change',
  action: options.replace === true ? 'PUT' : 'PATCH',
  ...options,
})

/** Options for a record whose soft delete is undone. */
export const optionsForRestore = (
  resource: Resource,
  precondition?: Precondition,
): NodeOptions => ({
  ...optionsForNew(resource),
  whenFound: 'restore',
  action: 'RESTORE',
  isOfPath: true,
  precondition,
})

/** Options for records that are removed: as their model says, unless `how` is given. */
export const optionsForRemoval = (
  resource: Resource,
  removal: Omit<RemovalOptions, 'how'> & Partial<Pick<RemovalOptions, 'how'>>,
  options: Partial<Pick<NodeOptions, 'isOfPath' | 'precondition'>> = {},
): NodeOptions => ({
  ...optionsForNew(resource),
  whenFound: 'remove',
  action: 'DELETE',
  removal: { how: resource.settings.softDelete === null ? 'delete' : 'mark', ...removal },
  ...options,
})

/** Options for children and links that a list of the body no longer names. */
export const optionsForUnlisted = (resource: Resource): NodeOptions =>
  optionsForRemoval(resource, {
    cascade: false,
    inRounds: false,
    readsAgain: false,
    whenMissing: 'skip',
  })

/** The options of a list whose records are removed. */
export function removalOf({ removal, resource }: NodeOptions): RemovalOptions {
  if (removal === undefined) throw new Error(`No ${resource.name} is to be removed.`)
  return removal
}

/** What is known of a record before the write begins. */
interface NodeParts {
  readonly path: string
  /** The values of `columns` that identify a stored record; undefined if the node names none. */
  readonly key?: readonly Value[] | undefined
  /**
   * The object as the change of a stored record, or as a reference to one; undefined if the record can only be created, or is restored or
   * removed.
   */
  readonly asFound?: RecordNode | ReferenceNode | undefined
  /** The object as a new record; null if none may be created. */
  readonly asMissing?: RecordNode | null
  /** Problems that apply only if the record is created, such as missing required fields. */
  readonly problems?: InputProblems | undefined
  /** Validators that run only if the record is created. */
  readonly checks?: readonly ValueCheck[]
  /** The foreign key to the record that it is nested in. */
  readonly filled?: Values | undefined
  /** The stored record, if it is known and locked already. */
  readonly stored?: Values | undefined
}

/**
 * A class, like all objects of which a list needs one for each record: if most objects of a literal survive a garbage collection, V8
 * allocates later ones among its old objects, which then hold their records until the next full collection.
 */
export class WriteNode {
  readonly options: NodeOptions
  readonly path: string
  readonly key: NodeParts['key']
  asFound: NodeParts['asFound']
  readonly asMissing: RecordNode | null
  readonly problems: NodeParts['problems']
  readonly checks: NodeParts['checks']
  readonly filled: NodeParts['filled']
  /** The record as it is now, locked; set by `resolve`, undefined if none is found. */
  stored: Values | undefined
  /** Whether `stored` came with the node, or needs no further look-up, so that look-ups skip it. */
  isResolved: boolean
  /** What is done with the record; set by `resolve`. Undefined before that, and if the node is refused (`error`). */
  decision: WhenFound | 'create' | undefined
  /** Why the node is refused; undefined if it is not. Set by `resolve`, and thrown by `check` unless a node before it is refused. */
  error: unknown
  /** The foreign keys to its nested parents, set when these are written; undefined if it has none. */
  parentKeys: Values | undefined
  /** The values that the body sets, after the comparison with the stored record; set by `check`. */
  sent: Values | undefined
  /** The values that PUT sets in fields that were not sent; set by `check`, undefined for other methods. */
  reset: Values | undefined
  /** What to store; set by `callHooks`. Undefined for a record that is only referred to. */
  row: NewRow | ChangedRow | RemovedRow | RemovedLinks | undefined
  /** The values that identify the written record; set by `store`. */
  written: Values | undefined
  /**
   * The row for the response, if one statement made the whole write (`writeFused`); null if the caller may not read it. Undefined
   * otherwise.
   */
  shown: LoadedRow | null | undefined

  constructor(options: NodeOptions, parts: NodeParts) {
    this.options = options
    this.path = parts.path
    this.key = parts.key
    this.asFound = parts.asFound
    this.asMissing = parts.asMissing ?? null
    this.problems = parts.problems
    this.checks = parts.checks
    this.filled = parts.filled
    this.stored = parts.stored
    this.isResolved = parts.stored !== undefined
    this.decision = undefined
    this.error = undefined
    this.parentKeys = undefined
    this.sent = undefined
    this.reset = undefined
    this.row = undefined
    this.written = undefined
    this.shown = undefined
  }
}

/** The node of a new record. */
export const newNode = (options: NodeOptions, record: RecordNode): WriteNode =>
  new WriteNode(options, { path: record.path, asMissing: record })

/** The node of a nested object. `filled` is the foreign key to the record that it is nested in. */
export function nestedNode(options: NodeOptions, node: NestedNode, filled?: Values): WriteNode {
  const { path } = node
  switch (node.kind) {
    case 'record':
      return new WriteNode(options, { path, asMissing: node, filled })
    case 'reference': {
      const { key, otherwise: asMissing, problems, created: stored } = node
      return new WriteNode(options, {
        path,
        key,
        asFound: node,
        asMissing,
        problems,
        filled,
        stored,
      })
    }
    case 'child': {
      const { asFound, asMissing, problems, checks } = node
      const key = keyFromRow(options.columns, { ...asFound.values, ...filled })
      return new WriteNode(options, { path, key, asFound, asMissing, problems, checks, filled })
    }
  }
}

/** The object that is written, as it was decided; undefined for a record that is only referred to. */
export function recordNodeOf({ decision, asFound, asMissing }: WriteNode): RecordNode | undefined {
  if (decision === 'create') return asMissing ?? undefined
  return decision === 'change' && asFound?.kind === 'record' ? asFound : undefined
}

/** Whether the record may have nested ones, whether it is created or changed. */
export const mayNest = ({ asFound, asMissing }: WriteNode): boolean =>
  (asMissing !== null && isNested(asMissing)) || (asFound?.kind === 'record' && isNested(asFound))

/** All known values of a written record, at least its key: the stored ones, those that the write has set, and those of the database. */
export function knownValues({ row, stored, written }: WriteNode): Values {
  if (row === undefined) return written ?? stored ?? {}
  if ('values' in row) return { ...row.values, ...written }
  return 'written' in row ? { ...row.stored, ...row.written, ...written } : (stored ?? {})
}

/** Whether the object names a stored record by a key. */
export const isNamed = ({ key }: WriteNode): boolean => key !== undefined

/** The objects as changes of stored records; an object that changes several records, as in a PATCH with filters, is returned once. */
export function nodesThatChange(nodes: readonly WriteNode[]): readonly RecordNode[] {
  const records: RecordNode[] = []
  for (let i = 0; i < nodes.length; i++) {
    const record = nodes[i]?.asFound
    if (record?.kind === 'record' && record !== records[records.length - 1]) records.push(record)
  }
  return records
}
