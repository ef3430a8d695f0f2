/** The order of the test files, the ways in which each runs, and which files need their own process. */
import type { Extent } from './extent.ts'
import type { Way } from './path.ts'

/** A file, and the way in which its requests are sent. */
export interface Job {
  readonly file: string
  readonly way: Way
}

/** The jobs of a run, with the slowest files first. `only`: every file runs in this way alone. */
export function queueOf(files: readonly string[], extent: Extent, only?: Way): Job[] {
  const queue =
    only === undefined
      ? files.flatMap((file) => waysOf(file, extent).map((way) => ({ file, way })))
      : files.map((file) => ({ file, way: only }))
  return queue.sort((a, b) => slowness(a.file) - slowness(b.file))
}

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
  ...['prepared/mysql-conflicts', 'limits/store-away', 'schema-check/at-start', 'http/health'],
]

const waits = (file: string): boolean => waiting.some((start) => file.startsWith(start))

/** How the paths of the slowest files begin. */
export const slowest: readonly string[] = [
  ...['faults/silent', 'faults/', 'security/write-leaks', 'security/first-asker', 'packages/'],
  'runtimes/runtimes',
  ...['growth/', 'security/', 'served/', 'parity/', 'examples/', 'types/', 'writing/', 'cli/'],
  ...['property/', 'regression/most', 'unit/support/file-process'],
]

function slowness(file: string): number {
  const index = slowest.findIndex((start) => file.startsWith(start))
  return index < 0 ? slowest.length : index
}

/**
 * Files that also run in the plain way: files that compare whole responses, look for leaks, or write in transactions. Of the other
 * files, some compare the ways themselves (the rest of `parity/`), and some test nothing that the way could change.
 */
const plainToo = [
  /^golden\//,
  /^parity\/parity/,
  /^property\/(?:differential|links|pages|random)/,
  /^security\/(?:\w+-)?leaks/,
  /^security\/non-interference/,
  /^writing\/(?:one-record|removal|violations)/,
]

/** Files about lists, in which a QUERY must give the same response as a GET. */
const queryToo = [
  /^golden\//,
  /^contract\/(?:counting-and-paging|far-pages|filtering|grouping|joins|json-paths|keyless|mistakes|search|serialisation)\./,
]

/**
 * Files about rights and hooks, in which a batch of one must give the same response as the request alone, and call the same hooks. What
 * differs by design, such as the transaction of reads, is said in the files.
 */
const batchToo = [
  /^contract\/(?:bulk-methods|column-rights)/,
  /^docs\/hooks/,
  /^hooks\/(?!full-pool)/,
  /^regression\/statements-that-hooks-do-not-await/,
  /^security\/(?:scope|user-roles)\./,
  /^writing\/(?:on-delete|lists-with-references|policy-refusals|removal-names)/,
  /^writing\/(?:required-if-match|restored-references|rights-first|upserts-without-changes)/,
  /^writing\/(?:immutable-fields|links-by-name|roles-of-upserts)/,
]

/**
 * The files of `plainToo` that a usual run leaves out, because `security/first-asker` already compares the plain dialect with the
 * shortcuts for every request of these files.
 */
const plainWhenWhole = /^security\/(?:(?:write-)?leaks|non-interference)/

function waysOf(file: string, extent: Extent): readonly Way[] {
  const further = { plain: plainToo, query: queryToo, batch: batchToo }
  const ways = Object.entries(further).filter(([way, files]) => {
    if (extent === 'usual' && way === 'plain' && plainWhenWhole.test(file)) return false
    return files.some((one) => one.test(file))
  })
  return ['usual', ...ways.map(([way]) => way as Way)]
}

/** The jobs of a whole run that this one leaves out. */
export function jobsLeftOut(files: readonly string[], extent: Extent): Job[] {
  return files.flatMap((file) => {
    const ways = waysOf(file, extent)
    return waysOf(file, 'whole').flatMap((way) => (ways.includes(way) ? [] : [{ file, way }]))
  })
}

/** Whether a file needs its own process, because it measures the process or starts many processes and servers. */
export function needsOwnProcess(file: string): boolean {
  return /^(?:cli|examples|faults|growth|packages)\//.test(file)
}
