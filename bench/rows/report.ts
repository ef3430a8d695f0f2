/** Formats the costs at each size as tables. */
import { fixed, markdown, median } from '../report.ts'
import type { RowsDatabase } from './data.ts'
import { type Cost, type Costs, type Way, ways } from './measure.ts'

const titles: Readonly<Record<RowsDatabase, string>> = { postgres: 'PostgreSQL', mysql: 'MariaDB' }

const figures: readonly {
  readonly of: keyof Cost
  readonly title: string
  readonly digits: number
}[] = [
  { of: 'milliseconds', title: 'Time of a request, ms', digits: 2 },
  { of: 'database', title: 'Database CPU of a request, µs', digits: 0 },
  { of: 'server', title: 'Server CPU of a request, µs', digits: 0 },
]

/** Returns a table for each figure, with a row for each request and a column for each way and size. */
export function report(
  database: RowsDatabase,
  sizes: readonly number[],
  all: ReadonlyMap<string, Costs>,
): string {
  const head = ways.flatMap((way) => [
    ...sizes.map((rows) => `${way}: ${sizeOf(rows)}`),
    `${sizeOf(sizes.at(-1))} / ${sizeOf(sizes[0])}`,
  ])
  const tables = figures.map(({ of, title, digits }) => {
    const lines = [...all].map(([name, costs]) => [
      name,
      ...ways.flatMap((way) => [
        ...sizes.map((_, at) => fixed(middle(costs, at, way, of), digits)),
        fixed(growth(costs, way, of), 1),
      ]),
    ])
    return markdown(`${titles[database]}: ${title}`, head, lines)
  })
  return tables.join('\n')
}

const sizeOf = (rows: number | undefined): string =>
  rows === undefined ? '' : rows >= 1e6 ? `${rows / 1e6} million` : fixed(rows)

const valuesOf = (costs: Costs, at: number, way: Way, of: keyof Cost): readonly number[] =>
  [...costs.values()].at(at)?.[way].map((cost) => cost[of]) ?? []

const middle = (costs: Costs, at: number, way: Way, of: keyof Cost): number =>
  median(valuesOf(costs, at, way, of))

/** Returns the cost at the largest table as a multiple of the cost at the smallest one. */
const growth = (costs: Costs, way: Way, of: keyof Cost): number =>
  middle(costs, -1, way, of) / middle(costs, 0, way, of)
