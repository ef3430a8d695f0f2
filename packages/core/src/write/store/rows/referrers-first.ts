// referrersFirst, referredFirst, sortedAfter: the order in which rows of one table that refer to each other can be deleted, or inserted:
// the children of a category before the category, or after it.

import { dependentsOf, referredColumns } from '../../../model/registry/relations/dependents.ts'
import type { Registry, Resource } from '../../../model/registry/resource.ts'
import { keyFromRow, keyText } from '../../../query/run/key.ts'
import type { Values } from '../../nodes/node.ts'

/**
 * Sorts each row after the rows that refer to it: if book 3 refers to book 2, and 2 to 1, the order is 3, 2, 1. Rows that refer to
 * each other in a cycle have no such order, and come in any. Takes linear time.
 */
export function referrersFirst(
  registry: Registry,
  resource: Resource,
  rows: readonly Values[],
): readonly Values[] {
  return sortedAfter(rows, referrersOf(registry, resource, rows))
}

/** `referrersFirst` the other way around, for INSERT: each row after those that it refers to. */
export function referredFirst(
  registry: Registry,
  resource: Resource,
  rows: readonly Values[],
): readonly Values[] {
  const referred = new Map<Values, Values[]>()
  for (const [row, referrers] of referrersOf(registry, resource, rows)) {
    for (const referrer of referrers) {
      const known = referred.get(referrer)
      if (known === undefined) referred.set(referrer, [row])
      else known.push(row)
    }
  }
  return sortedAfter(rows, referred)
}

/** Sorts each row after its `earlier` ones, otherwise as they are. Takes linear time. */
export function sortedAfter<R>(
  rows: readonly R[],
  earlier: ReadonlyMap<R, readonly R[]>,
): readonly R[] {
  if (earlier.size === 0) return rows
  const ordered: R[] = []
  const seen = new Set<R>()
  for (const row of rows) {
    // An explicit stack, because a chain of references may be longer than the call stack allows.
    const stack = [{ row, isLast: false }]
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.isLast) {
        ordered.push(top.row)
        continue
      }
      if (seen.has(top.row)) continue
      seen.add(top.row)
      stack.push({ row: top.row, isLast: true })
      for (const row of earlier.get(top.row) ?? []) stack.push({ row, isLast: false })
    }
  }
  return ordered
}

/** By row: the other rows that refer to it. */
function referrersOf(
  registry: Registry,
  resource: Resource,
  rows: readonly Values[],
): ReadonlyMap<Values, readonly Values[]> {
  const referrers = new Map<Values, Values[]>()
  for (const dependent of dependentsOf(registry, resource)) {
    if (dependent.resource !== resource) continue
    const byKey = new Map<string, Values>()
    for (const row of rows) {
      const key = keyFromRow(referredColumns(dependent), row)
      if (key !== undefined) byKey.set(keyText(key), row)
    }
    for (const row of rows) {
      const key = keyFromRow(dependent.held, row)
      const referred = key && byKey.get(keyText(key))
      if (referred === undefined || referred === row) continue
      const known = referrers.get(referred)
      if (known === undefined) referrers.set(referred, [row])
      else known.push(row)
    }
  }
  return referrers
}
