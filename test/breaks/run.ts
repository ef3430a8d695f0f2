/**
 * Changes the source by seeded mutants, one at a time, in copies of the repository, and tells which of them no test notices:
 * `npm run breaks -- <room …>`. It takes minutes and is not part of `npm test`.
 */
import { execFileSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { namesWithoutServer, onlyServers, readName } from '../support/choose-servers.ts'
import { dropLeftovers } from '../support/leftovers.ts'
import { findServers, type Servers, stopServers } from '../support/servers.ts'
import { loadFactor } from '../support/time-limit.ts'
import { copyRepository, removeCopy, repository } from './copy.ts'
import { chosenBySeed, type Mutant, mutantsOf, mutated } from './mutants.ts'
import { reachedPlaces } from './reached.ts'
import { tryFile } from './trial.ts'

const help = `npm run breaks -- <room …>
  A room is a folder of packages/core/src, as access or write, another package, as http-node, or the path of a file or folder.
  --count N         mutants of each room (default 200)
  --seed N          chooses the mutants (default 1)
  --tests PART      only the test files whose path contains it; may be repeated
  --database NAME   besides SQLite: postgres, mariadb or mysql, also with a version, as postgres@18; may be repeated
  --seconds N       the time for the tests of one mutant (default 20), more on a busy machine; what has not failed by then survives
  --jobs N          mutants at the same time (default: number of cores)`

const { values: options, positionals: rooms } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', multiple: true, default: [] },
    database: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '20' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** A file that takes longer unbroken is left out: it would use up the time of a mutant. */
const slowestMs = 15_000

/** These files look at the source or the packages, not at what the code does, or they need what a copy lacks. */
const notAboutBehaviour = /^test\/(?:architecture|breaks|docs|packages|types)\//

type Verdict = 'caught' | 'survived' | 'reached by no test' | 'not loadable'

interface TestFile {
  readonly path: string
  readonly ms: number
  readonly reached: ReadonlySet<Mutant>
}

const copies: string[] = []
const runName = `${Math.floor(Date.now() / 1000)}_${process.pid}`

if (options.help || rooms.length === 0) {
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
  const mutants = rooms.flatMap((room) => {
    const files = sourcesOf(room)
    if (files.length === 0) console.error(`no room is called ${room}`)
    const all = files.flatMap((file) => mutantsOf(file, read(file)))
    const chosen = chosenBySeed(all, Number(options.count), Number(options.seed))
    console.log(`${room}: ${chosen.length} of ${all.length} mutants, seed ${options.seed}`)
    return chosen.map((mutant) => ({ ...mutant, room }))
  })
  if (mutants.length === 0) return 1
  const started = Date.now()
  const lanes = Array.from({ length: Math.max(1, Number(options.jobs)) }, newCopy)
  const servers = options.database.length > 0 ? await findServers() : []
  const lacking = namesWithoutServer(servers, options.database)
  for (const name of lacking) console.log(`NOT RUN on ${name}: there is no such server`)

  const tests = await testsUnbroken(mutants, lanes, servers)
  const verdicts = new Map<Mutant, Verdict>()
  const killers = new Map<string, string[]>()
  await inLanes(mutants, lanes, async (mutant, copy) => {
    const known = killers.get(mutant.file) ?? []
    const verdict = await verdictOn(mutant, copy, servers, inOrder(mutant, tests, known))
    verdicts.set(mutant, verdict.kind)
    if (verdict.by !== undefined) {
      killers.set(mutant.file, [verdict.by, ...known.filter((path) => path !== verdict.by)])
    }
    const by = verdict.by === undefined ? verdict.note : ` by ${verdict.by.replace('test/', '')}`
    console.log(`${verdict.kind === 'caught' ? '✓' : '✗'} ${verdict.kind}${by}: ${told(mutant)}`)
  })
  if (options.database.length > 0) await dropLeftovers(servers, runName)
  await stopServers()

  console.log(`\n${((Date.now() - started) / 60_000).toFixed(1)} min`)
  for (const room of rooms) {
    const of = (kind: Verdict): number =>
      mutants.filter((one) => one.room === room && verdicts.get(one) === kind).length
    const [caught, missed] = [of('caught'), of('survived') + of('reached by no test')]
    const score =
      caught + missed === 0 ? '' : `, ${Math.round((100 * caught) / (caught + missed))} %`
    console.log(
      `${room}: ${caught} caught, ${of('survived')} survived, ${of('reached by no test')} reached by no test, ${of('not loadable')} not loadable${score}`,
    )
  }
  return [...verdicts.values()].every((kind) => kind === 'caught' || kind === 'not loadable')
    ? 0
    : 1
}

function read(file: string): string {
  return readFileSync(join(repository, file), 'utf8')
}

function told({ file, line, change }: Mutant): string {
  return `${file.replace('packages/', '')}:${line}  ${change}`
}

function sourcesOf(room: string): readonly string[] {
  const within = (pattern: string): string[] => globSync(pattern, { cwd: repository }).toSorted()
  if (room.endsWith('.ts')) return within(room)
  if (room.includes('/')) return within(`${room}/**/*.ts`)
  const folder = within(`packages/core/src/${room}/**/*.ts`)
  return folder.length > 0 ? folder : within(`packages/${room}/src/**/*.ts`)
}

function environmentFor(servers: Servers): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TEST_RUN: runName,
    TEST_SERVERS: JSON.stringify(onlyServers(servers, ['sqlite', ...options.database])),
    // Shares the compiled code of unchanged files between the runs.
    NODE_COMPILE_CACHE: join(copies[0] as string, 'node_modules/.compiled'),
  }
}

