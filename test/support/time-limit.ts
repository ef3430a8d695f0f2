/** Time limits that grow with the load of the machine: what takes 5 s alone takes 50 s beside nine others. */
import { availableParallelism, loadavg } from 'node:os'

const largestFactor = 10

/** How many processes share a processor at the moment, from 1 to 10. */
const loadFactor = (): number =>
  Math.min(largestFactor, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))

/**
 * Calls `over` with the limit that was passed, in milliseconds, when `base` times the load has gone by. Returns what
 * stops the watch.
 */
export function whenOver(base: number, over: (limit: number) => void): () => void {
  const started = performance.now()
  let timer: NodeJS.Timeout
  const look = (): void => {
    const limit = base * loadFactor()
    const left = started + limit - performance.now()
    if (left <= 0) over(Math.round(limit))
    else timer = setTimeout(look, left)
  }
  timer = setTimeout(look, base)
  return () => clearTimeout(timer)
}
