/** How a rival is asked and understood. Types only. */

import type { Ask, Form, Found } from '../ask.ts'
import type { Answer } from '../client.ts'

export interface RivalAsks {
  /** By the name of the workload, given what its own form is given; what is missing cannot be asked. */
  readonly reads: Readonly<Record<string, (...args: number[]) => Ask>>
  /** Workloads that draw otherwise. */
  readonly others: Readonly<Record<string, Form>>
  /** Reads an answer; throws where it is an error under a status of success. */
  found(answer: Answer): Found
}
