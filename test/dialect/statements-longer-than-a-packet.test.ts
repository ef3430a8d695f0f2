/** Statements longer than max_allowed_packet, on which the server closes the connection: 413 before they are sent, and the pool goes on. */
import { type Api, defineModel } from '@model-api/core'
import { Kysely, MysqlDialect, sql } from 'kysely'
import { createPool, type Pool } from 'mysql2'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    body: { type: 'text' },
    data: { type: 'binary', nullable: true },
  },
  meta: {},
})
const config = {
  API_BODY_LIMIT: 2 ** 29,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_HOOK_TIMEOUT: 60_000,
  API_STATEMENT_TIMEOUT: 60_000,
}

eachDatabase(
  'statements longer than a packet',
  (test, db) => {
    let pool: Pool
    let kysely: Kysely<Record<string, Record<string, unknown>>>
    let api: Api
    let most = 0
    const reported: unknown[] = []
    test.before(async () => {
      await db.execScript(
        'create table notes (id integer primary key, body longtext not null, data longblob)',
      )
      pool = createPool({ uri: db.url ?? '', connectionLimit: 1 })
      kysely = new Kysely({ dialect: new MysqlDialect({ pool }) })
      api = testApi(db, [Note], config, {
        db: kysely,
        onError: (error) => reported.push(error),
      })
      most = Number(await read('@@max_allowed_packet'))
    })
    test.after(() => kysely.destroy())

    const read = async (expression: string): Promise<unknown> => {
      const { rows } = await sql<{ one: unknown }>`select ${sql.raw(expression)} as one`.execute(
        kysely,
      )
      return rows[0]?.one
    }
    const write = (method: string, url: string, body: unknown): Promise<Answer> =>
      send(api, method, url, { body })
    const note = (id: number, body: string, data?: string) => ({ id, body, ...(data && { data }) })

    test('are 413, store nothing and leave the connection as it was', async () => {
      equal((await write('POST', '/api/notes', note(1, 'kept'))).status, 201)
      const connection = await read('connection_id()')
      const half = 'x'.repeat(most / 2)
      const asked: Readonly<Record<string, () => Promise<Answer>>> = {
        'a new record': () => write('POST', '/api/notes', note(2, half + half)),
        'a change': () => write('PATCH', '/api/notes/1', { body: half + half }),
        'quotes, which are escaped': () =>
          write('POST', '/api/notes', note(2, "'".repeat(most / 2))),
        'letters of three bytes': () => write('POST', '/api/notes', note(2, '€'.repeat(most / 3))),
        'bytes, which are written in digits': () =>
          write('POST', '/api/notes', note(2, '', 'AAAA'.repeat(most / 6))),
        'a list': () => write('POST', '/api/notes', [note(2, half), note(3, half)]),
        'a list of values': () => {
          const item = 'x'.repeat(most / 500)
          const list = Array.from({ length: 500 }, (_, i) => item + i)
          return send(api, 'QUERY', '/api/notes', {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: `body__in=(${list.join(',')})`,
          })
        },
      }
      for (const [title, ask] of Object.entries(asked)) {
        const { status, errors } = await ask()
        equal([status, errors?.code], [413, 'statement_too_long'], title)
        match(errors.reason, String(most), title)
      }
      const batch = await sendBatch(api, [
        { method: 'POST', url: '/api/notes', body: note(4, 'of a batch') },
        { method: 'PATCH', url: '/api/notes/1', body: { body: half + half } },
      ])
      equal(
        [batch.status, batch.errors?.code, batch.errors?.at],
        [413, 'statement_too_long', 'operations[1]'],
      )
      equal((await get(api, '/api/notes')).value, [{ id: 1, body: 'kept', data: null }])
      equal([await read('connection_id()'), reported], [connection, []])
    })

    test('of the greatest length are sent, and their rows are read', async () => {
      // The rest of the statement is shorter than 500 bytes.
      const long = 'é'.repeat((most - 500) / 2)
      equal((await write('POST', '/api/notes', note(5, long))).status, 201)
      equal((await get(api, '/api/notes/5')).value.body === long, true)
      const listed = await get(api, '/api/notes?id__ge=1')
      equal([listed.status, listed.value[1].body === long], [200, true])
      const { rows } = await sql<{ size: number }>`
        select length(body) as size from notes where id = 5`.execute(kysely)
      equal(Number(rows[0]?.size), long.length * 2)
    })

    test('of a hook are its own error: the pool replaces the connection', async () => {
      const hooked = testApi(
        db,
        [
          {
            ...Note,
            meta: {
              add_callback: async (
                record: unknown,
                _model: unknown,
                args: { db: typeof kysely },
              ) => {
                await sql`select length(${'x'.repeat(most)})`.execute(args.db)
                return record
              },
            },
          },
        ] as never,
        config,
        { db: kysely, onError: () => {} },
      )
      const { status } = await send(hooked, 'POST', '/api/notes', { body: note(6, 'hooked') })
      equal([status >= 500, (await get(api, '/api/notes/6')).status], [true, 404])
      equal((await write('POST', '/api/notes', note(7, 'after'))).status, 201)
    })
  },
  { only: 'mysql' },
)
