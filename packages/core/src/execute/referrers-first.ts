// The order in which rows of one table that refer to each other can be removed.

import type { Values } from '../plan/write-node.ts'
import { dependentsOf } from '../registry/dependents.ts'
import type { Registry, Resource } from '../registry/resource.ts'
import { keyText } from './key.ts'
import { valuesOf } from './look-up.ts'

/**
 * Each row after those that refer to it: of books 1 ← 2 ← 3, where each names the one before it, 3, 2, 1. Rows that refer to
 * each other in a circle keep their order. Takes time in proportion to the rows.
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
    // A stack of its own: a chain may be longer than calls can be nested.
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

/** The rows that refer to each row; rows to which none refers are left out. */
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
      const key = valuesOf(dependent.from, row)
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
