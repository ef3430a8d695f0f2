/** What the runner and its workers say to each other, besides the report of a file. */

import type { Coverage } from './choose-servers.ts'

/** A file to run, and where, as far as it does not say so itself. */
export interface Order {
  readonly file: string
  readonly coverage: Coverage | undefined
  /** Wait for another file if this one left nothing behind. */
  readonly next: boolean
}

/** Ends what a worker prints about one file, on both of its outputs. */
export const endOfFile = '\0end of file\0'
