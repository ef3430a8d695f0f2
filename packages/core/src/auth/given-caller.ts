// GivenCaller: the sender of the requests of `api.as(user)`, of the clients in hooks, and of requests with a `user` that the host passes to
// `api.handle`: these need no authentication. Types only.

import type { Caller } from '../access/roles/roles.ts'

/** Who sends the requests; takes the place of credentials. */
export interface GivenCaller {
  /** The user; `true` for a user without a record, null or undefined for nobody. */
  readonly user: unknown
  /** The caller, if the roles of the user need not be looked up. */
  readonly caller?: Caller
  /**
   * For requests that hooks make: the requests, one inside another, whose hooks have made them, `['POST of Book', 'POST of Author']`. A
   * limit of its length ends hooks that call each other forever.
   */
  readonly trail?: readonly string[]
}
