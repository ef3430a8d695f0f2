// groupKeys: groups keys of several columns, so that the condition that finds their rows has one test for many of them:
// `a = 1 and b in (2, 3)`. `compile/rows/keys-condition.ts` compiles the groups.

import type { ColumnType } from '../../../model/column.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { Value } from '../plan.ts'

/** Keys that differ in one column alone. */
export interface KeyGroup {
  /** A key of the group. */
  readonly first: readonly Value[]
  /** The index of the column whose values are listed. */
  readonly listed: number
  /** The values of the keys in the listed column; no fewer than one. */
  readonly values: readonly Value[]
}

/**
 * Groups keys by all columns but one: the one that gives the fewest groups. If two columns give equally few, it is the last, because
 * indexes begin with the first columns.
 *
 * `[[1, 2], [1, 3], [2, 2]]` → `a = 1 and b in (2, 3)`, `a = 2 and b in (2)`
 */
export function groupKeys(
  columns: readonly { readonly type: ColumnType }[],
  keys: readonly (readonly Value[])[],
): readonly KeyGroup[] {
  let fewest = keys.map((key): KeyGroup => ({ first: key, listed: 0, values: [key[0] as Value] }))
  for (let listed = columns.length - 1; listed >= 0; listed--) {
    // A list of values that stand for ranges cannot use an index on every database.
    if (columnTypes[(columns[listed] as { readonly type: ColumnType }).type].standsForRange)
      continue
    const groups = groupsBy(listed, keys)
    if (groups.length < fewest.length) fewest = groups
  }
  return fewest
}

/** Groups keys by all columns but the one at the index `listed`. */
function groupsBy(listed: number, keys: readonly (readonly Value[])[]): KeyGroup[] {
  const groups = new Map<string, { first: readonly Value[]; listed: number; values: Value[] }>()
  for (const key of keys) {
    const value = key[listed] as Value
    const shared = JSON.stringify(key.map((part, i) => (i === listed ? '' : String(part))))
    const group = groups.get(shared)
    if (group === undefined) groups.set(shared, { first: key, listed, values: [value] })
    else group.values.push(value)
  }
  return [...groups.values()]
}
