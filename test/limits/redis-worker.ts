/** A separate process whose API counts in a Redis that several processes share. */
import { createApi } from '@model-api/core'
import { redisRateLimitStore } from '@model-api/core/redis'
import { Book } from '../auth/people.ts'
import { everyDatabase } from '../support/databases.ts'
import { createTables } from '../support/tables.ts'
import { redisClient } from './redis-client.ts'

const [prefix = ''] = process.argv.slice(2)
const client = await redisClient()
const [db] = everyDatabase()
if (client === undefined || db === undefined) throw new Error('no Redis')
await createTables(db, [Book])
const api = createApi({
  db: db.kysely,
  models: [Book],
  config: {
    API_RATE_LIMIT: '30 per minute',
    API_RATE_LIMIT_STORE: redisRateLimitStore(client, { prefix }),
  },
})

process.on('message', async (times: number) => {
  const request = { method: 'GET', url: '/api/books', ip: '192.0.2.1' }
  const answers = await Promise.all(Array.from({ length: times }, () => api.handle(request)))
  process.send?.(answers.map(({ status }) => status))
})
process.on('disconnect', () => process.exit())
