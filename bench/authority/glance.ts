/** Formats the measured multiples as a table of means, and as a picture. */
import type { DatabaseName } from '../databases.ts'

/** The results of one database: multiples of the first variant, by variant and workload. */
export interface Multiples {
  readonly database: DatabaseName
  readonly variants: readonly {
    readonly name: string
    readonly server: Means
    /** Undefined for SQLite, which runs in the process. */
    readonly database?: Means
  }[]
}

export interface Means {
  readonly reads: number
  /** NaN if no write was measured. */
  readonly writes: number
}

const titles: Readonly<Record<DatabaseName, string>> = {
  postgres: 'PostgreSQL',
  mysql: 'MariaDB',
  sqlite: 'SQLite',
}

export const geometric = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)

/** Returns a Markdown table with a row for each variant: the means of reads and writes on each database that has the figure. */
export function glanceTable(everything: readonly Multiples[], of: 'server' | 'database'): string {
  const all = everything.filter(({ variants }) => variants[0]?.[of] !== undefined)
  const head = all.flatMap(({ database }) => [
    `${titles[database]}: reads`,
    `${titles[database]}: PATCH`,
  ])
  const lines = namesOf(all).map((name) => {
    const cells = all.flatMap(({ variants }) => {
      const found = variants.find((one) => one.name === name)
      return [cell(found?.[of]?.reads), cell(found?.[of]?.writes)]
    })
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [
    `| ${of} CPU of a request | ${head.join(' | ')} |`,
    `|---|${'---:|'.repeat(head.length)}`,
    ...lines,
  ].join('\n')
}

const cell = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '–' : value.toFixed(2)

const namesOf = (all: readonly Multiples[]): readonly string[] =>
  all[0]?.variants.map(({ name }) => name) ?? []

const bar = 11
const gap = 10
const labels = 190
const unit = 130
const colours: Readonly<Record<DatabaseName, string>> = {
  postgres: '#336791',
  mysql: '#c0765a',
  sqlite: '#7a9e48',
}

/** Returns an SVG of the reads, with a group of bars for each variant and a bar for each database. */
export function picture(all: readonly Multiples[]): string {
  const names = namesOf(all)
  const group = all.length * bar + gap
  const most = Math.max(
    ...all.flatMap(({ variants }) => variants.map(({ server }) => server.reads)),
  )
  const width = labels + Math.ceil(most) * unit + 60
  const height = names.length * group + 40
  const parts = names.flatMap((name, i) => {
    const top = 30 + i * group
    const label = `<text x="${labels - 8}" y="${top + (all.length * bar) / 2 + 4}" text-anchor="end">${name}</text>`
    const bars = all.map(({ database, variants }, j) => {
      const { reads = 0 } = variants.find((one) => one.name === name)?.server ?? {}
      const length = Math.round(reads * unit)
      const y = top + j * bar
      return `<rect x="${labels}" y="${y}" width="${length}" height="${bar - 1}" fill="${colours[database]}"/><text x="${labels + length + 4}" y="${y + bar - 2}" font-size="10">${reads.toFixed(2)}</text>`
    })
    return [label, ...bars]
  })
  const legend = all.map(
    ({ database }, i) =>
      `<rect x="${labels + i * 110}" y="8" width="10" height="10" fill="${colours[database]}"/><text x="${labels + i * 110 + 15}" y="17">${titles[database]}</text>`,
  )
  const box = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return `<svg ${box} font-family="sans-serif" font-size="12">
<title>Server CPU of a read as a multiple of the same read without users</title>
<rect width="100%" height="100%" fill="#fff"/>
${[...legend, ...parts].join('\n')}
</svg>
`
}
