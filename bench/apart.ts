/** Runs measured servers on one processor and everything else on the other processors, with Linux's `taskset`. */
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const all = `0-${availableParallelism() - 1}`
const server = '0'
const others = `1-${availableParallelism() - 1}`

const placed = new Set<number>()

/** Moves all threads of a process, including threads that it starts later. Forgets a process or thread that has ended. */
function place(id: number, processors: string): void {
  try {
    execFileSync('taskset', ['-acp', processors, String(id)], { stdio: 'ignore' })
    placed.add(id)
  } catch {
    placed.delete(id)
  }
}

/** Moves this process away from the servers' processor. Throws an error that says why if that is impossible. */
export function placeSelf(): void {
  if (availableParallelism() < 2) throw new Error('--apart takes two processors')
  place(process.pid, others)
  if (!placed.has(process.pid)) throw new Error("--apart takes Linux's taskset")
}

export function placeServer(pids: readonly number[]): void {
  for (const pid of pids) place(pid, server)
}

/** Moves threads of the database; possible only on this machine, and only if this user may. */
export function placeDatabase(threads: readonly number[]): void {
  for (const thread of threads) if (!placed.has(thread)) place(thread, others)
}

/** Lets all moved threads use every processor again, because a database reuses its threads for other connections. */
export function leavePlaces(): void {
  for (const id of placed) place(id, all)
  placed.clear()
}
