/** Several hosts in a URL: the one that takes writes is chosen, and chosen again after a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, defineModel } from '@model-api/core'
import { type OpenDatabase, openDatabase } from '@model-api/http-node'
import { sql } from 'kysely'
import { send } from '../support/api.ts'
import { equal, rejects } from '../support/assert.ts'
import { freePort } from '../support/free-port.ts'
import { type ServerName, startReplicated } from '../support/servers.ts'
import { notRun, suite } from '../support/suite.ts'

const Counter = defineModel('Counter', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    value: { type: 'integer' },
  },
  meta: {},
})

for (const name of ['postgres', 'mysql'] as const) await failoverSuite(name)

async function failoverSuite(name: ServerName): Promise<void> {
  const servers = await startReplicated(name)
  if ('lacks' in servers) {
    notRun(`several hosts of ${name}`, servers.lacks)
    return
  }
  const { primary, replica } = servers
  const nobody = await freePort()
  const [scheme, user] = name === 'postgres' ? ['postgres', 'postgres'] : ['mysql', 'root']
  const database = name === 'postgres' ? 'postgres' : 'mysql'
  const urlOf = (...ports: readonly number[]): string =>
    `${scheme}://${user}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`

  suite(`several hosts of ${name}`, (test) => {
    const opened: OpenDatabase[] = []
    const open = async (...ports: readonly number[]) => {
      const database = await openDatabase(urlOf(...ports), { connectionTimeout: 2_000 })
      opened.push(database)
      return database.db
    }
    test.before(async () => {
      const db = await open(primary.port)
      await sql`create table counters (id integer primary key, value integer not null)`.execute(db)
      await sql`insert into counters values (1, 0)`.execute(db)
      const there = await open(replica.port)
      for (let attempt = 0; attempt < 100; attempt++) {
        const rows = await there
          .selectFrom('counters')
          .selectAll()
          .execute()
          .catch(() => [])
        if (rows.length === 1) break
        await sleep(50)
      }
      if (name === 'mysql') await sql`set global read_only = 1`.execute(there)
    })
    test.after(async () => {
      for (const { close } of opened) await close()
      await servers.remove()
    })

    test('the one that takes writes is chosen, wherever it stands', async () => {
      for (const ports of [
        [primary.port, replica.port],
        [replica.port, primary.port],
        [nobody, replica.port, primary.port],
      ]) {
        const db = await open(...ports)
        await sql`update counters set value = value + 1`.execute(db)
      }
      const db = await open(primary.port)
      equal(await db.selectFrom('counters').select('value').execute(), [{ value: 3 }])
    })

    test('where none can be reached, the reason is the one of the last', async () => {
      const db = await open(nobody, await freePort())
      await rejects(sql`select 1`.execute(db), /ECONNREFUSED/)
    })

    test('after a failover, the new one is chosen', async () => {
      const db = await open(primary.port, replica.port)
      const config = { API_ALLOWED_METHODS: ['GET', 'PATCH'] as const }
      const api = createApi({
        db,
        models: [Counter],
        config,
        onError: () => {},
        onWarning: () => {},
      })
      const write = (value: number) => send(api, 'PATCH', '/api/counters/1', { body: { value } })
      equal((await write(10)).status, 200)
      await primary.kill()
      const there = await open(replica.port)
      if (name === 'postgres') await sql`select pg_promote()`.execute(there)
      else await sql`set global read_only = 0`.execute(there)
      let status = 0
      for (let attempt = 0; attempt < 100 && status !== 200; attempt++) {
        status = (await write(11)).status
        if (status !== 200) await sleep(50)
      }
      equal(status, 200)
      equal(
        (await Promise.all([12, 13, 14, 15].map(write))).map((one) => one.status),
        [200, 200, 200, 200],
      )
      equal((await there.selectFrom('counters').selectAll().execute()).length, 1)
    })
  })
}
