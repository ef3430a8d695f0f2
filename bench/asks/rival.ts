/** RivalAsks: the requests of each workload to a rival, and how to read its responses. Types only. */

import type { Ask, Form, Found } from '../ask.ts'
import type { Answer } from '../client.ts'

export interface RivalAsks {
  /**
   * Makes the request of a read, by the name of the workload, from the same random numbers as the request to model-api. A missing
   * name means that the rival does not support the workload.
   */
  readonly reads: Readonly<Record<string, (...args: number[]) => Ask>>
  /** Workloads that choose their own random values: writes, and pages by cursor. */
  readonly others: Readonly<Record<string, Form>>
  /** Reads a response; throws if it contains an error although its status is a success. */
  found(answer: Answer): Found
}
