/** What one test file leaves behind for the runner: its suites, what it could not run, and what must be closed. */
import { type Coverage, narrower } from './choose-servers.ts'

/** uvu's own result: error text or true, passed, skipped, number of tests. */
export type UvuResult = [errors: string | true, passed: number, skipped: number, total: number]

export interface RegisteredSuite {
  readonly name: string
  readonly run: () => Promise<UvuResult>
  /** Failures outside any test (an `after` hook), which uvu itself would lose. */
  readonly hookErrors: Error[]
  /** The label of its database. */
  readonly database: string | undefined
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

let coverage: Coverage | undefined
let hasAsked = false
let declares = false
let atOnce = 1

/** Where the file runs if not on every server. */
export function coverageOfFile(): Coverage | undefined {
  hasAsked = true
  return coverage
}

/** The coverage that the closing lines name; undefined for a file that uses no database. */
export const coverageToTell = (): Coverage | undefined =>
  hasAsked || declares ? coverage : undefined

/** How many suites of the file run at once. */
export const suitesAtOnce = (): number => atOnce

export function runAtOnce(number: number): void {
  atOnce = number
}

/** Declares where the file runs, before it asks for its databases. */
export function coverFile(where: Coverage): void {
  if (hasAsked) throw new Error('where a file runs is declared before it asks for databases')
  coverage = narrower(coverage, where)
  declares = true
}

/** Forgets the file before; the next runs there, as far as it does not say so itself. */
export function startFile(where?: Coverage): void {
  suites.length = 0
  notes.length = 0
  coverage = where
  hasAsked = false
  declares = false
  atOnce = 1
}

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
