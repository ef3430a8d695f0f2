/** Paths: each route has one spelling, read from the raw text; no variant reaches what the plain spelling is refused (S18, S19). */
import { type ApiRequest, createApi, defineModel, hasMany } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Open = defineModel('Open', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  relations: { closeds: hasMany('Closed', 'open_id') },
  meta: {},
})

const Closed = defineModel('Closed', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    open_id: { type: 'integer' },
    name: { type: 'string' },
  },
  meta: { role_map: { '*': 'admin' } },
})

eachDatabase('a path', (test, db) => {
  const api = createApi({
    db: db.kysely,
    models: [Open, Closed],
    config: { API_ALLOW_JOIN: true },
    clock: frozenClock(),
  })
  const send = (url: string, extra: Partial<ApiRequest> = {}) =>
    api.handle({ method: 'GET', url, ...extra })

  test.before(async () => {
    await createTables(db, [Open, Closed])
    await insertRows(db, Open, [{ id: 1, name: 'open' }])
    await insertRows(db, Closed, [{ id: 1, open_id: 1, name: 'closed' }])
  })

  test('that is forbidden is forbidden in every spelling', async () => {
    equal((await send('/api/closeds')).status, 403)
    const spellings = [
      '/api/closeds/',
      '//api/closeds',
      '/api//closeds',
      '/api/./closeds',
      '/api/../api/closeds',
      '/api/%2e%2e/api/closeds',
      '/api/opens/../closeds',
      '/api/opens/%2e%2e/closeds',
      '/api/opens/..%2fcloseds',
      '/api/opens%2f..%2fcloseds',
      '/API/closeds',
      '/api/Closeds',
      '/api/CLOSEDS',
      '/api/clo%73eds',
      '/api/close%64',
      '/api/closed',
      '/api/closeds;x',
      '/api/closeds;/opens',
      '/api/closeds%00',
      '/api/closeds%20',
      '/api/closeds.json',
      '/api/closeds\\',
      '\\api\\closeds',
      '/api\\closeds',
      '/api/%63loseds/1',
      '/api/closeds%2f1',
      '/api/closeds/%31',
      '/api/closeds/1/',
      '/api/closeds/1#x',
      '/api/closeds#/api/opens',
      '/api/closeds?x#y',
      'http://elsewhere/api/closeds',
      '//elsewhere/api/closeds',
      '/api/opens/1/closeds',
      '/api/opens/1/closed',
      '/api/opens/1/%63loseds',
      '/api/opens/1/closeds/',
      '/api/opens/1/closeds/1',
    ]
    for (const url of spellings) {
      const { status, body } = await send(url)
      ok([400, 403, 404].includes(status), `${url}: ${status}`)
      ok(!JSON.stringify(body).includes('"closed"'), url)
    }
  })

  test('with the key of a record has one row per spelling of the key, and no other', async () => {
    equal((await send('/api/opens/1')).status, 200)
    equal((await send('/api/opens/%31')).status, 200)
    for (const key of ['+1', '1.0', '1e0', '1,1', '1%2C1', '0x1', '1%20', "1'", '１', '1abc']) {
      const { status } = await send(`/api/opens/${key}`)
      ok(status === 404 || status === 400, `${key}: ${status}`)
    }
  })

  test('takes no other method from a header, a parameter or letter case', async () => {
    const options = [
      send('/api/closeds', { headers: { 'x-http-method-override': 'OPTIONS' } }),
      send('/api/closeds?_method=OPTIONS'),
      send('/api/closeds', { method: 'get' }),
      send('/api/closeds', { method: 'HEAD' }),
      send('/api/closeds/1', { method: 'head' }),
    ]
    for (const answer of options) equal((await answer).status, 403)
  })

  test('reveals only methods by OPTIONS', async () => {
    const { status, body, headers } = await send('/api/closeds/99', { method: 'OPTIONS' })
    equal([status, body], [204, undefined])
    ok((headers.allow ?? '').includes('GET'))
  })
})
