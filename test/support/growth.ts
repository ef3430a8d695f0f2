/**
 * Measures how the cost of a computation grows with its size. The cost is CPU time of this thread, which excludes other processes
 * and parallel garbage collection.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Costs below this many milliseconds are not compared, because compiling and collecting garbage may take as long. */
const floor = 20

/** Twice the size may cost three times as much; it costs four times as much if the growth is quadratic. */
const steepest = 3

/** The CPU time of this thread so far. */
export const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function costOf(run: () => unknown): Promise<number> {
  const before = cpuMilliseconds()
  await run()
  return cpuMilliseconds() - before
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/**
 * Measures a computation of the sizes n and 4n, and of 2n if the largest takes long enough to be compared. Returns undefined if
 * twice the size never costs more than three times as much; otherwise a text with the three costs.
 *
 * If the growth is too steep, measures again, with slightly larger sizes, so that no cache has the results, and compares the
 * smallest costs; a whole second series must be too steep as well. `prepare` returns the computation; its own cost is not measured.
 *
 * ```ts
 * await steepness(10_000, (n) => {
 *   const text = `1${'0'.repeat(n)}1`
 *   return () => /0+$/.test(text)
 * })
 * // '10000: 51.0 ms, 20000: 204.0 ms, 40000: 816.1 ms'
 * ```
 */
export async function steepness(
  n: number,
  prepare: (size: number) => () => unknown,
): Promise<string | undefined> {
  const first = await seriesOf(n, prepare)
  return first && (await seriesOf(n + mostRuns, prepare))
}

/** More than the times that one series measures a size. */
const mostRuns = 16

/** The costs of one series, if they are too steep. */
async function seriesOf(
  n: number,
  prepare: (size: number) => () => unknown,
): Promise<string | undefined> {
  const sizes = [n, 2 * n, 4 * n]
  const costs = new Map<number, number[]>(sizes.map((size) => [size, []]))
  const measure = async (size: number): Promise<void> => {
    const known = costs.get(size) ?? []
    const run = prepare(size + known.length)
    // Collects the garbage of earlier measurements before this one.
    if (known.length > 0) collectGarbage()
    known.push(await costOf(run))
  }
  const smallest = (size: number): number => Math.min(...(costs.get(size) ?? []))
  const isSteep = (): boolean =>
    sizes.slice(1).some((size) => smallest(size) > steepest * Math.max(smallest(size / 2), floor))
  // Measures the largest size first, because that is nearly always so fast that no comparison is needed.
  await measure(4 * n)
  if (smallest(4 * n) <= steepest * floor) return undefined
  await measure(n)
  // A time of more than a second varies less, so fewer measurements are enough.
  const times = smallest(4 * n) > 1000 ? 2 : 8
  for (let again = 0; again < times; again++) {
    await measure(2 * n)
    if (!isSteep()) return undefined
    await measure(n)
    await measure(4 * n)
  }
  return sizes.map((size) => `${size}: ${smallest(size).toFixed(1)} ms`).join(', ')
}
