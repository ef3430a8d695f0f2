// The connection of a request: the `db` of createApi, the result of the session getter, or an instance that the host passes (`givenInstance`).
// None may have a schema plugin that the API does not know of.

import type { Connections } from '../../database/connections.ts'
import { hasSchemaPlugin } from '../../dialect/shared/session/schema-plugin.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { SessionGetter } from '../../model/settings/config.ts'
import { settingNames } from '../../model/settings/setting-names.ts'

interface SessionParts {
  readonly callHook: CallHook
  /** Called with every instance that the getter returns, so that a second connection on a pool of one is noticed (`second-connection.ts`). */
  readonly watch: (db: AnyDatabase) => void
}

/** The connections of requests. */
type Sessions = Pick<Connections, 'session' | 'knownSession'>

/** Finds the connections of requests: the same one for each call of a request, synchronously once it is known. */
export function sessions(
  db: AnyDatabase,
  getter: SessionGetter | undefined,
  schema: string | undefined,
  { callHook, watch }: SessionParts,
): Sessions {
  refuseSchemaPlugin('createApi: `db`', db, schema)
  if (getter === undefined) return { session: () => db, knownSession: () => db }
  const open = async (request: ApiRequest): Promise<AnyDatabase> => {
    const session: unknown = await callHook('session getter', () => getter(request))
    if (!isInstance(session)) throw new Error(notAnInstance(session))
    refuseSchemaPlugin(`The instance of ${settingNames.sessionGetter}`, session, schema)
    watch(session)
    known.set(request, session)
    return session
  }
  const known = new WeakMap<ApiRequest, MaybePromise<AnyDatabase>>()
  return {
    session(request) {
      const session = known.get(request) ?? open(request)
      known.set(request, session)
      return session
    },
    knownSession(request) {
      const session = known.get(request)
      return session instanceof Promise ? undefined : session
    },
  }
}

/** Returns an instance that the host gives for some requests, as in `api.as(user, { db })`; throws for another value, and for an unknown schema plugin. */
export function givenInstance(
  what: string,
  db: unknown,
  schema: string | undefined,
  watch: SessionParts['watch'],
): AnyDatabase {
  if (!isInstance(db))
    throw new TypeError(`${what}: \`db\` must be a Kysely instance or a transaction.`)
  refuseSchemaPlugin(`${what}: \`db\``, db, schema)
  watch(db)
  return db
}

/** Whether a value is a Kysely instance. */
export const isInstance = (session: unknown): session is AnyDatabase =>
  typeof session === 'object' && session !== null && 'getExecutor' in session

const notAnInstance = (session: unknown): string =>
  `${settingNames.sessionGetter} returned ${session === null ? 'null' : typeof session}; it must return a Kysely instance or a transaction.`

/** Throws for a schema plugin without the `schema` option: generated statements run without plugins and would miss the schema. */
function refuseSchemaPlugin(what: string, db: AnyDatabase, schema: string | undefined): void {
  const problem = schemaPluginProblem(what, db, schema)
  if (problem !== undefined) throw new Error(problem)
}

/** Returns the problem with an instance that has a schema plugin without the `schema` option; undefined if there is none. */
export function schemaPluginProblem(
  what: string,
  db: AnyDatabase,
  schema: string | undefined,
): string | undefined {
  if (schema !== undefined || !hasSchemaPlugin(db)) return undefined
  return `${what} has a schema plugin (withSchema). Pass the schema as an option: createApi({ db, schema: 'library', … }).`
}
