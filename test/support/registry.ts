/** The declarations of a test file for the runner: its suites, what it cannot run, and what must be closed. */
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
  /** Why the suite cannot run, so that its tests count as skipped; undefined if it can. */
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

/** The servers that the file runs on; undefined for every server. */
export function coverageOfFile(): Coverage | undefined {
  hasAsked = true
  return coverage
}

/** The coverage for the closing lines; undefined for a file that uses no database. */
export const coverageToTell = (): Coverage | undefined =>
  hasAsked || declares ? coverage : undefined

/** How many suites of the file run at once. */
export const suitesAtOnce = (): number => atOnce

export function runAtOnce(number: number): void {
  atOnce = number
}

/** Declares the servers that the file runs on, before it opens databases. */
export function coverFile(where: Coverage): void {
  if (hasAsked) throw new Error('where a file runs is declared before it asks for databases')
  coverage = narrower(coverage, where)
  declares = true
}

/** Forgets the previous file. The next one runs on the servers of `where`, unless it declares fewer itself. */
export function startFile(where?: Coverage): void {
  suites.length = 0
  notes.length = 0
  coverage = where
  hasAsked = false
  declares = false
  atOnce = 1
}

const closers = new Set<() => Promise<void>>()

/** Calls `close` at the end of the file, also if the file fails. */
export function closeAtEnd(close: () => Promise<void>): void {
  closers.add(close)
}

/** Closes everything that is still open, then throws the first error, if there was one. */
export async function closeAll(): Promise<void> {
  const open = [...closers]
  closers.clear()
  const results = await Promise.allSettled(open.map((close) => close()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
