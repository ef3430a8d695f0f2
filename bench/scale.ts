/** Measures the start with many models: creates their tables on SQLite, starts fresh processes, and prints the medians. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { locationOf } from './databases.ts'
import { manyModels, scale, tablesOf } from './scale-models.ts'
import type { Figure, What } from './scale-process.ts'

const help = `npx --yes pnpm@12.21.0 bench:scale [options]

  --starts N   how many processes are started, one after the other; the median counts (default 5)`

const { values: options } = parseArgs({
  options: {
    starts: { type: 'string', default: '5' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (options.help) console.log(help)
else await main()

async function main(): Promise<void> {
  const file = join(dirname(locationOf('sqlite')), 'scale.sqlite')
  createTables(file)
  const { models, columns, relations } = scale
  console.log(
    `${models} models of ${columns} columns and ${relations} relations on SQLite; medians of ${options.starts} fresh processes\n`,
  )
  console.log('| | median | least – most | processor | aim |\n|---|---:|---:|---:|---:|')
  const mib = 2 ** 20
  await row(file, 'ready', '`createApi` until ready', 1, 'ms', '< 1,000')
  await row(file, 'heap', 'heap in use when ready, after a collection', mib, 'MiB', '< 150')
  await row(file, 'request', 'first request', 1, 'ms', '< 50')
  await row(file, 'document', 'OpenAPI document', 1, 'ms', '< 2,000')
  await row(file, 'heapWithDocument', 'heap with the document, which is kept', mib, 'MiB')
  const { value: size } = await start(file, 'size')
  const { value: paths } = await start(file, 'paths')
  rmSync(file)
  console.log(`\nThe document has ${paths} paths and, as JSON, ${fixed(size / mib)} MiB.`)
}

/** Measures one figure repeatedly, each time in a process that does nothing else. */
async function row(
  file: string,
  what: What,
  title: string,
  scaled: number,
  unit: string,
  aim = '',
): Promise<void> {
  const figures: Figure[] = []
  for (let i = 0; i < Number(options.starts); i++) figures.push(await start(file, what))
  const values = sorted(figures.map(({ value }) => value / scaled))
  const processor = sorted(figures.flatMap((figure) => figure.processor ?? []))
  const cells = [
    title,
    `${fixed(middle(values))} ${unit}`,
    `${fixed(values[0])} – ${fixed(values.at(-1))}`,
    processor.length === 0 ? '' : `${fixed(middle(processor))} ms`,
    aim,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

function middle(values: readonly number[]): number | undefined {
  return values[Math.floor((values.length - 1) / 2)]
}

function fixed(value: number | undefined): string {
  return (value ?? Number.NaN).toFixed(1)
}

function createTables(file: string): void {
  rmSync(file, { force: true })
  const database = new Sqlite(file)
  database.transaction(() => {
    for (const statement of tablesOf(manyModels())) database.exec(statement)
  })()
  database.close()
}

async function start(file: string, what: What): Promise<Figure> {
  const script = fileURLToPath(new URL('scale-process.ts', import.meta.url))
  const child = fork(script, [file, what], {
    execArgv: ['--conditions=@model-api/source', '--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ended with ${code} before it had measured`)
  })
  const ended = once(child, 'exit')
  const [measured] = await Promise.race([once(child, 'message'), failed])
  await ended
  return measured
}
