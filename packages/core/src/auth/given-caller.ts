// GivenCaller: the sender of a request, if the host application says who it is. Types only.

import type { Caller } from '../access/roles/roles.ts'

export interface GivenCaller {
  /** The user; null or undefined for nobody. */
  readonly user: unknown
  /** The caller, if the roles of the user need not be looked up. */
  readonly caller?: Caller
  /** For requests of the client in the process: the requests, one inside another, whose hooks have made them. */
  readonly trail?: readonly string[]
}
