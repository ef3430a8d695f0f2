/** Several hosts in a URL: the service connects to the one that accepts writes, and finds the new one after a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, defineModel } from '@model-api/core'
import { type OpenDatabase, type OpenOptions, openDatabase } from '@model-api/http-node'
import { sql } from 'kysely'
import { send } from '../support/api.ts'
import { equal, rejects } from '../support/assert.ts'
import { freePort } from '../support/free-port.ts'
import { type ServerName, startReplicated } from '../support/servers.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'

runsOn('servers that it starts itself')

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
    const open = (...ports: readonly number[]) => openAs({}, ...ports)
    const openAs = async (
      options: OpenOptions & { user?: string },
      ...ports: readonly number[]
    ) => {
      const { user: account = user, ...more } = options
      const url = urlOf(...ports).replace(`//${user}@`, `//${account}@`)
      const database = await openDatabase(url, { connectionTimeout: 2_000, ...more })
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

    test('the host that accepts writes is chosen, at any place in the list', async () => {
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

    test('if no host can be reached, the error is that of the last one', async () => {
      const db = await open(nobody, await freePort())
      await rejects(sql`select 1`.execute(db), /ECONNREFUSED/)
    })

    test('with readOnly, the first reachable host is chosen', async () => {
      const db = await openAs({ readOnly: true }, nobody, replica.port, primary.port)
      const isReplica = name === 'postgres' ? sql`pg_is_in_recovery()` : sql`@@global.read_only = 1`
      const { rows } = await sql<{ answer: unknown }>`select ${isReplica} as answer`.execute(db)
      equal(Boolean(Number(rows[0]?.answer)), true)
      equal(await db.selectFrom('counters').select('id').execute(), [{ id: 1 }])
      await rejects(sql`update counters set value = value + 1`.execute(db), /read[- ]only/i)
    })

    if (name === 'mysql') {
      test('connections leave a server that becomes read-only', async () => {
        const [here, there] = [await open(primary.port), await open(replica.port)]
        // Unlike root, it cannot write when the server is read-only.
        await sql`create user clerk@'%'`.execute(here)
        await sql`grant all on ${sql.id(database)}.* to clerk@'%'`.execute(here)
        await sql`set global read_only = 0`.execute(there)
        const db = await openAs({ user: 'clerk' }, primary.port, replica.port)
        const update = (value: number) => sql`update counters set value = ${value}`.execute(db)
        await update(20)
        const portOf = async (): Promise<number> => {
          const { rows } = await sql<{ port: number }>`select @@port as port`.execute(db)
          return Number(rows[0]?.port)
        }
        equal(await portOf(), primary.port)
        await sql`set global read_only = 1`.execute(here)
        try {
          await rejects(update(21), /read-only/)
          await update(22)
          equal(await portOf(), replica.port)
          equal(await there.selectFrom('counters').select('value').execute(), [{ value: 22 }])
        } finally {
          await sql`set global read_only = 1`.execute(there)
          await sql`set global read_only = 0`.execute(here)
        }
      })
    }

    test('after a failover, the new primary is chosen', async () => {
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
      // Does not wait: on a busy machine a promotion takes longer than a statement may.
      if (name === 'postgres') await sql`select pg_promote(false)`.execute(there)
      else await sql`set global read_only = 0`.execute(there)
      let status = 0
      const started = Date.now()
      while (status !== 200 && Date.now() - started < 60_000) {
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
