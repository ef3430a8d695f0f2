/**
 * Row-level security of PostgreSQL: no response contains a row that PostgreSQL hides, not even the response to the write that
 * created it.
 */
import { defineModel } from '@model-api/core'
import { Kysely, PostgresDialect } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    text: { type: 'string', maxLength: 20 },
    owner: { type: 'string', maxLength: 20 },
  },
  meta: {},
})

eachDatabase(
  'a table with row-level security',
  (test, db) => {
    const role = `sees_own_${process.pid}`
    test.before(() =>
      db.execScript(`
        create table notes (id integer primary key, text varchar(20) not null, owner varchar(20) not null);
        insert into notes values (1, 'a', 'me'), (2, 'secret', 'you');
        create role ${role};
        grant all on notes to ${role};
        alter table notes enable row level security;
        create policy sees on notes for select using (owner = 'me');
        create policy adds on notes for insert with check (text <> 'no');
        create policy changes on notes for update using (true) with check (true);
        create policy removes on notes for delete using (true);`),
    )
    test.after(() => db.execScript(`drop owned by ${role}; drop role ${role}`))

    test('does not reveal hidden rows, and of a new hidden row only that it was created', async () => {
      const { default: pg } = await import('pg')
      const pool = new pg.Pool({
        connectionString: db.url ?? '',
        max: 1,
        options: `-c role=${role}`,
      })
      const kysely = new Kysely<never>({ dialect: new PostgresDialect({ pool }) })
      try {
        const api = testApi(db, [Note], { API_ALLOW_BULK: true }, { db: kysely, onError: () => {} })
        const answerOf = async (method: string, url: string, body?: unknown) => {
          const { status, value, text } = await send(api, method, url, body ? { body } : {})
          ok(!text.includes('secret'), text)
          return [status, value]
        }
        equal((await answerOf('GET', '/api/notes'))[1], [{ id: 1, text: 'a', owner: 'me' }])
        equal(await answerOf('POST', '/api/notes', { id: 3, text: 'b', owner: 'you' }), [201, null])
        const list = [
          { id: 4, text: 'c', owner: 'me' },
          { id: 5, text: 'd', owner: 'you' },
        ]
        equal(await answerOf('POST', '/api/notes', list), [201, [list[0], null]])
        for (const [method, body] of [
          ['PATCH', { text: 'x' }],
          ['DELETE', undefined],
        ] as const) {
          const missing = await answerOf(method, '/api/notes/99', body)
          equal([missing[0], missing], [404, await answerOf(method, '/api/notes/2', body)])
        }
        // PostgreSQL refuses a change that would hide the row.
        equal((await answerOf('PATCH', '/api/notes/1', { owner: 'you' }))[0], 403)
        // PostgreSQL refuses a new row that the policy of INSERT does not allow.
        const refused = { id: 6, text: 'no', owner: 'me' }
        equal((await answerOf('POST', '/api/notes', refused))[0], 403)
        equal((await answerOf('POST', '/api/notes', [{ ...refused, text: 'c' }, refused]))[0], 403)
        equal((await answerOf('GET', '/api/notes/6'))[0], 404)
        equal((await answerOf('GET', '/api/notes/1'))[0], 200)
      } finally {
        await kysely.destroy()
      }
    })
  },
  { only: 'postgres' },
)
