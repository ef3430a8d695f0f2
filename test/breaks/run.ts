/**
 * Breaks the source deliberately, one line at a time, in a copy of the repository, and checks that a test fails: `pnpm breaks
 * [name part …] [--database postgres] [--jobs N] [--show]`. It takes minutes and is not part of `npm test`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { namesWithoutServer, onlyServers, readName } from '../support/choose-servers.ts'
import { dropLeftovers } from '../support/leftovers.ts'
import { findServers, type Servers, stopServers } from '../support/servers.ts'
import { breaks } from './all.ts'
import { type Break, broken } from './break.ts'
import { copyRepository, removeCopy, repository } from './copy.ts'
import { type Outcome, type Trial, tryFile } from './trial.ts'

const help = `pnpm breaks [name part …]
  A break runs when its title, file and test file together contain every name part.
  --database NAME   where a break names no database: this one too, besides SQLite; postgres, mariadb or mysql,
                    also with a version, as postgres@18; may be repeated
  --jobs N          breaks at the same time (default: number of cores)
  --show            print what the failing tests say`

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: String(availableParallelism()) },
    show: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const caught = 'caught'
const noServers: Servers = []
const copies: string[] = []
const runName = `${Math.floor(Date.now() / 1000)}_${process.pid}`

if (options.help) {
  console.log(help)
} else {
  // Exits through the `exit` handler, which removes the copies.
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  process.on('exit', () => copies.forEach(removeCopy))
  process.exitCode = await main()
}

async function main(): Promise<number> {
  try {
    for (const name of options.database) readName(name)
  } catch (error) {
    console.error(`--database: ${(error as Error).message}`)
    return 1
  }
  const chosen = breaks.filter(({ title, file, fails }) =>
    parts.every((part) => `${title} ${file} ${fails}`.includes(part)),
  )
  if (chosen.length === 0) {
    console.error(`no break matches: ${parts.join(' ')}`)
    return 1
  }
  const misfits = chosen.flatMap((one) => misfit(one) ?? [])
  if (misfits.length > 0) {
    console.error(misfits.join('\n'))
    return 1
  }
  const started = Date.now()
  const lanes = Array.from({ length: Math.max(1, Number(options.jobs)) }, newCopy)
  const servers = chosen.some((one) => databasesOf(one).length > 1)
    ? await findServers()
    : noServers
  const lacking = namesWithoutServer(servers, [...new Set(chosen.flatMap(databasesOf))])
  for (const name of lacking) console.log(`NOT RUN on ${name}: there is no such server`)
  const sick = await testsThatFailUnbroken(chosen, lanes, servers)
  const survivors: string[] = []
  await inLanes(chosen, lanes, async (one, copy) => {
    const trial = sick.has(testKey(one)) ? undefined : await breakAndTry(one, copy, servers)
    const verdict = trial === undefined ? 'its test fails unbroken' : verdictOf(trial.outcome)
    if (verdict !== caught) survivors.push(`${verdict.toUpperCase()}: ${describe(one)}`)
    const seconds = `${((trial?.ms ?? 0) / 1000).toFixed(1)} s`
    const count = trial?.outcome.kind === 'failed' ? failedOf(trial.outcome) : ''
    console.log(
      `${verdict === caught ? '✓' : '✗'} ${verdict}: ${describe(one)}${count}, ${seconds}`,
    )
    if (options.show && trial !== undefined) console.log(trial.output)
  })
  if (servers !== noServers) await dropLeftovers(servers, runName)
  await stopServers()
  const minutes = ((Date.now() - started) / 60_000).toFixed(1)
  console.log(
    `\n${chosen.length} breaks, ${chosen.length - survivors.length} caught, ${minutes} min`,
  )
  for (const survivor of survivors) console.log(survivor)
  return survivors.length > 0 ? 1 : 0
}

/** Why the break no longer applies to the code. */
function misfit(one: Break): string | undefined {
  try {
    broken(one, readFileSync(join(repository, one.file), 'utf8'))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The verdict: only a failed test has noticed the break, not a file that cannot be loaded or that hangs. */
function verdictOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return caught
  return outcome.kind === 'passed' ? 'survived' : outcome.kind
}

function failedOf({ failed, tests }: Outcome & { kind: 'failed' }): string {
  return ` (${failed} of ${tests})`
}

function describe({ title, file, fails }: Break): string {
  return `${title} [${file.replace('packages/', '')} → ${fails.replace('test/', '')}]`
}

function databasesOf(one: Break): readonly string[] {
  return ['sqlite', ...(one.databases ?? options.database)]
}

/** Identifies a test file with its databases, to run it unbroken only once. */
function testKey(one: Break): string {
  return [one.fails, ...databasesOf(one)].join(' ')
}

function environmentFor(one: Break, servers: Servers): NodeJS.ProcessEnv {
  const named = onlyServers(servers, databasesOf(one))
  return {
    ...process.env,
    TEST_RUN: runName,
    TEST_SERVERS: JSON.stringify(named),
    // Shares the compiled code of unchanged files between the runs.
    NODE_COMPILE_CACHE: join(copies[0] as string, 'node_modules/.compiled'),
  }
}

async function testsThatFailUnbroken(
  chosen: readonly Break[],
  lanes: readonly string[],
  servers: Servers,
): Promise<Set<string>> {
  const tests = new Map(chosen.map((one) => [testKey(one), one]))
  const sick = new Set<string>()
  await inLanes([...tests.values()], lanes, async (one, copy) => {
    const run = (): Promise<Trial> => tryFile(copy, one.fails, environmentFor(one, servers))
    let { outcome, output, ms } = await run()
    // On a busy machine a test may exceed its time limit.
    if (outcome.kind !== 'passed') ({ outcome, output, ms } = await run())
    if (options.show) console.log(`${one.fails}, ${(ms / 1000).toFixed(1)} s`)
    if (outcome.kind === 'passed') return
    sick.add(testKey(one))
    console.log(`✗ ${one.fails} fails unbroken: ${outcome.kind}\n${output}`)
  })
  console.log(`${tests.size} test files, ${tests.size - sick.size} pass unbroken\n`)
  return sick
}

async function breakAndTry(one: Break, copy: string, servers: Servers): Promise<Trial> {
  const path = join(copy, one.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, broken(one, source))
  try {
    return await tryFile(copy, one.fails, environmentFor(one, servers))
  } finally {
    writeFileSync(path, source)
  }
}

/** Processes `items` with one worker for each copy. */
async function inLanes<T>(
  items: readonly T[],
  lanes: readonly string[],
  work: (item: T, copy: string) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  const worker = async (copy: string): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, copy)
  }
  await Promise.all(lanes.map(worker))
}

function newCopy(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'model-api-breaks-')))
  copies.push(copy)
  copyRepository(copy)
  demandOwnPackages(copy)
  return copy
}

/** Throws if the tests of a copy import this repository's packages, because every break would then survive. */
function demandOwnPackages(copy: string): void {
  const packages = ['core', 'http-node', 'adapter-express', 'adapter-koa']
  const names = packages.map((name) => `@model-api/${name}`)
  const script = `for (const name of ${JSON.stringify(names)}) console.log(import.meta.resolve(name))`
  const probe = join(copy, 'test/which-packages.mjs')
  writeFileSync(probe, script)
  const found = execFileSync(process.execPath, [...process.execArgv, probe], { encoding: 'utf8' })
  packages.forEach((name, index) => {
    const expected = pathToFileURL(join(copy, 'packages', name, 'src/index.ts')).href
    const actual = found.split('\n')[index]
    if (actual !== expected) throw new Error(`the copy imports ${actual}, not ${expected}`)
  })
}
