// lookUpReferences: finds out which foreign keys of a list refer to records that the caller may see, with one look-up for each relation.

import { tableKey } from '../../../../lib/sql/table-name.ts'
import type {
  NamedColumn,
  ResolvedRelation,
  Resource,
} from '../../../../model/registry/resource.ts'
import { keyChunks } from '../../../../query/compile/chunks.ts'
import type { Value } from '../../../../query/plan/plan.ts'
import { keyTextIn } from '../../../../query/run/key.ts'
import { readReferred } from '../../../check/referred-records.ts'
import { type KnownReferences, shownPaths } from '../../../check/write-checks.ts'
import { narrowedRelations } from '../../../nodes/hidden-references.ts'
import { planRecords } from '../../../nodes/look-up-plan.ts'
import type { RecordNode } from '../../../nodes/node.ts'
import { readUnscoped, valuesOf } from '../../../resolve/look-up-records.ts'
import type { WriteContext } from '../../write-context.ts'

/** By relation: the keys, as `keyText`, of the records that look-ups have found and the caller may see. */
export type SeenReferences = Map<ResolvedRelation, Set<string>>

/** The result of the look-up for a list, before its records are written. */
export interface LookedUp extends Pick<KnownReferences, 'relations' | 'isMissing'> {
  readonly seen: SeenReferences
}

/** By relation: the keys that a look-up has asked for, and those that it has found. */
interface Asked {
  readonly wanted: ReadonlyMap<string, unknown>
  readonly found: ReadonlySet<string>
}

interface LookUpOptions {
  /** The keys that need no look-up. */
  readonly known?: SeenReferences
  /** Called before each statement. */
  readonly before?: () => Promise<void>
}

/** Looks up the records that foreign keys in the values of a list refer to. */
export async function lookUpReferences(
  context: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
  { known, before }: LookUpOptions = {},
): Promise<LookedUp> {
  const relations = narrowedRelations(resource, (target) => context.access.narrows(target))
  const seen: SeenReferences = new Map()
  const asked = new Map<ResolvedRelation, Asked>()
  for (const relation of relations) {
    const wanted = new Map<string, readonly Value[]>()
    const isKnown = known?.get(relation)
    for (let i = 0; i < nodes.length; i++) {
      const { values } = nodes[i] as RecordNode
      const text = keyTextIn(relation.from, values)
      if (text !== undefined && !wanted.has(text) && isKnown?.has(text) !== true) {
        wanted.set(text, valuesOf(relation.from, values) ?? [])
      }
    }
    if (wanted.size === 0) continue
    await before?.()
    const found = await visibleKeys(context, resource, relation, [...wanted.values()], nodes)
    seen.set(relation, found)
    if (tellsMissing(resource, relation)) asked.set(relation, { wanted, found })
  }
  const isMissing: LookedUp['isMissing'] = (relation, text) => {
    const known = asked.get(relation)
    return known?.wanted.has(text) === true && !known.found.has(text)
  }
  return { relations, seen, isMissing }
}

/**
 * Whether a key that the look-up has not found refers to no record. It does not tell this for a key of the list's own table, because a
 * record of the list may have it, nor for keys of which two texts may be equal in the database.
 */
const tellsMissing = (resource: Resource, { to, target }: ResolvedRelation): boolean =>
  tableKey(target) !== tableKey(resource) && to.every(hasOneText)

const hasOneText = ({ type, collation }: NamedColumn): boolean =>
  collation === undefined && oneText.has(type)

/** Types of which equal values have the same text; a decimal may have more zeros, and a time more digits. */
const oneText: ReadonlySet<NamedColumn['type']> = new Set([
  'integer',
  'bigint',
  'string',
  'text',
  'enum',
  'uuid',
  'date',
  'boolean',
])

async function visibleKeys(
  context: WriteContext,
  holder: Resource,
  relation: ResolvedRelation,
  keys: readonly (readonly Value[])[],
  nodes: readonly RecordNode[],
): Promise<Set<string>> {
  const { to, target } = relation
  const paths = (key: string) => pathsOf(relation, nodes, key)
  const isAllowed = await context.access.mayWrite(target, 'GET_ONE')
  const found = new Set<string>()
  for (const some of keyChunks(context.target.dialect, keys, to)) {
    // As in `isVisible` of write-checks.ts: if the caller has no access to the target, the row only has to exist.
    const plan = planRecords(target, to, some, { read: to, includeDeleted: !isAllowed })
    const rows = isAllowed
      ? await readReferred(context, plan, { holder, columns: to, keys: some, paths })
      : await readUnscoped(context, plan, some.length)
    for (const row of rows) found.add(keyTextIn(to, row) ?? '')
  }
  return found
}

/** The paths of the foreign keys in a list that have this key. */
function pathsOf(
  relation: ResolvedRelation,
  nodes: readonly RecordNode[],
  key: string,
): readonly string[] {
  const same = nodes.filter(({ values }) => keyTextIn(relation.from, values) === key)
  return same.flatMap(({ path }) => shownPaths(relation, path))
}
