/** SQLite ends the transaction by itself for `on conflict rollback`: later statements must not be stored without it. */
import { defineModel } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Team = defineModel('Team', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 40 } },
  meta: {},
})

eachDatabase('a transaction that a constraint has ended', (test, db) => {
  test('stores nothing, even if a hook catches the error', async () => {
    if (db.name !== 'sqlite') return
    await createTables(db, [Team])
    await sql`create table audit (x integer unique on conflict rollback)`.execute(db.kysely)
    await sql`insert into audit values (1)`.execute(db.kysely)
    let hidden = 0
    const api = testApi(
      db,
      [Team],
      {
        API_ALLOWED_METHODS: ['GET', 'POST'],
        API_ALLOW_BULK: true,
        API_ADD_CALLBACK: async (record, _, { db: transaction }) => {
          await sql`insert into audit values (1)`.execute(transaction).catch(() => {
            hidden += 1
          })
          return record
        },
      },
      { onError: () => {} },
    )
    await api.ready
    const body = [
      { id: 5, name: 'one' },
      { id: 6, name: 'two' },
    ]
    const { status } = await send(api, 'POST', '/api/teams', { body })
    ok(status >= 400, String(status))
    ok(hidden > 0)
    equal((await sql`select * from ${sql.table(Team.table)}`.execute(db.kysely)).rows, [])
  })
})
