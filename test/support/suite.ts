/** The one door to uvu: suites that cannot be green while red, on every database if wanted. */
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import * as uvu from 'uvu'
import type { Coverage } from './choose-servers.ts'
import type { DatabaseName, OpenOptions, TestDatabase } from './databases.ts'
import { coverFile, notes, runAtOnce, suites, type UvuResult } from './registry.ts'
import { whenOver } from './time-limit.ts'

type Step = () => void | Promise<void>

interface Hook {
  (step: Step): void
  /** Runs around every test of the suite. */
  each(step: Step): void
}

export interface Test {
  (title: string, step: Step): void
  before: Hook
  after: Hook
}

interface SuiteOptions {
  readonly database?: string
  readonly missing?: string | undefined
}

declare global {
  var UVU_INDEX: number | undefined
  var UVU_QUEUE: (null | (() => Promise<UvuResult>))[][]
}

/** On a machine with nothing else to do. */
const testTimeoutMs = Number(process.env.TEST_TIMEOUT_MS ?? 30_000)

/**
 * Declares a suite and hands it to the runner.
 *
 * suite('addition', (test) => {
 *   test('is commutative', () => equal(1 + 2, 2 + 1))
 * })
 */
export function suite(name: string, define: (test: Test) => void): void {
  register(name, define, {})
}

export interface DatabaseOptions extends OpenOptions {
  /** The databases of this kind alone. */
  readonly only?: DatabaseName
}

/**
 * The same cases on SQLite and every server that is here. Each call has databases of its own, empty at the
 * start and dropped after the last test; a database that is not there is reported as not run.
 */
export function eachDatabase(
  name: string,
  define: (test: Test, db: TestDatabase) => void,
  { only, ...options }: DatabaseOptions = {},
): void {
  for (const db of databases().everyDatabase(options)) {
    if (only !== undefined && db.name !== only) continue
    const withDatabase = (test: Test): void => {
      define(test, db)
      test.after(() => db.close())
    }
    register(`${name} [${db.label}]`, withDatabase, { database: db.label, missing: db.missing })
  }
}

/** A suite about one database, under whose server its tests count. */
export function suiteOn(
  { label }: Pick<TestDatabase, 'label'>,
  name: string,
  define: (test: Test) => void,
): void {
  register(`${name} [${label}]`, define, { database: label })
}

/**
 * Declares that a file does not run on every server; the closing table names it. Stands before the suites.
 *
 * runsOn('one server of each kind')
 */
export function runsOn(coverage: Coverage): void {
  coverFile(coverage)
}

/**
 * Declares that as many suites of a file run at once, because they wait more than they compute. Each has databases of its
 * own.
 */
export function runsAtOnce(suites: number): void {
  runAtOnce(suites)
}

/** Loaded on demand and at once: pure tests should not pay for Kysely. */
function databases(): typeof import('./databases.ts') {
  return createRequire(import.meta.url)('./databases.ts')
}

/** Says in the closing table that something was not tested here, and why. */
export function notRun(what: string, why: string): void {
  if (notes.some((note) => note.what === what && note.why === why)) return
  notes.push({ what, why })
}

function register(name: string, define: (test: Test) => void, options: SuiteOptions): void {
  const cases: { title: string; step: Step }[] = []
  const hooks = {
    before: [] as Step[],
    after: [] as Step[],
    beforeEach: [] as Step[],
    afterEach: [] as Step[],
  }
  const add = (title: string, step: Step): void => {
    if (cases.some((other) => other.title === title)) {
      throw new Error(`suite "${name}": two tests are called "${title}"`)
    }
    cases.push({ title, step })
  }
  define(Object.assign(add, {
    before: hook(hooks.before, hooks.beforeEach),
    after: hook(hooks.after, hooks.afterEach),
  }))
  if (cases.length === 0) throw new Error(`suite "${name}" has no tests`)

  const inner = uvu.suite(name)
  const hookErrors: Error[] = []
  let beforeError: Error | undefined
  if (options.missing === undefined) {
    // uvu drops what its hooks throw: a failed `before` fails every test instead, and the rest
    // is kept for the runner.
    inner.before(async () => {
      beforeError = await failureOf(hooks.before)
    })
    inner.after(async () => {
      const error = await failureOf(hooks.after)
      if (error !== undefined) hookErrors.push(error)
    })
    for (const { title, step } of cases) {
      inner(title, async () => {
        if (beforeError !== undefined) throw beforeError
        if (overran !== undefined) throw new Error(`not run: "${overran}" may still be running`)
        const error =
          (await failureOf([...hooks.beforeEach, () => inTime(title, step)])) ??
          (await failureOf(hooks.afterEach))
        if (error !== undefined) throw error
      })
    }
  }
  inner.run()
  const run = globalThis.UVU_QUEUE[globalThis.UVU_INDEX ?? 0]?.at(-1)
  if (run === null || run === undefined) throw new Error('uvu no longer queues suites as expected')
  suites.push({
    name,
    run,
    hookErrors,
    database: options.database,
    tests: cases.length,
    missing: options.missing,
  })
}

function hook(once: Step[], each: Step[]): Hook {
  return Object.assign((step: Step) => void once.push(step), {
    each: (step: Step) => void each.push(step),
  })
}

/** Runs the steps in order; the first failure as an Error, whatever was thrown. */
async function failureOf(steps: readonly Step[]): Promise<Error | undefined> {
  try {
    for (const step of steps) await step()
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(`threw a non-Error: ${inspect(thrown)}`)
  }
}

/** The test that did not end in time: it runs on beside those after it, which would fail for its sake. */
let overran: string | undefined

async function inTime(title: string, step: Step): Promise<void> {
  let stop = (): void => {}
  const tooLate = new Promise<never>((_, reject) => {
    stop = whenOver(testTimeoutMs, (limit) => {
      overran = title
      reject(new Error(`"${title}" did not settle within ${limit} ms`))
    })
  })
  try {
    await Promise.race([step(), tooLate])
  } finally {
    stop()
  }
}
