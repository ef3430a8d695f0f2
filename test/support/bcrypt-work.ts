/** Counts the work of bcrypt: the rounds of the tasks that its threads are given, 2^cost for each hash. */
import { Worker } from 'node:worker_threads'

interface Task {
  readonly kind: 'hash' | 'compare'
  readonly cost?: number
  readonly stored?: string
  readonly padding?: readonly string[]
}

const roundsOf = (hash: string): number => 2 ** Number(hash.slice(4, 6))

/** Runs a function; returns its result, and the rounds of all comparisons and of all new hashes meanwhile. */
export async function countWork<T>(
  run: () => Promise<T>,
): Promise<{ result: T; work: number; hashing: number }> {
  const { postMessage } = Worker.prototype
  let work = 0
  let hashing = 0
  Worker.prototype.postMessage = function (task: Task, ...others) {
    if (task.kind === 'hash') hashing += 2 ** (task.cost ?? 0)
    else for (const hash of [task.stored ?? '', ...(task.padding ?? [])]) work += roundsOf(hash)
    postMessage.call(this, task, ...others)
  }
  try {
    return { result: await run(), work, hashing }
  } finally {
    Worker.prototype.postMessage = postMessage
  }
}
