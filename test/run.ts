/** The test runner: each process runs file after file, as long as none of them leaves anything behind. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type Coverage,
  namesWithoutServer,
  onlyServers,
  readName,
} from './support/choose-servers.ts'
import { coverageOf, type Job, jobsOf, needsServers, runsIn } from './support/coverage.ts'
import { type CpuTime, cpuTable, type FileCpu } from './support/cpu-time.ts'
import type { Extent } from './support/extent.ts'
import { type FileProcess, startFileProcess } from './support/file-process.ts'
import { dropLeftovers } from './support/leftovers.ts'
import type { Way } from './support/path.ts'
import { type Lane, lanesOf, needsOwnProcess, queueOf, takeJob } from './support/queue.ts'
import { type FailedFile, filesToRepeat, withSecondTries } from './support/second-try.ts'
import { findServers, type Servers, stopServers } from './support/servers.ts'
import { addSpares, mostSpares, takeSpares } from './support/spare-databases.ts'
import { closingTable, type FileReport, type Run, sum } from './support/table.ts'
import { buildDeclarations, usesCompiler } from './support/typescript.ts'
import type { Count, Report } from './worker.ts'

const help = `node --conditions=@model-api/source test/run.ts [name part …]
  A file runs when its path contains every name part.
  --golden [name part …]   only the golden files whose path contains a name part
  --update                 with --golden: write what the pipeline gives instead of comparing
  --database NAME          SQLite and this database only: postgres, mariadb or mysql, also with a version, as
                           postgres@18; sqlite for SQLite alone; may be repeated
  --way NAME               only on this way: plain (unwrapped drivers, a dialect without shortcuts), query (each GET of a
                           list as QUERY), batch (each request as a batch of one), or usual
  --whole                  every check there is (or TEST_WHOLE=1); else a usual run without the checks of a release, with most
                           files on SQLite alone. Files that are named run on one server of each engine at least
  --further                the files and servers of a whole run that a usual run leaves out, with the amounts of a usual run
  --cpu                    tell the CPU time of each file and folder
  --jobs N                 files at the same time (default: two more than cores); of those that wait, some more
  --timeout S              seconds until a file is stopped (default 300), more on a busy machine`

const here = fileURLToPath(new URL('.', import.meta.url))

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    golden: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    database: { type: 'string', multiple: true },
    way: { type: 'string' },
    whole: { type: 'boolean', default: false },
    further: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    timeout: { type: 'string', default: '300' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const extent: Extent = options.further
  ? 'further'
  : options.whole || process.env.TEST_WHOLE === '1'
    ? 'whole'
    : 'usual'

/** Whether files are named. No run leaves these out. */
const namesFiles = options.golden || positionals.length > 0

if (options.help) {
  console.log(help)
} else {
  // Leaves through the exit handlers, which stop private servers.
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  process.exitCode = await main()
}

