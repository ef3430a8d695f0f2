/** What is measured: a server over one of the databases. Types only. */
import type { RequestListener } from 'node:http'
import type { DatabaseName } from '../databases.ts'

export interface System {
  /** Whether it is asked as model-api is, or by the name of the workload. */
  readonly asks: 'api' | 'own'
  readonly databases?: readonly DatabaseName[]
  open(name: DatabaseName): Promise<RequestListener>
}
