/**
 * A record that a client sends back as it was read stays unchanged, even if its JSON does not show all stored digits or a
 * client could not write the value.
 */
import { type Api, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Moment = defineModel('Moment', {
  table: 'moments',
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime' },
    name: { type: 'string', maxLength: 20, nullable: true },
  },
  meta: {},
})

const datetimes = { sqlite: 'datetime', postgres: 'timestamp', mysql: 'datetime(6)' }

eachDatabase('a record that is sent back', (test, db) => {
  const api = testApi(db, [Moment])
  const stored = async (): Promise<string> => {
    const text = db.name === 'mysql' ? 'char' : db.name === 'postgres' ? 'text' : 'varchar'
    const { sql } = await import('kysely')
    const { rows } = await sql<{ at: string }>`
      select cast(at as ${sql.raw(text)}) as at from moments where id = 1`.execute(db.kysely)
    return rows[0]?.at ?? ''
  }
  test.before(() =>
    db.execScript(`
      create table moments (id int primary key, at ${datetimes[db.name]} not null, name varchar(20));
      insert into moments values (1, '2024-05-14 10:30:00.123456', null);`),
  )

  test('keeps its microseconds', async () => {
    const value = await read(api, '/api/moments/1')
    equal(value.at, '2024-05-14T10:30:00.123Z')
    const body = { ...value, name: 'one' }
    equal((await send(api, 'PATCH', '/api/moments/1', { body })).value, body)
    equal(await stored(), '2024-05-14 10:30:00.123456')
  })

  test('stores a datetime that differs', async () => {
    const body = { id: 1, at: '2024-05-14T10:30:00.124Z' }
    equal((await send(api, 'PATCH', '/api/moments/1', { body })).value.at, body.at)
    equal((await stored()).slice(0, 23), '2024-05-14 10:30:00.124')
  })
})

/** Without the check against the OpenAPI document, which describes only values of the column's type. */
async function ask(api: Api, method: string, url: string, sent?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) }
  const answer = await api.handle({ method, url, headers, ...body })
  const { value, errors } = answer.body as unknown as Answer
  return { status: answer.status, value, errors }
}

interface Answer {
  readonly status: number
  readonly value: unknown
  readonly errors: { readonly reason: unknown } | null
}

const Odd = defineModel('Odd', {
  table: 'odds',
  columns: {
    id: { type: 'integer', primaryKey: true },
    size: { type: 'integer', nullable: true },
    day: { type: 'date', nullable: true },
    ready: { type: 'boolean', nullable: true },
  },
  meta: {},
})

eachDatabase(
  'values in SQLite that are not of their column type',
  (test, db) => {
    const api = testApi(db, [Odd], { API_ALLOW_BULK: true })
    test.before(() =>
      db.execScript(`
        create table odds (id integer primary key, size int, day date, ready boolean);
        insert into odds values (1, x'6162', '02/01/2024', 'maybe'), (2, 3.5, '', null);`),
    )
    const first = { id: 1, size: 'ab', day: '02/01/2024', ready: 'maybe' }
    const second = { id: 2, size: 3.5, day: '', ready: null }

    test('are served, also bytes in a column of numbers', async () => {
      equal((await ask(api, 'GET', '/api/odds')).value, [first, second])
    })

    test('may be sent back', async () => {
      for (const value of [first, second]) {
        const url = `/api/odds/${value.id}`
        equal((await ask(api, 'PATCH', url, value)).value, value)
      }
      const body = { day: '', ready: true }
      equal((await ask(api, 'PATCH', '/api/odds/2', body)).value, { ...second, ready: true })
      const many = await ask(api, 'PATCH', '/api/odds?id__eq=2', { day: '', size: 4 })
      equal(many.value, [{ ...second, ready: true, size: 4 }])
    })

    test('are refused if they differ from the stored ones', async () => {
      const { status, errors } = await ask(api, 'PATCH', '/api/odds/1', {
        ...first,
        day: '03/01/2024',
        size: 'abc',
      })
      equal(
        [status, errors?.reason],
        [
          400,
          {
            size: ['Expected a whole number between -9007199254740991 and 9007199254740991.'],
            day: ['Expected a date such as 1925-05-14.'],
          },
        ],
      )
      equal((await ask(api, 'GET', '/api/odds?day__eq=03/01/2024')).status, 400)
      const created = await ask(api, 'POST', '/api/odds', { id: 3, day: '' })
      equal(created.status, 400)
      equal((await ask(api, 'GET', '/api/odds/1')).value, first)
    })
  },
  { only: 'sqlite' },
)

const Mood = defineModel('Mood', {
  table: 'moods',
  columns: {
    id: { type: 'integer', primaryKey: true },
    mood: { type: 'enum', enum: ['good', 'bad'] },
    name: { type: 'string', nullable: true },
  },
  meta: {},
})

eachDatabase(
  'a stored value that is no member of its enum',
  (test, db) => {
    const api = testApi(db, [Mood])
    test.before(() =>
      db.execScript(`
        create table moods (id int primary key, mood enum('good','bad') not null, name varchar(20));
        insert ignore into moods values (1, 'neither', null);`),
    )
    test('may be sent back, but not set in a new record', async () => {
      const body = { id: 1, mood: '', name: 'x' }
      equal((await ask(api, 'PATCH', '/api/moods/1', body)).value, body)
      equal((await ask(api, 'POST', '/api/moods', { id: 2, mood: '' })).status, 400)
    })
  },
  { only: 'mysql' },
)
