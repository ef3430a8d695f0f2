/**
 * Formats samples as tables: medians, each as a figure and as a ratio to the limit. A dash means that a system does not support the
 * workload.
 */
import type { DatabaseName } from './databases.ts'

export interface Sample {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Missing if the statements of the system are not counted. */
  readonly statements?: number
  /** The most memory so far, in MiB. */
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

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN

const figure =
  (name: keyof Sample): Figure =>
  ({ samples }) => {
    const values = samples.flatMap((sample) => sample[name] ?? [])
    return values.length === 0 ? undefined : median(values)
  }

/** The figures of the tables, in their order. */
const columns: readonly {
  readonly of: keyof Sample
  readonly title: string
  readonly digits: number
}[] = [
  { of: 'cpu', title: 'Server CPU per request, µs', digits: 0 },
  { of: 'perSecond', title: 'Requests per second', digits: 0 },
  { of: 'p50', title: 'Latency p50, ms', digits: 2 },
  { of: 'p99', title: 'Latency p99, ms', digits: 1 },
  { of: 'database', title: 'Database CPU per request, µs', digits: 0 },
  { of: 'statements', title: 'Statements per request', digits: 1 },
]

/** Returns the tables as Markdown, with a section for each database. */
export function report(all: readonly Measured[]): string {
  const databases = [...new Set(all.map(({ database }) => database))]
  return databases
    .map((database) => section(all.filter((measured) => measured.database === database)))
    .join('\n')
}

function section(all: readonly Measured[]): string {
  const measured = columns.filter(({ of }) => all.some((one) => figure(of)(one) !== undefined))
  return [
    `## ${all[0]?.database}\n`,
    ...measured.map(({ of, title, digits }) =>
      table(all, `${title} (ratio to limit)`, withRatio(all, figure(of), digits)),
    ),
    means(all, measured),
    memory(all),
    ...byCursor(all),
    ...besides(all),
  ].join('\n')
}

/** A system of another checkout is called `<system>@<label>`. */
const ownOf = (system: string): string | undefined => /^(.+)@/.exec(system)?.[1]

/** Returns the cost of a system as a multiple of its cost in another checkout. Divides each sample by the one of the same round. */
function ratioTo(all: readonly Measured[], other: Measured, of: keyof Sample): number | undefined {
  const own = all.find(
    ({ system, workload }) => system === ownOf(other.system) && workload === other.workload,
  )
  const ratios = (own?.samples ?? []).flatMap((sample, round) => {
    const [mine, theirs] = [sample[of], other.samples[round]?.[of]]
    return mine === undefined || theirs === undefined ? [] : [mine / theirs]
  })
  return ratios.length === 0 ? undefined : median(ratios)
}

const compared = ['cpu', 'database', 'perSecond', 'p50'] as const

/** Returns a table for each system that was also measured in another checkout. */
function besides(all: readonly Measured[]): readonly string[] {
  return systemsOf(all).flatMap((system) => {
    const own = ownOf(system)
    if (own === undefined) return []
    const others = all.filter((one) => one.system === system)
    const ratios = others.map((one) => compared.map((of) => ratioTo(all, one, of)))
    const rows = others.map(({ workload, title }, i) => [
      `${workload} ${title}`,
      ...(ratios[i] ?? []).map((ratio) => fixed(ratio, 2)),
    ])
    const mean = compared.map((_, i) => fixed(geometric(ratios.flatMap((one) => one[i] ?? [])), 2))
    const head = ['server CPU', 'database CPU', 'requests per second', 'latency p50']
    const title = `${own} as a multiple of ${system}, the median of the rounds`
    return [markdown(title, head, [...rows, ['geometric mean', ...mean]])]
  })
}

/** Returns a line for each workload whose server CPU is more than `most` times that of another checkout. */
export const dearer = (all: readonly Measured[], most: number): readonly string[] =>
  all.flatMap((one) => {
    const same = all.filter(({ database }) => database === one.database)
    const ratio = ownOf(one.system) === undefined ? undefined : ratioTo(same, one, 'cpu')
    return ratio === undefined || ratio <= most
      ? []
      : [`${one.database} ${one.workload}: ${fixed(ratio, 2)} times the CPU of ${one.system}`]
  })

const limitOf = (all: readonly Measured[], { workload }: Measured): Measured | undefined =>
  all.find((other) => other.workload === workload && other.system === 'limit')

function ratioOf(all: readonly Measured[], of: Figure, measured: Measured): number | undefined {
  const limit = limitOf(all, measured)
  const own = of(measured)
  const base = limit && of(limit)
  return own === undefined || base === undefined ? undefined : own / base
}

function withRatio(
  all: readonly Measured[],
  of: Figure,
  digits: number,
): (measured: Measured) => string {
  return (measured) => {
    const ratio = ratioOf(all, of, measured)
    return `${fixed(of(measured), digits)}${ratio === undefined ? '' : ` (${ratio.toFixed(2)})`}`
  }
}

const systemsOf = (all: readonly Measured[]): readonly string[] => [
  ...new Set(all.map(({ system }) => system)),
]

/**
 * Returns the means of each system over the workloads that it supports, so systems without some workloads can be compared only with
 * the limit.
 */
function means(all: readonly Measured[], measured: typeof columns): string {
  const systems = systemsOf(all)
  const lines = measured.map(({ of, title }) => {
    const ratios = systems.map((system) => {
      const own = all.filter((one) => one.system === system)
      return fixed(geometric(own.flatMap((one) => ratioOf(all, figure(of), one) ?? [])), 2)
    })
    return [title.replace(/,[^,]*$/, ''), ...ratios]
  })
  const done = systems.map((system) =>
    String(all.filter((one) => one.system === system && one.samples.length > 0).length),
  )
  return markdown('Geometric mean of the ratios to limit', systems, [
    ...lines,
    ['workloads it did', ...done],
  ])
}

function memory(all: readonly Measured[]): string {
  const systems = systemsOf(all)
  const most = systems.map((system) => {
    const own = all.filter((one) => one.system === system)
    return Math.max(...own.map((one) => figure('memory')(one) ?? 0))
  })
  const limit = most[systems.indexOf('limit')]
  const cells = most.map((own) =>
    own === 0 ? '–' : `${fixed(own)}${limit ? ` (${(own / limit).toFixed(2)})` : ''}`,
  )
  return markdown('Most memory, MiB (ratio to limit)', systems, [['whole run', ...cells]])
}

/** Compares a far page by cursor with the first page, and with the same page by number. */
function byCursor(all: readonly Measured[]): readonly string[] {
  const systems = systemsOf(all)
  const lines = (['W2n', 'W11n'] as const).flatMap((other) =>
    (['cpu', 'database', 'p50'] as const).map((of) => {
      const cells = systems.map((system) => {
        const value = (workload: string): number | undefined => {
          const found = all.find((one) => one.system === system && one.workload === workload)
          return found && figure(of)(found)
        }
        const [cursor, base] = [value('W12'), value(other)]
        return cursor === undefined || base === undefined ? '–' : (cursor / base).toFixed(2)
      })
      return [`W12 / ${other}: ${names[of]}`, ...cells]
    }),
  )
  const told = lines.filter(([, ...cells]) => cells.some((cell) => cell !== '–'))
  return told.length === 0
    ? []
    : [
        markdown(
          'A far page by cursor as a multiple of the first page, and of it by number',
          systems,
          told,
        ),
      ]
}

const names = { cpu: 'server CPU', database: 'database CPU', p50: 'latency p50' }

const geometric = (ratios: readonly number[]): number | undefined =>
  ratios.length === 0
    ? undefined
    : Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)

function table(
  all: readonly Measured[],
  title: string,
  cell: (measured: Measured) => string,
): string {
  const systems = systemsOf(all)
  const rows = [...new Set(all.map(({ workload }) => workload))].map((workload) => {
    const own = all.filter((measured) => measured.workload === workload)
    const cells = systems.map((system) => {
      const measured = own.find((one) => one.system === system)
      return measured === undefined ? '' : cell(measured)
    })
    return [`${workload} ${own[0]?.title}`, ...cells]
  })
  return markdown(title, systems, rows)
}

/** Returns a table with a title. The first cell of each row is its name. */
export function markdown(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const rule = head.map(() => '---:').join('|')
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return `${title}\n\n| | ${head.join(' | ')} |\n|---|${rule}|\n${lines}\n`
}

export const fixed = (value: number | undefined, digits = 0): string =>
  value === undefined
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
