/** How the cost of something grows with its size: in CPU time of this process, so that other processes do not count. */

/** Milliseconds below which a cost counts as nothing: a compilation or a garbage collection takes as long. */
const floor = 5

/** A doubling may cost three times as much; the square costs four times. */
const most = 3

const cpuMilliseconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function costOf(run: () => unknown): Promise<number> {
  const before = cpuMilliseconds()
  await run()
  return cpuMilliseconds() - before
}

/**
 * Runs something of sizes n, 2n and 4n. Undefined where no doubling costs more than three times as much; otherwise the
 * three costs, for a message. What looks too steep is measured again, and the smallest of each size counts.
 *
 * ```ts
 * await steepness(10_000, (n) => /0+$/.test(`1${'0'.repeat(n)}1`)) // '10000: 51 ms, 20000: 204 ms, 40000: 816 ms'
 * ```
 */
export async function steepness(
  n: number,
  run: (size: number) => unknown,
): Promise<string | undefined> {
  const sizes = [n, 2 * n, 4 * n]
  const costs = sizes.map(() => Number.POSITIVE_INFINITY)
  const isSteep = (i: number): boolean =>
    i > 0 && (costs[i] ?? 0) > most * Math.max(costs[i - 1] ?? 0, floor)
  const measure = async (i: number): Promise<void> => {
    const cost = await costOf(() => run(sizes[i] ?? 0))
    costs[i] = Math.min(costs[i] ?? cost, cost)
  }
  for (let i = 0; i < sizes.length; i++) {
    await measure(i)
    for (let again = 0; isSteep(i) && again < 5; again++) {
      await measure(i)
      await measure(i - 1)
    }
    // A larger size of what is steep already might take minutes.
    if (isSteep(i)) {
      return sizes
        .slice(0, i + 1)
        .map((size, k) => `${size}: ${(costs[k] ?? 0).toFixed(1)} ms`)
        .join(', ')
    }
  }
  return undefined
}
