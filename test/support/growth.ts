/** How the cost of something grows with its size: in CPU time of this thread, so that neither other processes nor the collectors of garbage beside it count. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds below which a cost counts as nothing: compilations and garbage collections take as long. */
const floor = 20

/** A doubling may cost three times as much; the square costs four times. */
const steepest = 3

/** What this thread has computed. */
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
 * Measures something of sizes n and 4n, and of 2n where that took long enough to tell. Undefined where no doubling costs
 * more than three times as much; otherwise the three costs, for a message.
 *
 * What looks too steep is measured again, each time a little larger, so that no cache knows it; the smallest cost of each
 * size counts. `prepare` makes what is measured, and is not measured itself.
 *
 * ```ts
 * await steepness(10_000, (n) => {
 *   const text = `1${'0'.repeat(n)}1`
 *   return () => /0+$/.test(text)
 * }) // '10000: 51.0 ms, 20000: 204.0 ms, 40000: 816.1 ms'
 * ```
 */
export async function steepness(
  n: number,
  prepare: (size: number) => () => unknown,
): Promise<string | undefined> {
  const sizes = [n, 2 * n, 4 * n]
  const costs = new Map<number, number[]>(sizes.map((size) => [size, []]))
  const measure = async (size: number): Promise<void> => {
    const known = costs.get(size) ?? []
    const run = prepare(size + known.length)
    // What was left behind by smaller sizes is not collected at the cost of this one.
    if (known.length > 0) collectGarbage()
    known.push(await costOf(run))
  }
  const smallest = (size: number): number => Math.min(...(costs.get(size) ?? []))
  const isSteep = (): boolean =>
    sizes.slice(1).some((size) => smallest(size) > steepest * Math.max(smallest(size / 2), floor))
  await measure(n)
  await measure(4 * n)
  if (smallest(4 * n) <= steepest * floor) return undefined
  // What takes so long is no accident.
  const times = smallest(4 * n) > 1000 ? 2 : 8
  for (let again = 0; again < times; again++) {
    await measure(2 * n)
    if (!isSteep()) return undefined
    await measure(n)
    await measure(4 * n)
  }
  return sizes.map((size) => `${size}: ${smallest(size).toFixed(1)} ms`).join(', ')
}
