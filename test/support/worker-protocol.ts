/** The messages between the runner and its workers, besides the report of a file. */

import type { Coverage } from './choose-servers.ts'
import type { Spares } from './spare-databases.ts'

/** A file to run, and the servers that it runs on unless it declares them itself. */
export interface Order {
  readonly file: string
  readonly coverage: Coverage | undefined
  /** Databases that earlier files emptied. */
  readonly spares: Spares
  /** Whether the worker waits for another file, if this one leaves nothing behind. */
  readonly next: boolean
}

/** Marks the end of the output about a file, on stdout and on stderr. */
export const endOfFile = '\0end of file\0'
