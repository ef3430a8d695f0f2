/** Declares suites, alone or once for each database. Only this file imports uvu. A failure anywhere in a suite makes the suite fail. */
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

/** The time limit of a test in milliseconds, on a machine without other load. */
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
 * Declares the same tests for SQLite and for every available server. Each call creates empty databases, which are dropped after
 * the last test; a missing server is reported as not run.
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

/** A suite about one database; its tests are counted for the server of that database. */
export function suiteOn(
  { label }: Pick<TestDatabase, 'label'>,
  name: string,
  define: (test: Test) => void,
): void {
  register(`${name} [${label}]`, define, { database: label })
}

/**
 * Declares that a file does not run on every server; the closing table says so. Call it before the suites are declared.
 *
 * runsOn('one server of each kind')
 */
export function runsOn(coverage: Coverage): void {
  coverFile(coverage)
}

/** Runs this many suites of a file at once, because they wait more than they compute. Each suite has its own databases. */
export function runsAtOnce(suites: number): void {
  runAtOnce(suites)
}

/**
 * Loads the module on demand, because loading Kysely would slow down tests without a database. Loads it synchronously, because
 * suites are declared synchronously.
 */
function databases(): typeof import('./databases.ts') {
  return createRequire(import.meta.url)('./databases.ts')
}

/** Reports in the closing table what was not tested, and why. */
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
    // uvu ignores errors of hooks. An error of `before` therefore fails every test, and the errors of `after` are kept for the
    // runner.
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

/** Runs the steps in order; returns what the first failing one threw, as an Error. */
async function failureOf(steps: readonly Step[]): Promise<Error | undefined> {
  try {
    for (const step of steps) await step()
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(`threw a non-Error: ${inspect(thrown)}`)
  }
}

/** The test that exceeded its time. It still runs beside later tests and could make them fail. */
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
