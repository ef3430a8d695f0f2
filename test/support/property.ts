/** Settings of property tests: the number of runs and the seed. PROPERTY_RUNS and PROPERTY_SEED change them. */
import fc from 'fast-check'
import { extent } from './extent.ts'
import { notRun, type Test } from './suite.ts'

export const propertySeed = Number(process.env.PROPERTY_SEED ?? 20260102)

/** PROPERTY_RUNS multiplies the default number of runs: 10 means ten times as many. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1)

/**
 * The share of its cases that a property checks in this test run. The seeds are the same, so a whole run begins with the cases of a
 * usual one.
 */
const share = extent === 'whole' ? 1 : 1 / 4

/** Returns the number of cases for this test run, from their number in a whole run. */
export function shareOf(runs: number): number {
  if (share < 1) notRun('random cases', `three of four, from seed ${propertySeed}`)
  return Math.ceil(runs * share * factor)
}

/** One test per batch, so that long runs do not need long tests. */
export function batches(
  test: Test,
  title: string,
  runs: number,
  run: (parameters: { numRuns: number; seed: number }) => Promise<void>,
): void {
  const size = 25
  const total = shareOf(runs)
  for (let start = 0; start < total; start += size) {
    const numRuns = Math.min(size, total - start)
    test(`${title}, ${start + 1} to ${start + numRuns}`, () =>
      run({ numRuns, seed: propertySeed + start }))
  }
}

const shrinkMs = 10_000

/** Checks a property; the error describes the smallest case found, with the seed and the path that reproduce it. */
export async function check<Case>(
  arbitrary: fc.Arbitrary<Case>,
  parameters: { numRuns: number; seed: number },
  /** Returns what is wrong, or undefined. */
  run: (given: Case) => Promise<string | undefined>,
): Promise<void> {
  const problems = new Map<Case, string>()
  // Stops shrinking after `shrinkMs`, before the test times out, by letting every later case pass.
  let shrinkUntil = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(arbitrary, async (given) => {
    if (performance.now() > shrinkUntil) return
    const problem = await run(given)
    if (problem === undefined) return
    if (problems.size === 0) shrinkUntil = performance.now() + shrinkMs
    problems.set(given, problem)
    throw new Error(problem)
  })
  const result = await fc.check(property, parameters)
  if (!result.failed) return
  const [smallest] = result.counterexample ?? []
  const problem = problems.get(smallest as Case) ?? String(result.errorInstance)
  const error = new Error(`${problem}\nseed ${result.seed}, path ${result.counterexamplePath}`)
  // The stack trace would show only this function.
  error.stack = ''
  throw error
}