async function main(): Promise<number> {
  const parts = options.golden ? ['golden'] : positionals
  const files = testFiles().filter((file) => parts.every((part) => file.includes(part)))
  if (files.length === 0) console.error(`no test file matches: ${parts.join(' ')}`)
  const way = options.way as Way | undefined
  const run = namesFiles ? files : files.filter((file) => runsIn(file, extent, textOf))
  const jobs = way === undefined ? jobsOf(run, extent) : run.map((file) => ({ file, way }))

  const asked = options.database ?? []
  if (options.way !== undefined && !/^(usual|plain|query|batch)$/.test(options.way)) {
    console.error(`--way takes usual, plain, query or batch, not ${options.way}`)
    return 1
  }
  if (saysWhatIsMisspelt('--database', asked)) return 1
  if (saysWhatIsMisspelt('REQUIRE_DATABASES', requiredNames())) return 1
  const found = jobs.some(({ file }) => needsServers(file, textOf))
    ? await findServers()
    : undefined
  if (found !== undefined && saysWhatLacks(found, asked)) return stopServers().then(() => 1)
  // Only once, before several processes start.
  if (jobs.some(({ file }) => usesCompiler(textOf(file)))) buildDeclarations()
  const servers =
    found === undefined || options.database === undefined ? found : onlyServers(found, asked)
  const id = `${Math.floor(Date.now() / 1000)}_${process.pid}`
  const environment = {
    ...process.env,
    TEST_RUN: id,
    TEST_EXTENT: extent,
    // All processes, including those that tests start, share the cache of stripped sources.
    NODE_COMPILE_CACHE:
      process.env.NODE_COMPILE_CACHE ?? join(here, '../node_modules/.cache/tests'),
    ...(servers === undefined ? {} : { TEST_SERVERS: JSON.stringify(servers) }),
    ...(options.update ? { UPDATE_GOLDEN: '1' } : {}),
    ...(options.golden ? { GOLDEN_FILTER: positionals.join(' ') } : {}),
  }

  const atOnce = Number(options.jobs)
  if (!Number.isInteger(atOnce) || atOnce < 1) {
    console.error(`--jobs takes a number, not ${options.jobs}`)
    return 1
  }
  const reports: FileReport[] = []
  const cpu: FileCpu[] = []
  const failures: string[] = []
  const failed: FailedFile[] = []
  const queue = queueOf(jobs)
  const idle: FileProcess[] = []
  const work = async (lane: Lane): Promise<void> => {
    const next = (): Job | undefined => takeJob(queue, lane)
    for (let job = next(); job !== undefined; job = next()) {
      const { report, isFirst, failure } = await runFile(job, environment, idle)
      reports.push({ file: titleOf(job), report })
      cpu.push({ file: job.file, isFirst, cpu: report.cpu })
      if (failure !== undefined) {
        failures.push(failure)
        failed.push({ job, report })
      }
    }
  }
  await Promise.all(lanesOf(atOnce).map(work))
  await endAll(idle)
  const second: FileReport[] = []
  for (const { job } of filesToRepeat(failed, namesFiles)) {
    console.log(`\nAgain, alone: ${titleOf(job)}`)
    const { report } = await runFile(job, environment, idle)
    second.push({ file: titleOf(job), report })
    await endAll(idle)
  }
  if (servers !== undefined) await dropLeftovers(servers, id)
  await stopServers()
  // Repeats the failures at the end, because the log of many files may be cut.
  if (failures.length > 0 && reports.length > 1) console.log(`\nFailed:\n${failures.join('\n')}`)
  if (options.cpu) console.log(cpuTable(cpu))
  const done = new Set(jobs.map(titleOf))
  const leftOut =
    way === undefined
      ? jobsOf(files, 'whole')
          .map(titleOf)
          .filter((title) => !done.has(title))
      : []
  return close(
    { files: withSecondTries(reports, second), servers, leftOut },
    files.length === 0 ? 1 : 0,
  )
}

function close(run: Run, failures: number): number {
  console.log(closingTable(run))
  const { files, servers } = run
  const lacking = servers === undefined ? 0 : requiredThatLack(servers).length
  if (lacking > 0) {
    console.error(`REQUIRE_DATABASES: ${requiredThatLack(servers ?? []).join(', ')} did not run.`)
  }
  const total = sum(files.map(({ report }) => report))
  const failed = total.failed + failures + lacking
  console.log(`${total.passed} passed, ${failed} failed, ${total.skipped} skipped`)
  return failed > 0 ? 1 : 0
}

/** The names in REQUIRE_DATABASES; none if it is 1, which requires the servers that the runner looked for. */
function requiredNames(): readonly string[] {
  const text = process.env.REQUIRE_DATABASES ?? ''
  return text === '1' ? [] : text.split(/[\s,]+/).filter((name) => name !== '')
}

function requiredThatLack(servers: Servers): readonly string[] {
  if ((process.env.REQUIRE_DATABASES ?? '') === '') return []
  const missing = servers.filter(({ url }) => url === undefined).map(({ label }) => label)
  return [...missing, ...namesWithoutServer(servers, requiredNames())]
}

