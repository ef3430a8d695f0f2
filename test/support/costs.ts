/** Tables of the number of statements of requests, and how that number grows with the number of records. */
import type { Engine } from './servers.ts'

export interface Costs {
  readonly request: string
  readonly cost: Readonly<Record<Engine, string>>
}

/**
 * Reads a table of costs. A line without costs is a title. Without a column `mariadb`, MariaDB's costs are those of `mysql`.
 *
 * costTable(`
 *   request              | sqlite | postgres | mysql
 *   one record
 *   GET /api/authors/1   |      1 |        1 |     1
 * `)
 */
export function costTable(text: string): readonly Costs[] {
  const [head = [], ...lines] = text.trim().split('\n').map(cellsOf)
  return lines.flatMap(([request = '', ...costs]) => {
    const cost = Object.fromEntries(costs.map((each, i) => [head[i + 1], each]))
    const { sqlite, postgres, mysql, mariadb = mysql } = cost
    if (!sqlite || !postgres || !mysql || !mariadb) return []
    return [{ request, cost: { sqlite, postgres, mysql, mariadb } }]
  })
}

const cellsOf = (line: string): string[] => line.split(' | ').map((cell) => cell.trim())

/** The expected costs of an engine, one text for each request. */
export const expectedCosts = (table: readonly Costs[], engine: Engine): readonly string[] =>
  table.map(({ request, cost }) => `${cost[engine]}: ${request}`)

/** Formats how a count grows with n: `4`, `3 + 2n`, or the counts themselves if the growth is not linear. */
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
