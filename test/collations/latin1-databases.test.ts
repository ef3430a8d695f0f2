/** A PostgreSQL database whose encoding lacks most characters: a text with others is found nowhere, and cannot be stored. */
import { defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Code = defineModel('Code', {
  columns: {
    code: { type: 'string', maxLength: 20, primaryKey: true },
    name: { type: 'string', maxLength: 20, nullable: true, unique: true },
    words: { type: 'list', items: 'string', nullable: true },
    data: { type: 'json', nullable: true, json: { word: 'text' } },
  },
  search: ['name'],
  meta: { allow_bulk: true },
})
const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    login: { type: 'string', maxLength: 40 },
    password_hash: { type: 'string', maxLength: 100 },
  },
  methods: { check: passwordCheck('password_hash') },
  meta: {},
})

/** Encodings, with a letter that each lacks, and one that it has. */
const encodings = { LATIN1: ['λ', 'é'], WIN1251: ['é', 'я'] } as const

for (const [encoding, [beyond, own]] of Object.entries(encodings)) {
  eachDatabase(
    `a database in ${encoding}`,
    (test, db) => {
      // Ends in digits, as every database of a run does, so that the runner finds and drops it if this process is killed.
      const url = new URL(db.url ?? 'postgres://localhost')
      const name = `${url.pathname.slice(1)}000`
      let kysely: Kysely<Record<string, Record<string, unknown>>>
      let api: ReturnType<typeof testApi>
      test.before(async () => {
        await sql`create database ${sql.id(name)} encoding ${sql.lit(encoding)} template template0 lc_collate 'C' lc_ctype 'C'`.execute(
          db.kysely,
        )
        url.pathname = name
        const pool = new pg.Pool({ connectionString: url.href, max: 2 })
        pool.on('error', () => {})
        kysely = new Kysely({
          dialect: new PostgresDialect({ pool }),
        })
        for (const statement of [
          sql`create table codes (code varchar(20) primary key, name varchar(20) unique, words text[], data jsonb)`,
          sql`create table users (id integer primary key, login varchar(40), password_hash varchar(100))`,
        ])
          await statement.execute(kysely)
        await kysely
          .insertInto('codes')
          .values([
            { code: 'a', name: own, words: [own], data: JSON.stringify({ word: own }) },
            { code: 'b', name: 'sk?', words: [], data: null },
            { code: 'c', name: null, words: null, data: null },
          ])
          .execute()
        await kysely
          .insertInto('users')
          .values({ id: 1, login: 'ann', password_hash: await hashPassword('secret') })
          .execute()
        api = testApi(db, [Code], {}, { db: kysely })
      })
      test.after(async () => {
        await kysely.destroy()
        await sql`drop database ${sql.id(name)} with (force)`.execute(db.kysely)
      })
      const sent = encodeURIComponent(beyond)
      const kept = encodeURIComponent(own)
      const codes = (condition: string) =>
        column(api, `/api/codes?order_by=code&${condition}`, 'code')

      test('has no match for other letters in filters', async () => {
        const expected: Readonly<Record<string, readonly string[]>> = {
          [`name__eq=${sent}`]: [],
          [`name__like=${sent}`]: [],
          [`name__ilike=${sent}`]: [],
          [`name__startswith=${sent}`]: [],
          [`name__iendswith=${sent}`]: [],
          [`name__in=(${sent})`]: [],
          [`name__in=(${sent},${kept})`]: ['a'],
          [`name__ne=${sent}`]: ['a', 'b'],
          [`name__nin=(${sent})`]: ['a', 'b'],
          [`name__nlike=${sent}`]: ['a', 'b'],
          [`name__nilike=${sent}`]: ['a', 'b'],
          [`not[name__eq=${sent}]`]: ['a', 'b'],
          [`name__lt=${sent}`]: beyond > own ? ['a', 'b'] : ['b'],
          [`name__between=(a,${sent})`]: beyond > own ? ['a', 'b'] : ['b'],
          // The kelvin sign and the long s are other forms of k and s.
          'name__ilike=SK': ['b'],
          'name__ilike=K': ['b'],
          [`words__contains=(${sent})`]: [],
          [`words__overlaps=(${sent},${kept})`]: ['a'],
          [`data.word__eq=${sent}`]: [],
          [`data.word__eq=${kept}`]: ['a'],
          [`search=${sent}`]: [],
          [`search=${kept}`]: ['a'],
        }
        for (const [condition, found] of Object.entries(expected))
          equal(await codes(condition), found, condition)
      })

      test('has no record with other letters in its key', async () => {
        const url = `/api/codes/${sent}`
        equal((await get(api, url)).status, 404)
        equal((await send(api, 'PATCH', url, { body: { name: 'x' } })).status, 404)
        equal((await send(api, 'DELETE', url)).status, 404)
      })

      test('refuses to store other letters, and stores its own exactly', async () => {
        const refused: readonly Answer[] = [
          await send(api, 'POST', '/api/codes', { body: { code: 'd', name: beyond } }),
          await send(api, 'PATCH', '/api/codes/a', { body: { name: beyond } }),
          await send(api, 'POST', '/api/codes', { body: { code: beyond } }),
          await send(api, 'POST', '/api/codes', { body: [{ code: 'e' }, { code: beyond }] }),
          await send(api, 'POST', '/api/codes', { body: { code: 'd', words: [beyond] } }),
          await send(api, 'POST', '/api/codes', { body: { code: 'd', data: { word: beyond } } }),
          await send(api, 'POST', '/api/codes?on_conflict=name', {
            body: { code: 'd', name: beyond },
          }),
          await send(api, 'POST', '/api/codes?on_conflict=code', {
            body: [{ code: 'd' }, { code: beyond }],
          }),
        ]
        equal(
          refused.map(({ status }) => status),
          refused.map(() => 422),
        )
        const made = await send(api, 'POST', '/api/codes', { body: { code: own, name: `${own}x` } })
        equal([made.status, made.value?.code], [201, own])
        equal((await get(api, `/api/codes/${kept}`)).value?.name, `${own}x`)
        const page = await get(api, '/api/codes?order_by=name&limit=2&paging=cursor')
        equal((await get(api, page.body.next_url)).status, 200)
        equal((await send(api, 'DELETE', `/api/codes/${kept}`)).status, 200)
        equal(await codes(''), ['a', 'b', 'c'])
      })

      test('has no user with other letters in the login', async () => {
        const users = testApi(
          db,
          [User],
          {
            API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
            API_USER_MODEL: User,
            API_USER_LOOKUP_FIELD: 'login',
            API_CREDENTIAL_CHECK_METHOD: 'check',
            ACCESS_SECRET_KEY: 'a'.repeat(32),
            REFRESH_SECRET_KEY: 'b'.repeat(32),
            API_PASSWORD_COST: 4,
          },
          { db: kysely },
        )
        const login = (username: string) =>
          send(users, 'POST', '/auth/login', { body: { username, password: 'secret' } })
        const both = await Promise.all([login('ann'), login(beyond)])
        equal(
          both.map(({ status }) => status),
          [200, 401],
        )
      })
    },
    { only: 'postgres' },
  )
}
