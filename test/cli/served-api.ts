/** An API that a module exports for `model-api serve`: people and books in the database TARGET; each response names its process. */
import { type ApiConfig, createApi } from '@model-api/core'
import { redisRateLimitStore } from '@model-api/core/redis'
import { openDatabase } from '@model-api/http-node'
import { Book, jwtKeys, User } from '../auth/people.ts'
import { redisClient } from '../limits/redis-client.ts'

/** LIMIT is the value of API_RATE_LIMIT; REDIS is the prefix of the counters in Redis, without which they are in memory. */
const { TARGET = '', LIMIT, REDIS } = process.env
const database = await openDatabase(TARGET)

async function limits(): Promise<ApiConfig> {
  if (LIMIT === undefined) return {}
  if (REDIS === undefined) return { API_RATE_LIMIT: LIMIT }
  const client = await redisClient()
  if (client === undefined) throw new Error('no Redis')
  const store = redisRateLimitStore(client, { prefix: REDIS })
  return { API_RATE_LIMIT: LIMIT, API_RATE_LIMIT_STORE: store }
}

export const api = createApi({
  db: database.db,
  models: [User, Book],
  config: {
    ...jwtKeys,
    // The password of a new user is required, but no request of these tests sets it.
    API_SCHEMA_CHECK: 'off',
    API_AUTH_REQUIREMENTS: { GET: false, POST: false },
    API_FINAL_CALLBACK: (body) => ({ ...(body as object), pid: process.pid }),
    ...(await limits()),
  },
})

export const close = database.close
