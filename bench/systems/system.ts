/** What is measured: a server over one of the databases. Types only. */
import type { RequestListener } from 'node:http'
import type { AskedAs } from '../ask.ts'
import type { DatabaseName } from '../databases.ts'

export interface System {
  readonly asks: AskedAs
  /** Whether every request is of a user, who sends a token; default: no. */
  readonly users?: boolean
  /** Default: all. */
  readonly databases?: readonly DatabaseName[]
  /** Where it takes its drivers from, as the URL of a file there; default: from here. */
  readonly home?: string
  /** Whether it is there to be measured; default: yes. */
  readonly isInstalled?: () => boolean
  open(name: DatabaseName): Promise<RequestListener>
}
