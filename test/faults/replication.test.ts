/** Real replication: a read may come from a lagging replica, unless it carries the position of a write. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, createApi, defineModel } from '@model-api/core'
import { type OpenDatabase, openDatabase } from '@model-api/http-node'
import { sql } from 'kysely'
import { get, send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { type ReplicatedServer, type ServerName, startReplicated } from '../support/servers.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'

runsOn('servers that it starts itself')

const Counter = defineModel('Counter', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    value: { type: 'integer' },
  },
  meta: {},
})

for (const name of ['postgres', 'mysql'] as const) await replicationSuite(name)

async function replicationSuite(name: ServerName): Promise<void> {
  const servers = await startReplicated(name)
  if ('lacks' in servers) {
    notRun(`replication of ${name}`, servers.lacks)
    return
  }
  suite(`replication of ${name}`, (test) => {
    let primary: OpenDatabase
    let replica: OpenDatabase
    const warnings: string[] = []
    const apiWith = (API_READ_YOUR_WRITES: 'off' | 'header' | 'cookie'): Api =>
      createApi({
        db: primary.db,
        replicas: [replica.db],
        models: [Counter],
        config: { API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH'], API_READ_YOUR_WRITES },
        onWarning: (warning) => warnings.push(warning),
      })

    test.before(async () => {
      primary = await openDatabase(servers.primary.url)
      replica = await openDatabase(servers.replica.url)
      const columns = 'id integer primary key, value integer not null'
      await sql.raw(`create table counters (${columns})`).execute(primary.db)
      await sql.raw('insert into counters values (1, 0)').execute(primary.db)
      const api = apiWith('header')
      await send(api, 'PATCH', '/api/counters/1', { body: { value: 0 } })
      await replicated(replica)
      await readsReplica(servers, api)
    })
    test.after(async () => {
      await primary.close()
      await replica.close()
      await servers.remove()
    })

    test('a read without a position shows the state of the replica', async () => {
      const api = apiWith('header')
      await api.ready
      await servers.hold()
      try {
        const written = await send(api, 'PATCH', '/api/counters/1', { body: { value: 2 } })
        ok(written.headers['x-write-position'] !== undefined)
        equal((await get(api, '/api/counters/1')).value.value, 1)
      } finally {
        await servers.resume()
      }
    })

    test('a read with a position waits for the replica once, then reads from the primary', async () => {
      const api = apiWith('header')
      await api.ready
      await servers.hold()
      let position = ''
      try {
        const written = await send(api, 'PATCH', '/api/counters/1', { body: { value: 2 } })
        position = written.headers['x-write-position'] ?? ''
        const headers = { 'x-write-position': position }
        equal((await get(api, '/api/counters/1', headers)).value.value, 2)
        equal((await get(api, '/api/counters?value__eq=2', headers)).total, 1)
      } finally {
        await servers.resume()
      }
      equal((await get(api, '/api/counters/1', { 'x-write-position': position })).value.value, 2)
      await servers.hold()
      try {
        await send(api, 'PATCH', '/api/counters/1', { body: { value: 3 } })
        // The replica has the position, and nothing after it.
        equal((await get(api, '/api/counters/1', { 'x-write-position': position })).value.value, 2)
      } finally {
        await servers.resume()
      }
    })

    test('a read with a position that the primary never had is read from the primary', async () => {
      const api = apiWith('header')
      await api.ready
      await servers.hold()
      try {
        await send(api, 'PATCH', '/api/counters/1', { body: { value: 7 } })
        for (const position of ['FFFFFFFF/FFFFFFFF', '0-1-18446744073709551615']) {
          const headers = { 'x-write-position': position }
          const { status, value, errors } = await get(api, '/api/counters/1', headers)
          const isOfThisServer = position.includes('/') === (name === 'postgres')
          equal(
            [status, isOfThisServer ? value.value : errors.code],
            isOfThisServer ? [200, 7] : [400, 'invalid_position'],
          )
        }
      } finally {
        await servers.resume()
      }
    })

    test('a browser sends the position as a cookie', async () => {
      const api = apiWith('cookie')
      await api.ready
      await servers.hold()
      try {
        const written = await send(api, 'PATCH', '/api/counters/1', { body: { value: 4 } })
        const cookie = written.cookies[0]?.split(';')[0] ?? ''
        equal(cookie.startsWith('write_position='), true)
        equal((await get(api, '/api/counters/1', { cookie })).value.value, 4)
        equal((await get(api, '/api/counters/1')).value.value, 7)
      } finally {
        await servers.resume()
      }
    })

    test('an invalid position in the header is refused; an invalid cookie is served by the primary', async () => {
      const api = apiWith('cookie')
      await api.ready
      const refused = await get(api, '/api/counters/1', { 'x-write-position': "'; drop" })
      equal([refused.status, refused.errors.code], [400, 'invalid_position'])
      equal((await get(api, '/api/counters/1', { cookie: 'write_position=zz' })).value.value, 4)
    })

    test('without the setting no position is sent, and no read waits', async () => {
      const api = apiWith('off')
      await api.ready
      const written = await send(api, 'PATCH', '/api/counters/1', { body: { value: 5 } })
      equal(written.headers['x-write-position'], undefined)
      equal((await get(api, '/api/counters/1', { 'x-write-position': 'zz' })).status, 200)
    })

    test('none of many reads right after a write is stale, several writers at once', async () => {
      const api = apiWith('header')
      await api.ready
      let stale = 0
      const writer = async (id: number): Promise<void> => {
        await send(api, 'POST', '/api/counters', { body: { id, value: 0 } })
        for (let value = 1; value <= 40; value++) {
          const written = await send(api, 'PATCH', `/api/counters/${id}`, { body: { value } })
          const headers = { 'x-write-position': written.headers['x-write-position'] ?? '' }
          const read = await get(api, `/api/counters/${id}`, headers)
          if (read.value?.value !== value) stale += 1
        }
      }
      await Promise.all([11, 12, 13, 14, 15].map(writer))
      equal(stale, 0)
    })

    test('every request is answered while a replica is stopped, and the replica is used again when it is back', async () => {
      const api = apiWith('header')
      await api.ready
      await servers.replica.kill()
      warnings.length = 0
      const answers = await Promise.all([1, 2, 3, 4].map(() => get(api, '/api/counters/1')))
      equal(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      equal(warnings.filter((one) => one.includes('replicas[0] is unavailable')).length, 1)
      await servers.replica.start()
      await readsReplica(servers, api)
    })
  })
}

/** Waits until reads go to the replica: the replica is held back, and still returns what the primary no longer has. */
async function readsReplica(servers: ReplicatedServer, api: Api): Promise<void> {
  await api.ready
  const value = (await get(api, '/api/counters/1', { 'x-write-position': 'unknown' })).value.value
  await servers.hold()
  try {
    await send(api, 'PATCH', '/api/counters/1', { body: { value: value + 1 } })
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await get(api, '/api/counters/1')).value.value === value) return
      await sleep(50)
    }
  } finally {
    await servers.resume()
  }
  throw new Error('the replica is not read')
}

/** Waits until the table exists. */
async function replicated({ db }: OpenDatabase): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const rows = await db
      .selectFrom('counters')
      .selectAll()
      .execute()
      .catch(() => [])
    if (rows.length === 1) return
    await sleep(50)
  }
  throw new Error('nothing is replicated')
}
