/** A statement of a hook that fails for a temporary reason gives the response that the same failure has outside of hooks: 503, not 500. */
import { type AnyModel, type Api, type ApiConfig, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const number = { type: 'integer' } as const
const Owner = defineModel('Owner', { columns: { id, seen: number }, meta: {} })
const Kid = defineModel('Kid', {
  columns: { id: { ...id, generated: true }, owner_id: number },
  meta: { add_callback: lockOwner },
})
const models = [Owner, Kid] as unknown as AnyModel[]
type Family = Api<{ models: [typeof Owner, typeof Kid] }>

async function lockOwner(
  kid: { readonly owner_id: number },
  _model: unknown,
  { lock }: { readonly lock: (model: string, key: number) => Promise<unknown> },
) {
  await lock('Owner', kid.owner_id)
  return kid
}

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'failed statements of hooks',
    (test, db) => {
      const reported: unknown[] = []
      const apiWith = (config: ApiConfig): Family =>
        testApi(db, models, config, { onError: (error) => reported.push(error) }) as Family
      test.before(() => createTables(db, [Owner, Kid]))
      test.before.each(async () => {
        for (const table of ['kids', 'owners']) await db.kysely.deleteFrom(table as never).execute()
        await insertRows(db, Owner, [{ id: 1, seen: 0 }])
        reported.splice(0)
      })

      test('a wait for a lock beyond API_STATEMENT_TIMEOUT is 503', async () => {
        const holder = await db.kysely.startTransaction().execute()
        await holder.updateTable('owners').set({ seen: 2 }).where('id', '=', 1).execute()
        const api = apiWith({ API_STATEMENT_TIMEOUT: 500 })
        const { status, errors, headers } = await send(api, 'POST', '/api/kids', {
          body: { owner_id: 1 },
        })
        await holder.rollback().execute()
        equal([status, errors?.code, headers['retry-after']], [503, 'database_unavailable', '1'])
        equal(reported.length, 1)
        equal((await send(api, 'GET', '/api/kids')).value, [])
      })

      test('a change that others have made since the first read of a host transaction is 503', async () => {
        const outer = await db.kysely
          .startTransaction()
          .setIsolationLevel('repeatable read')
          .execute()
        await outer.selectFrom('owners').selectAll().execute()
        await db.kysely.updateTable('owners').set({ seen: 3 }).where('id', '=', 1).execute()
        const refused = await apiWith({}).as('system', { db: outer }).kids.create({ owner_id: 1 })
        await outer.rollback().execute()
        // MySQL, and MariaDB without innodb_snapshot_isolation, lock the newest row.
        const told = refused.ok ? refused.status : [refused.status, refused.error.code]
        const may = [[503, 'database_conflict'], ...(db.name === 'mysql' ? [201] : [])]
        equal(may.map((one) => JSON.stringify(one)).includes(JSON.stringify(told)), true, `${told}`)
      })
    },
    { only },
  )
}
