/** Runs one test file in a process of its own and sends the tally to the runner. */
import { pathToFileURL } from 'node:url'
import type { DatabaseName } from './support/databases.ts'
import { closeAll, type NotRun, notes, suites } from './support/registry.ts'

export interface Count {
  passed: number
  failed: number
  skipped: number
}

export interface Report {
  /** By database; `none` for suites that need no database. */
  readonly counts: Partial<Record<DatabaseName | 'none', Count>>
  readonly notRun: readonly NotRun[]
  /** False when the file could not be imported, so that none of its tests ran. */
  readonly loaded: boolean
}

declare global {
  var UVU_DEFER: number | undefined
}

async function runFile(file: string): Promise<Report> {
  const counts: Partial<Record<DatabaseName | 'none', Count>> = {}
  let loaded = true
  const count = (where: DatabaseName | 'none'): Count => {
    counts[where] ??= { passed: 0, failed: 0, skipped: 0 }
    return counts[where]
  }
  const fail = (message: string, error: unknown): void => {
    count('none').failed += 1
    console.error(`  ${message}\n`, error)
  }

  // Keeps uvu from running suites by itself; must stand before the file imports it.
  globalThis.UVU_DEFER = 1
  globalThis.UVU_QUEUE = [[]]
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    loaded = false
    fail('the file could not be loaded', error)
  }
  for (const suite of suites) {
    const tally = count(suite.database ?? 'none')
    if (suite.missing !== undefined) {
      tally.skipped += suite.tests
      continue
    }
    const [errors, passed, , total] = await suite.run()
    if (typeof errors === 'string') console.error(withoutOwnFrames(errors))
    for (const error of suite.hookErrors) fail(`"${suite.name}": an after hook failed`, error)
    if (passed < total && errors === true) console.error(`  "${suite.name}" failed without a word`)
    tally.passed += passed
    tally.failed += total - passed
  }
  try {
    await closeAll()
  } catch (error) {
    fail('a database could not be closed', error)
  }
  if (suites.length === 0 && notes.length === 0 && count('none').failed === 0) {
    fail('the file declares no suite', '')
  }
  return { counts, notRun: notes, loaded }
}

/** The stack from the test on; how it was called by the frame helps nobody. */
function withoutOwnFrames(errors: string): string {
  return errors.replace(
    /^ +at .*(?:node_modules\/uvu\/|test\/support\/(?:suite|assert)\.ts).*\n/gm,
    '',
  )
}

process.once('message', async (file: string) => {
  const report = await runFile(file)
  process.send?.(report, () => process.exit())
})
