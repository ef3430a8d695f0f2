// Connections: the databases of an API, and what is known of them. Types only.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { Readiness } from '../execute/readiness.ts'
import type { Replicas } from '../execute/replicas.ts'
import type { ApiRequest } from '../http/request.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { AnyDatabase } from '../sql/any-database.ts'

export interface Connections {
  /** The `db` of `createApi`. */
  readonly root: AnyDatabase
  /** The schema of the service's own tables, and of models that name none. */
  readonly schema: string | undefined
  /** The connected dialect; inside a transaction its look-up runs on that connection. */
  dialect(on?: AnyDatabase): MaybePromise<InternalDialect>
  /** The connection of a request: `db`, or what API_SESSION_GETTER returns. */
  session(request: ApiRequest): MaybePromise<AnyDatabase>
  /** The read replicas; undefined if there are none. */
  readonly replicas: Replicas | undefined
  /** The state of the health route. */
  readonly readiness: Readiness
}
