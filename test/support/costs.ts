/** Tables of what requests cost in statements, and how a cost grows with the number of records. */
import type { DatabaseName } from './databases.ts'

export interface Costs {
  readonly request: string
  readonly cost: Readonly<Record<DatabaseName, string>>
}

/**
 * Reads a table of costs; lines without columns are titles.
 *
 * costTable(`
 *   request              | sqlite | postgres | mysql
 *   one record
 *   GET /api/authors/1   |      1 |        1 |     1
 * `)
 */
export function costTable(text: string): readonly Costs[] {
  const [, ...lines] = text.trim().split('\n')
  return lines.flatMap((line) => {
    const [request = '', sqlite, postgres, mysql] = line.split(' | ').map((cell) => cell.trim())
    if (sqlite === undefined || postgres === undefined || mysql === undefined) return []
    return [{ request, cost: { sqlite, postgres, mysql } }]
  })
}

/** One database's column of a table, to compare with what was measured. */
export const expectedCosts = (table: readonly Costs[], name: DatabaseName): readonly string[] =>
  table.map(({ request, cost }) => `${cost[name]}: ${request}`)

/** How a count grows with n, as a table has it: `4`, `3 + 2n`; where it is no line, the counts themselves. */
export function growth(counts: readonly (readonly [n: number, count: number])[]): string {
  const [[n0, first] = [0, 0], [n1, second] = [1, 0]] = counts
  const each = (second - first) / (n1 - n0)
  const fixed = first - each * n0
  if (counts.some(([n, count]) => count !== fixed + each * n)) {
    return counts.map(([n, count]) => `${count} of ${n}`).join(', ')
  }
  if (each === 0) return `${fixed}`
  return `${fixed} + ${each === 1 ? '' : each}n`
}
