/** Which test files run in which order, which of them twice, and which in a process of their own. */
import type { Way } from './path.ts'

/** A file, and the way that its requests take. */
export interface Job {
  readonly file: string
  readonly way: Way
}

/** The slowest first: what is slow must not start last. With a way, every file on this way alone. */
export function queueOf(files: readonly string[], only?: Way): Job[] {
  const queue =
    only === undefined
      ? files.flatMap((file) => waysOf(file).map((way) => ({ file, way })))
      : files.map((file) => ({ file, way: only }))
  return queue.sort((a, b) => slowness(a.file) - slowness(b.file))
}

/** Which files a lane takes. Only `waiting` ends before the queue does. */
export type Lane = 'waiting' | 'waiting first' | 'computing first'

/** So many lanes that may compute, the first of which has files that wait while there are any; and some that only wait. */
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

/** Files that wait for time limits, locks and servers, while others compute. */
function waits(file: string): boolean {
  return /^(?:faults|cli)\/|^writing\/(?:idempotency-faults|interrupted)|^auth\/refresh/.test(file)
}

/** How the paths of the slowest files begin. */
export const slowest: readonly string[] = [
  ...['faults/silent', 'faults/', 'security/write-leaks', 'security/first-asker', 'packages/'],
  'runtimes/runtimes',
  ...['growth/', 'security/', 'parity/', 'writing/', 'cli/', 'property/', 'regression/most'],
]

function slowness(file: string): number {
  const index = slowest.findIndex((start) => file.startsWith(start))
  return index < 0 ? slowest.length : index
}

/**
 * Files that prove answers equal, what nobody may see, and what a write in a transaction does, run again on the plain ways.
 * Others, the rest of parity/ among them, compare the ways themselves, or say what no way changes.
 */
const plainToo = [
  /^golden\//,
  /^parity\/parity/,
  /^property\/(?:differential|links|pages|random)/,
  /^security\/(?:\w+-)?leaks/,
  /^security\/non-interference/,
  /^writing\/(?:one-record|removal|violations)/,
]

/** Files about what can be asked of a list: what they expect of GET, they expect of QUERY. */
const queryToo = [
  /^golden\//,
  /^contract\/(?:counting-and-paging|far-pages|filtering|grouping|joins|json-paths|keyless|mistakes|search|serialisation)\./,
]

/** Files about rights: what they expect of a request, they expect of it in a batch. */
const batchToo = [
  /^contract\/column-rights/,
  /^security\/(?:scope|user-roles)\./,
  /^writing\/(?:policy-refusals|rights-first)/,
]

function waysOf(file: string): readonly Way[] {
  const further = { plain: plainToo, query: queryToo, batch: batchToo }
  const ways = Object.entries(further).filter(([, files]) => files.some((one) => one.test(file)))
  return ['usual', ...ways.map(([way]) => way as Way)]
}

/** Files that measure their process, or start and end so many things that nothing is left to share. */
export function needsOwnProcess(file: string): boolean {
  return /^(?:cli|examples|faults|growth|packages)\//.test(file)
}
