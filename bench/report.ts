/** Samples → tables: medians, each as it is and as a ratio to the limit. */
import type { DatabaseName } from './databases.ts'

export interface Sample {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly statements: number
  /** MiB at most, so far. */
  readonly memory: number
  /** Microseconds of the database's CPU per request; SQLite runs inside the server. */
  readonly database?: number
}

/** All samples of one system under one workload. */
export interface Measured {
  readonly database: DatabaseName
  readonly system: string
  readonly workload: string
  readonly title: string
  readonly samples: readonly Sample[]
}

type Figure = (measured: Measured) => number | undefined

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN

const figure =
  (name: keyof Sample): Figure =>
  ({ samples }) => {
    const values = samples.flatMap((sample) => sample[name] ?? [])
    return values.length === 0 ? undefined : median(values)
  }

/** The tables as Markdown, a section for each database. */
export function report(all: readonly Measured[]): string {
  const databases = [...new Set(all.map(({ database }) => database))]
  return databases
    .map((database) => section(all.filter((measured) => measured.database === database)))
    .join('\n')
}

function section(all: readonly Measured[]): string {
  const cpu = figure('cpu')
  const speed = figure('perSecond')
  const tables = [
    table(all, 'Server CPU per request, µs (ratio to limit)', withRatio(all, cpu)),
    table(all, 'Requests per second (ratio to limit)', withRatio(all, speed)),
    table(
      all,
      'Latency p50 / p99, ms',
      (one) => `${fixed(figure('p50')(one), 2)} / ${fixed(figure('p99')(one), 1)}`,
    ),
    table(
      all,
      'Database CPU per request, µs / statements per request',
      (one) => `${fixed(figure('database')(one))} / ${fixed(figure('statements')(one), 1)}`,
    ),
  ]
  const systems = [...new Set(all.map(({ system }) => system))]
  const means = systems.map((system) => `${system} ${fixed(geometric(all, system, cpu), 2)}`)
  const memory = systems.map((system) => {
    const own = all.filter((one) => one.system === system)
    return `${system} ${fixed(Math.max(...own.map((one) => figure('memory')(one) ?? 0)))}`
  })
  return [
    `## ${all[0]?.database}\n`,
    ...tables,
    `Server CPU, geometric mean of the ratios to limit: ${means.join(', ')}\n`,
    `Most memory, MiB: ${memory.join(', ')}\n`,
  ].join('\n')
}

const limitOf = (all: readonly Measured[], { workload }: Measured): Measured | undefined =>
  all.find((other) => other.workload === workload && other.system === 'limit')

function withRatio(all: readonly Measured[], of: Figure): (measured: Measured) => string {
  return (measured) => {
    const limit = limitOf(all, measured)
    const own = of(measured)
    const base = limit && of(limit)
    const ratio = own === undefined || base === undefined ? '' : ` (${(own / base).toFixed(2)})`
    return `${fixed(own)}${ratio}`
  }
}

function geometric(all: readonly Measured[], system: string, of: Figure): number | undefined {
  const logs = all
    .filter((measured) => measured.system === system)
    .flatMap((measured) => {
      const limit = limitOf(all, measured)
      const [own, base] = [of(measured), limit && of(limit)]
      return own === undefined || base === undefined ? [] : Math.log(own / base)
    })
  return logs.length === 0 ? undefined : Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length)
}

function table(
  all: readonly Measured[],
  title: string,
  cell: (measured: Measured) => string,
): string {
  const systems = [...new Set(all.map(({ system }) => system))]
  const rows = [...new Set(all.map(({ workload }) => workload))].map((workload) => {
    const own = all.filter((measured) => measured.workload === workload)
    const cells = systems.map((system) => {
      const measured = own.find((one) => one.system === system)
      return measured === undefined ? '' : cell(measured)
    })
    return `| ${workload} ${own[0]?.title} | ${cells.join(' | ')} |`
  })
  const rule = systems.map(() => '---:').join('|')
  return `${title}\n\n| | ${systems.join(' | ')} |\n|---|${rule}|\n${rows.join('\n')}\n`
}

const fixed = (value: number | undefined, digits = 0): string =>
  value === undefined
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
