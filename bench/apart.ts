/** Puts measured servers on a processor of their own, and everything else on the others; by Linux's `taskset`. */
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const all = `0-${availableParallelism() - 1}`
const server = '0'
const others = `1-${availableParallelism() - 1}`

const placed = new Set<number>()

/** All threads of a process, and those that it starts later; a thread that has ended meanwhile has no place. */
function place(id: number, processors: string): void {
  try {
    execFileSync('taskset', ['-acp', processors, String(id)], { stdio: 'ignore' })
    placed.add(id)
  } catch {
    placed.delete(id)
  }
}

/** Says why not, where it cannot be done. */
export function placeSelf(): void {
  if (availableParallelism() < 2) throw new Error('--apart takes two processors')
  place(process.pid, others)
  if (!placed.has(process.pid)) throw new Error("--apart takes Linux's taskset")
}

export function placeServer(pids: readonly number[]): void {
  for (const pid of pids) place(pid, server)
}

/** Databases on this machine only, and only where this user may. */
export function placeDatabase(threads: readonly number[]): void {
  for (const thread of threads) if (!placed.has(thread)) place(thread, others)
}

/** Threads of databases are used again by others. */
export function leavePlaces(): void {
  for (const id of placed) place(id, all)
  placed.clear()
}
