// Connections: the databases of an API, their dialect and their state, made once by `createApi` (`http/call/create-connections.ts`).
// Types only.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { AnyDatabase } from '../lib/sql/any-database.ts'
import type { ApiRequest } from '../model/request.ts'
import type { Readiness } from './readiness.ts'
import type { Replicas } from './replicas/replicas.ts'
import type { SharedCounts } from './shared-counts.ts'

export interface Connections {
  /** The `db` of `createApi`. */
  readonly root: AnyDatabase
  /** The schema of the service's own tables, and of models that name none; undefined: the connection's default schema. */
  readonly schema: string | undefined
  /**
   * Returns the dialect of the database. If it has to query the database first, it does so on the connection `on`, which a
   * transaction passes.
   */
  dialect(on?: AnyDatabase): MaybePromise<InternalDialect>
  /** Returns the connection of a request: the result of API_SESSION_GETTER, else `db`. */
  session(request: ApiRequest): MaybePromise<AnyDatabase>
  /** Returns the connection of a request if API_SESSION_GETTER need not be called for it. */
  knownSession(request: ApiRequest): AnyDatabase | undefined
  /** The read replicas; undefined if there are none. */
  readonly replicas: Replicas | undefined
  /** Results of count statements on `root` that concurrent requests share. */
  readonly counts: SharedCounts
  /** Whether the service is ready, as the health route reports it. */
  readonly readiness: Readiness
}
