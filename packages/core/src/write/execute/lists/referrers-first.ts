// referrersFirst: the order in which rows of one table that refer to each other can be deleted.

import { keyText } from '../../../execute/key.ts'
import { dependentsOf, referredColumns } from '../../../registry/dependents.ts'
import type { Registry, Resource } from '../../../registry/resource.ts'
import type { Values } from '../../plan/node.ts'
import { valuesOf } from '../look-up.ts'

/**
 * Sorts each row after the rows that refer to it: if book 3 refers to book 2, and 2 to 1, the order is 3, 2, 1. Rows that refer to
 * each other in a cycle have no such order, and come in any. Takes linear time.
 */
export function referrersFirst(
  registry: Registry,
  resource: Resource,
  rows: readonly Values[],
): readonly Values[] {
  const referrers = referrersOf(registry, resource, rows)
  if (referrers.size === 0) return rows
  const ordered: Values[] = []
  const seen = new Set<Values>()
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
      for (const referrer of referrers.get(top.row) ?? []) {
        stack.push({ row: referrer, isLast: false })
      }
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
      const key = valuesOf(referredColumns(dependent), row)
      if (key !== undefined) byKey.set(keyText(key), row)
    }
    for (const row of rows) {
      const key = valuesOf(dependent.held, row)
      const referred = key && byKey.get(keyText(key))
      if (referred === undefined || referred === row) continue
      const known = referrers.get(referred)
      if (known === undefined) referrers.set(referred, [row])
      else known.push(row)
    }
  }
  return referrers
}