/** Runs each test file once unbroken, to learn its time and which mutants it reaches. */
async function testsUnbroken(
  mutants: readonly Mutant[],
  lanes: readonly string[],
  servers: Servers,
): Promise<readonly TestFile[]> {
  const paths = globSync('test/**/*.test.ts', { cwd: repository })
    .filter((path) => !path.includes('node_modules') && !notAboutBehaviour.test(path))
    .filter((path) => options.tests.every((part) => path.includes(part)))
    .toSorted()
  const tests: TestFile[] = []
  const left: string[] = []
  await inLanes(paths, lanes, async (path, copy) => {
    const folder = join(copy, 'node_modules/.reached')
    mkdirSync(folder, { recursive: true })
    const environment = { ...environmentFor(servers), NODE_V8_COVERAGE: folder }
    const { outcome, ms } = await tryFile(copy, path, environment, slowestMs)
    if (outcome.kind === 'passed') {
      tests.push({ path, ms, reached: reachedPlaces(folder, copy, mutants) })
    } else if (outcome.kind !== 'nothing ran') left.push(`${path} (${outcome.kind})`)
    rmSync(folder, { recursive: true })
  })
  console.log(`${tests.length} test files`)
  if (left.length > 0) console.log(`left out, since they are slow or fail here: ${left.join(', ')}`)
  return tests
}

/** The test files that reach a mutant: first those that caught others of its file, then the quick and special ones. */
function inOrder(
  mutant: Mutant,
  tests: readonly TestFile[],
  known: readonly string[],
): readonly TestFile[] {
  const rank = ({ path }: TestFile): number => {
    const at = known.indexOf(path)
    return at < 0 ? known.length : at
  }
  const cost = ({ ms, reached }: TestFile): number => ms * reached.size
  return tests
    .filter(({ reached }) => reached.has(mutant))
    .toSorted((a, b) => rank(a) - rank(b) || cost(a) - cost(b))
}

async function verdictOn(
  mutant: Mutant,
  copy: string,
  servers: Servers,
  tests: readonly TestFile[],
): Promise<{ readonly kind: Verdict; readonly by?: string; readonly note: string }> {
  if (tests.length === 0) return { kind: 'reached by no test', note: '' }
  const path = join(copy, mutant.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, mutated(source, mutant))
  const until = Date.now() + Number(options.seconds) * 1000 * loadFactor()
  let tried = 0
  try {
    for (const { path: test, ms } of tests) {
      if (Date.now() >= until) break
      tried += 1
      const limit = Math.max(10_000, 4 * ms)
      const { outcome } = await tryFile(copy, test, environmentFor(servers), limit)
      if (outcome.kind === 'unloadable') return { kind: 'not loadable', note: '' }
      if (outcome.kind !== 'passed') return { kind: 'caught', by: test, note: '' }
    }
  } finally {
    writeFileSync(path, source)
  }
  return { kind: 'survived', note: ` ${tried} of ${tests.length} test files` }
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

/** Throws if the tests of a copy import this repository's packages, because every mutant would then survive. */
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
