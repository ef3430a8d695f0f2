/**
 * The server of a soak test in a separate process, with logins: `soak-server.ts <url>`. Collects garbage and reports its memory on
 * request.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi, defineModel, passwordCheck } from '@model-api/core'
import { preparedPg } from '@model-api/core/drivers'
import { listener } from '@model-api/http-node'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { poolSize } from './databases.ts'
import { models } from './models.ts'

/** Memory in bytes, after a garbage collection. */
export interface Memory {
  readonly heap: number
  /** Memory outside the heap, such as buffers. */
  readonly external: number
  readonly rss: number
  /** The errors that the API has reported to `onError`. */
  readonly errors: readonly string[]
}

const User = defineModel('User', {
  table: 'soak_users',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80, unique: true },
    password_hash: { type: 'string', maxLength: 80 },
  },
  methods: { check: passwordCheck('password_hash') },
})

const [url = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: poolSize })
const db = new Kysely<Record<string, never>>({
  dialect: new PostgresDialect({ pool: preparedPg(pool) }),
})
const errors: string[] = []
const api = createApi({
  db,
  models,
  config: {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
    API_SERIALIZATION_TYPE: 'dynamic',
    API_AUTHENTICATE_METHOD: ['jwt'],
    API_AUTH_REQUIREMENTS: { GET: false, POST: false, PATCH: false, DELETE: false },
    API_USER_MODEL: User,
    API_USER_LOOKUP_FIELD: 'name',
    API_CREDENTIAL_CHECK_METHOD: 'check',
    ACCESS_SECRET_KEY: 'access: known to everybody who reads this',
    REFRESH_SECRET_KEY: 'refresh: known to everybody who reads this',
    API_LOGIN_RATE_LIMIT: '1000000 per minute',
    // A limit that is never reached, so that counting is part of the load.
    API_RATE_LIMIT: '100000000 per minute',
  },
  onWarning: () => {},
  onError: (error) => {
    if (errors.length < 10) errors.push(String(error))
  },
})
await api.ready
const server = createServer(listener(api))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})

process.on('message', () => {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc')
  // Collects twice: the second collection frees the objects that the first one finalises.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ heap: heapUsed, external, rss, errors } satisfies Memory)
})
process.on('disconnect', () => process.exit())
