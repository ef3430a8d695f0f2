// The database of a call of the host application, such as `api.refreshTokens.revokeAll(user, { db })`: that of the API, or an instance or
// transaction of the host.

import type { Kysely } from 'kysely'
import type { AnyDatabase } from './any-database.ts'

/** The option of calls that may run in a transaction of the application. */
export interface OnDatabase {
  /** The Kysely instance or transaction that the call uses. Default: the `db` of `createApi`. */
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db?: Kysely<any> | undefined
}

/** Returns the database of a call; `what` names the call in the error for a value that is no instance. */
export type DatabaseOfCall = (what: string, options?: OnDatabase) => AnyDatabase
