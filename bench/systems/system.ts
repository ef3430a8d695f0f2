/** System: a server over one of the databases, to be measured. Types only. */
import type { RequestListener } from 'node:http'
import type { AskedAs } from '../ask.ts'
import type { DatabaseName } from '../databases.ts'

export interface System {
  readonly asks: AskedAs
  /** Whether users send the requests, each with a token. Default: false. */
  readonly users?: boolean
  /** Default: all. */
  readonly databases?: readonly DatabaseName[]
  /** The URL of the file from which its drivers are resolved. Default: this folder. */
  readonly home?: string
  /** Whether it sends its statements by another driver than `pg`, `mysql2` and `better-sqlite3`, so that they are not counted. Default: false. */
  readonly hasOtherDriver?: boolean
  /** Whether the system is installed. Default: true. */
  readonly isInstalled?: () => boolean
  open(name: DatabaseName): Promise<RequestListener>
}
