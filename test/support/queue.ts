/** The order of the test files, which of them wait, and which need their own process. */
import type { Job } from './coverage.ts'

/** The jobs with the slowest files first. */
export const queueOf = (jobs: readonly Job[]): Job[] =>
  [...jobs].sort((a, b) => slowness(a.file) - slowness(b.file))

/** Which files a lane takes first. A `waiting` lane takes only files that wait, so it may end before the queue is empty. */
export type Lane = 'waiting' | 'waiting first' | 'computing first'

/** Returns `jobs` lanes for all files, the first of which prefers files that wait, and some further lanes only for files that wait. */
export function lanesOf(jobs: number): readonly Lane[] {
  return Array.from({ length: jobs + Math.floor(jobs / 3) }, (_, index) => {
    if (index >= jobs) return 'waiting'
    return index === 0 ? 'waiting first' : 'computing first'
  })
}

/** Takes the next job of a lane. */
export function takeJob(queue: Job[], lane: Lane): Job | undefined {
  const index = queue.findIndex(({ file }) => waits(file) === (lane !== 'computing first'))
  if (index < 0 && lane === 'waiting') return undefined
  return queue.splice(Math.max(0, index), 1)[0]
}

/** The files that mostly wait: for time limits, locks and servers. */
export const waiting: readonly string[] = [
  ...['faults/', 'cli/', 'writing/idempotency-faults', 'writing/batch-interrupted'],
  ...['writing/interrupted', 'writing/read-back', 'contract/batch-timeout', 'auth/refresh'],
  ...['writing/galera-conflicts', 'limits/store-away', 'schema-check/at-start', 'http/health'],
]

const waits = (file: string): boolean => waiting.some((start) => file.startsWith(start))

/** How the paths of the slowest files begin. */
export const slowest: readonly string[] = [
  ...['faults/silent', 'faults/', 'security/write-leaks', 'security/first-asker', 'packages/'],
  'runtimes/runtimes',
  ...['growth/', 'security/', 'served/', 'parity/', 'examples/', 'types/', 'writing/', 'cli/'],
  ...['property/', 'dialect/most', 'unit/support/file-process'],
]

function slowness(file: string): number {
  const index = slowest.findIndex((start) => file.startsWith(start))
  return index < 0 ? slowest.length : index
}

/** Whether a file needs its own process, because it measures the process or starts many processes and servers. */
export function needsOwnProcess(file: string): boolean {
  return /^(?:cli|examples|faults|growth|packages)\//.test(file)
}
