/** What one test file leaves behind for the runner: its suites, what it could not run, and what must be closed. */
import type { DatabaseName } from './databases.ts'

/** uvu's own result: error text or true, passed, skipped, number of tests. */
export type UvuResult = [errors: string | true, passed: number, skipped: number, total: number]

export interface RegisteredSuite {
  readonly name: string
  readonly run: () => Promise<UvuResult>
  /** Failures outside any test (an `after` hook), which uvu itself would lose. */
  readonly hookErrors: Error[]
  readonly database: DatabaseName | undefined
  readonly tests: number
  /** Set when the suite could not run; then its tests count as skipped. */
  readonly missing: string | undefined
}

export interface NotRun {
  readonly what: string
  readonly why: string
}

export const suites: RegisteredSuite[] = []
export const notes: NotRun[] = []

const closers = new Set<() => Promise<void>>()

/** Has `close` called when the file ends, however it ends. */
export function closeAtEnd(close: () => Promise<void>): void {
  closers.add(close)
}

/** Closes everything that is still open; one failure does not keep the others from closing. */
export async function closeAll(): Promise<void> {
  const open = [...closers]
  closers.clear()
  const results = await Promise.allSettled(open.map((close) => close()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
