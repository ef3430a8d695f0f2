/** Runs a test file and sends the tally to the runner; then another, if it is sent one. */
import { pathToFileURL } from 'node:url'
import type { Coverage } from './support/choose-servers.ts'
import { type CpuTime, cpuMeter } from './support/cpu-time.ts'
import { watchState } from './support/leftover-state.ts'
import {
  closeAll,
  coverageToTell,
  type NotRun,
  notes,
  type RegisteredSuite,
  startFile,
  suites,
  suitesAtOnce,
} from './support/registry.ts'
import { addSpares, mostSpares, type Spares, takeSpares } from './support/spare-databases.ts'
import { endOfFile, type Order } from './support/worker-protocol.ts'

export interface Count {
  passed: number
  failed: number
  skipped: number
}

export interface Report {
  /** By the label of the database; `none` for suites that need no database. */
  readonly counts: Readonly<Record<string, Count>>
  /** Where the file runs; undefined where that is every server. */
  readonly coverage: Coverage | undefined
  /** The version of Node that it ran on; undefined where its process ended before it could tell. */
  readonly node: string | undefined
  readonly notRun: readonly NotRun[]
  /** False when the file could not be imported, so that none of its tests ran. */
  readonly loaded: boolean
  /** What keeps the process from running another file; undefined where nothing does. */
  readonly leftover: string | undefined
  /** The databases that it emptied, for later files of any process. */
  readonly spares: Spares
  /** What it took, with what its process took before its first file. */
  readonly cpu: CpuTime
}

declare global {
  var UVU_DEFER: number | undefined
}

// Keeps uvu from running suites by itself; must stand before anything imports it.
globalThis.UVU_DEFER = 1
globalThis.UVU_QUEUE = [[]]
await import('./support/suite.ts')

const cpu = cpuMeter()

async function runFile({ file, coverage, spares }: Order): Promise<Report> {
  const leftover = watchState()
  startFile(coverage)
  addSpares(spares)
  globalThis.UVU_QUEUE[0] = []
  const counts: Record<string, Count> = {}
  let loaded = true
  const count = (where: string): Count => {
    counts[where] ??= { passed: 0, failed: 0, skipped: 0 }
    return counts[where]
  }
  const fail = (message: string, error: unknown): void => {
    count('none').failed += 1
    console.error(`  ${message}\n`, error)
  }

  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    loaded = false
    fail('the file could not be loaded', error)
  }
  const runSuite = async (suite: RegisteredSuite): Promise<void> => {
    const tally = count(suite.database ?? 'none')
    if (suite.missing !== undefined) {
      tally.skipped += suite.tests
      return
    }
    const [errors, passed, , total] = await suite.run()
    if (typeof errors === 'string') console.error(withoutOwnFrames(errors))
    for (const error of suite.hookErrors) fail(`"${suite.name}": an after hook failed`, error)
    if (passed < total && errors === true) console.error(`  "${suite.name}" failed without a word`)
    tally.passed += passed
    tally.failed += total - passed
  }
  const queue = [...suites]
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await runSuite(next)
  }
  await Promise.all(Array.from({ length: suitesAtOnce() }, lane))
  try {
    await closeAll()
  } catch (error) {
    fail('a database could not be closed', error)
  }
  if (suites.length === 0 && notes.length === 0 && count('none').failed === 0) {
    fail('the file declares no suite', '')
  }
  const failed = Object.values(counts).some((tally) => tally.failed > 0)
  return {
    counts,
    coverage: coverageToTell(),
    node: process.version,
    notRun: [...notes],
    loaded,
    leftover: failed ? 'a failure' : await leftover(),
    spares: takeSpares(mostSpares),
    cpu: cpu(),
  }
}

/** The stack from the test on; how it was called by the frame helps nobody. */
function withoutOwnFrames(errors: string): string {
  return errors.replace(
    /^ +at .*(?:node_modules\/uvu\/|test\/support\/(?:suite|assert)\.ts).*\n/gm,
    '',
  )
}

// A runner that was stopped waits for no report.
process.on('disconnect', () => process.exit())

process.on('message', async (order: Order) => {
  const report = await runFile(order)
  const stays = order.next && report.leftover === undefined
  if (stays) {
    process.stdout.write(endOfFile)
    process.stderr.write(endOfFile)
  }
  process.send?.(report, () => {
    if (!stays) process.exit()
  })
})
