/** Errors: statuses, names, reasons, codes and positions of everything that a read can refuse. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { read, refuses, succeeds } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('specification: errors', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('failures use the envelope with errors set to an object and value null', async () => {
    const { body } = await refuses(api, '/api/books?nope__eq=1')
    equal([typeof body.errors, body.value, body.total_count], ['object', null, 0])
  })

  test('400 a join token does not resolve: Invalid join model: <token>', async () => {
    await refuses(api, '/api/books?join=pubLisher', { error: 'Invalid join model: pubLisher' })
  })

  test('400 join_type is not one of the allowed values', async () => {
    await refuses(api, '/api/books?join=author&join_type=full', { error: 'Bad Request' })
  })
})

eachDatabase('contract: errors', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('error is the HTTP phrase; code is stable; at is the offending text', async () => {
    for (const [url, status, error, code, at] of [
      ['/api/books?titel__eq=x', 400, 'Bad Request', 'unknown_column', 'titel__eq=x'],
      ['/api/books?title__is=x', 400, 'Bad Request', 'unknown_operator', 'title__is=x'],
      ['/api/books?offset=1', 400, 'Bad Request', 'unknown_parameter', 'offset=1'],
      ['/api/books?id__eq=x', 400, 'Bad Request', 'invalid_value', 'id__eq=x'],
      ['/api/books?page=0', 400, 'Bad Request', 'invalid_parameter', 'page=0'],
      ['/api/books?page=1&page=1', 400, 'Bad Request', 'repeated_parameter', 'page=1'],
      ['/api/books?details__gt=1', 400, 'Bad Request', 'operator_not_for_type', 'details__gt=1'],
      ['/api/books?groupby=id', 400, 'Bad Request', 'feature_disabled', 'id'],
      ['/api/books?or[', 400, 'Bad Request', 'malformed_query', 'or['],
      ['/api/books?exists(nope)', 400, 'Bad Request', 'unknown_relation', 'exists(nope)'],
      ['/api/nothing', 404, 'Not Found', 'unknown_path', undefined],
      ['/api/books/99', 404, 'Not Found', 'record_not_found', undefined],
    ] as const) {
      const { errors } = await refuses(api, url, { status, error, code })
      equal(errors.at, at, url)
      equal(typeof errors.reason, 'string')
    }
  })

  test('an error names the place, quotes the text, says what was expected and suggests a correction', async () => {
    for (const [query, ...says] of [
      ['titel__eq=x', 'Unknown column "titel" on books.', 'Did you mean "title"?'],
      ['price__ge=cheap', '"cheap" is not a value of price: expected a decimal number'],
      ['order_by=-prize', '"prize"', '"price"'],
      ['limit=1000', '"1000"', '"limit"', 'from 1 to 100'],
      ['join_type=iner', '"iner"', 'inner, left, outer or right', '"inner"'],
      ['dump=hybird', '"hybird"', '"hybrid"'],
      ['format__eq=hardback', '"hardback"', 'hardcover, paperback, ebook'],
      ['rating__like=4', '"like"', 'rating', 'float', 'Operators for it: eq'],
    ] as const) {
      await refuses(api, `/api/books?${query}`, { says })
    }
  })

  test('client text is quoted, never interpreted', async () => {
    const { errors } = await refuses(api, '/api/books?title__eq=x&%3Cscript%3E__eq=1')
    match(errors.reason, '<script>')
    const sqlText = encodeURIComponent('title"; drop table books; --')
    await refuses(api, `/api/books?${sqlText}__eq=1`)
    await refuses(api, `/api/books?order_by=${sqlText}`)
    await refuses(api, `/api/books?fields=${sqlText}`)
    equal((await read(api, '/api/books?limit=1')).length, 1)
  })

  test('values are bound, never written into SQL', async () => {
    const value = "' or '1'='1"
    const { statements } = await db.capture(() =>
      succeeds(
        api,
        `/api/books?title__eq=${encodeURIComponent(value)}&title__like=${encodeURIComponent(value)}`,
      ),
    )
    for (const statement of statements) {
      equal(statement.sql.includes("'1'"), false)
      equal(statement.parameters.includes(value), true)
    }
  })
})

eachDatabase('contract: the database is unavailable', (test, db) => {
  test.before(() => createShop(db))

  test('503 with Retry-After, and the service recovers', async () => {
    let away = false
    const nowhere = unreachable(db.name)
    const reported: unknown[] = []
    const api = testApi(
      db,
      shop,
      { API_SESSION_GETTER: () => (away ? nowhere : db.kysely) },
      { onError: (error) => reported.push(error) },
    )
    equal((await get(api, '/api/tags')).status, 200)
    away = true
    const { headers, errors, text } = await refuses(api, '/api/tags', {
      status: 503,
      error: 'Service Unavailable',
      code: 'database_unavailable',
    })
    equal(headers['retry-after'], '1')
    equal(/ECONNREFUSED|127\.0\.0\.1|closed/i.test(text), false, text)
    equal([typeof errors.reason, reported.length], ['string', 1])
    await refuses(api, '/api/tags/1', { status: 503 })
    await refuses(api, '/api/books/1/tags', { status: 503 })
    away = false
    equal((await get(api, '/api/tags')).status, 200)
    await nowhere.destroy()
  })

  test('unavailable in a credential check: 503, because 401 would sign users out', async () => {
    const nowhere = unreachable(db.name)
    const look = async (): Promise<boolean> => {
      await sql`select 1`.execute(nowhere)
      return true
    }
    const checks = [
      { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: look },
      { API_AUTHENTICATE_METHOD: ['api_key'], API_KEY_AUTH_AND_RETURN_METHOD: look },
    ] as const
    for (const check of checks) {
      const reported: unknown[] = []
      const own = testApi(db, shop, check, { onError: (error) => reported.push(error) })
      const { status, errors, headers } = await send(own, 'GET', '/api/tags', {
        headers: { authorization: 'Api-Key k1' },
      })
      equal([status, errors?.code, headers['retry-after']], [503, 'database_unavailable', '1'])
      equal(reported.length, 1)
    }
    await nowhere.destroy()
  })

  test('unavailable at start-up: createApi does not connect, requests are 503', async () => {
    const nowhere = unreachable(db.name)
    const api = testApi(db, shop, {}, { db: nowhere, onError: () => {} })
    await refuses(api, '/api/tags', { status: 503 })
    await refuses(api, '/api/tags', { status: 503 })
    await nowhere.destroy()
  })

  test('a missing table is 500, not 503', async () => {
    const api = testApi(db, shop, {}, { onError: () => {} })
    await sql`alter table profiles rename to profiles_away`.execute(db.kysely)
    await refuses(api, '/api/profiles', { status: 500 })
    await sql`alter table profiles_away rename to profiles`.execute(db.kysely)
    equal((await read(api, '/api/profiles')).length, 2)
  })
})

/** A database of that kind that does not exist. */
// biome-ignore lint/suspicious/noExplicitAny: any database
function unreachable(name: string): Kysely<any> {
  if (name === 'postgres') {
    const pool = new pg.Pool({ host: '127.0.0.1', port: 1, user: 'nobody' })
    return new Kysely({ dialect: new PostgresDialect({ pool }) })
  }
  if (name === 'mysql') {
    const pool = createPool({ host: '127.0.0.1', port: 1, user: 'nobody' })
    return new Kysely({ dialect: new MysqlDialect({ pool }) })
  }
  const database = async () =>
    new Sqlite(join(tmpdir(), 'not-there.sqlite'), { fileMustExist: true })
  return new Kysely({ dialect: new SqliteDialect({ database }) })
}