/** Whether a name is not that of a database; prints which. */
function saysWhatIsMisspelt(where: string, names: readonly string[]): boolean {
  for (const name of names) {
    try {
      readName(name)
    } catch (error) {
      console.error(`${where}: ${(error as Error).message}`)
      return true
    }
  }
  return false
}

/** Whether a requested database is missing; prints which, and which exist. */
function saysWhatLacks(found: Servers, asked: readonly string[]): boolean {
  const lacking = namesWithoutServer(found, asked)
  for (const name of lacking) console.error(`--database ${name}: there is no such server.`)
  if (lacking.length > 0) {
    for (const { label, note } of found) console.error(`  ${label}: ${note}`)
  }
  return lacking.length > 0
}

function testFiles(): string[] {
  return readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

function textOf(file: string): string {
  return readFileSync(join(here, file), 'utf8')
}

/** Ends the processes, and empties the list. */
async function endAll(processes: FileProcess[]): Promise<void> {
  await Promise.all(processes.splice(0).map((one) => one.end()))
}

interface FileRun {
  readonly report: Report
  /** Whether a process was started for it. */
  readonly isFirst: boolean
  /** The line of the file and its output, if one of its tests failed. */
  readonly failure?: string
}

function titleOf({ file, way }: Job): string {
  return way === 'usual' ? file : `${file} (${way})`
}

async function runFile(
  job: Job,
  environment: NodeJS.ProcessEnv,
  idle: FileProcess[],
): Promise<FileRun> {
  const started = Date.now()
  const { file, way } = job
  const alone = needsOwnProcess(file)
  const kept = alone ? undefined : idle.findLast((one) => one.way === way && one.isOpen())
  if (kept !== undefined) idle.splice(idle.indexOf(kept), 1)
  const env = way === 'usual' ? environment : { ...environment, TEST_WAY: way }
  const child = kept ?? startFileProcess(env, { way, alone })
  const before = [...child.files]
  const { report, output: printed } = await child.run({
    title: file,
    path: join(here, file),
    coverage: coverageOfJob(job),
    limitMs: Number(options.timeout) * 1000,
    spares: takeSpares(mostSpares),
  })
  addSpares(report.spares)
  if (child.isOpen()) idle.push(child)
  const count = sum([report])
  const isFirst = before.length === 0
  const took = `${Date.now() - started} ms${options.cpu ? cpuText(report.cpu) : ''}`
  const line = fileLine(titleOf(job), count, took)
  console.log(line)
  let output = indent(printed)
  if (count.failed > 0 && !isFirst) {
    output += `  in the process that had run ${before.join(', ')}\n`
  }
  // Prints the output of files that were selected by name, because it may contain a console.log for debugging.
  if (count.failed > 0 || positionals.length > 0) process.stdout.write(output)
  const run = { report, isFirst }
  return count.failed > 0 ? { ...run, failure: `${line}\n${output}` } : run
}

/** Servers that are named leave none out, and so does a way that is named; files that are named run on the servers of a whole run. */
function coverageOfJob(job: Job): Coverage | undefined {
  if (options.database !== undefined || options.way !== undefined) return undefined
  return coverageOf(job, namesFiles ? 'whole' : extent)
}

function cpuText({ own, children }: CpuTime): string {
  return `, CPU ${Math.round(own)} + ${Math.round(children)} ms`
}

function fileLine(file: string, { passed, failed, skipped }: Count, took: string): string {
  const counts = [`${passed} passed`]
  if (failed > 0) counts.push(`${failed} FAILED`)
  if (skipped > 0) counts.push(`${skipped} skipped`)
  const path = relative(process.cwd(), join(here, file))
  return `${failed > 0 ? '✗' : '✓'} ${path}  ${counts.join(', ')}  ${took}`
}

function indent(text: string): string {
  return text.trimEnd() === '' ? '' : `${text.trimEnd().replace(/^(?=.)/gm, '  ')}\n`
}
