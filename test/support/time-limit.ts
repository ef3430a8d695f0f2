/** Time limits that grow with the load of the machine: a test that takes 5 s alone takes 50 s beside nine others. */
import { availableParallelism, loadavg } from 'node:os'

const largestFactor = 10

/** The number of processes that share a processor now, from 1 to 10. */
export const loadFactor = (): number =>
  Math.min(largestFactor, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))

/** Calls `over` with the time limit when it has passed: `base` milliseconds times the load. Returns a function that cancels the call. */
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
