/** Text keys that a path cannot contain are refused in every kind of write, so that each record has a URL. */
import { type AnyModel, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { countRows } from './models.ts'

const key = { type: 'string', maxLength: 20, primaryKey: true } as const

const models: readonly AnyModel[] = [
  defineModel('Country', {
    columns: { code: key, title: { type: 'string', maxLength: 20, unique: true } },
    relations: {
      cities: hasMany('City', 'country_code'),
      partners: manyToMany('Country', { through: 'partners', from: 'one', to: 'other' }),
    },
    meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
  }),
  defineModel('City', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      country_code: { type: 'string', maxLength: 20, nullable: true },
    },
    relations: { country: belongsTo('Country', 'country_code') },
    meta: {},
  }),
  /** A composite key: a text and a number. */
  defineModel('Shelf', {
    columns: { room: key, number: { type: 'integer', primaryKey: true } },
    meta: {},
  }),
]

const message = 'A key cannot be empty, "." or "..", because no URL path can contain it.'

eachDatabase('a string key that cannot be part of a path', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true })
  test.before(async () => {
    await createTables(db, models)
    await send(api, 'POST', '/api/countries', { body: { code: 'GB', title: 'Britain' } })
  })

  const refusals: Readonly<
    Record<string, (code: string) => readonly [method: string, url: string, body: unknown, string]>
  > = {
    POST: (code) => ['POST', '/api/countries', { code, title: 'X' }, 'code'],
    'a composite key': (room) => ['POST', '/api/shelves', { room, number: 1 }, 'room'],
    'bulk POST': (code) => [
      'POST',
      '/api/countries',
      [
        { code: 'FR', title: 'X' },
        { code, title: 'Y' },
      ],
      '[1].code',
    ],
    'a nested object': (code) => [
      'POST',
      '/api/cities',
      { country: { code, title: 'X' } },
      'country.code',
    ],
    'a list': (code) => [
      'PATCH',
      '/api/countries/GB',
      { partners: [{ code, title: 'X' }] },
      'partners[0].code',
    ],
    'an upsert by the key': (code) => [
      'POST',
      '/api/countries?on_conflict=code',
      { code, title: 'X' },
      'code',
    ],
    'an upsert by another column': (code) => [
      'POST',
      '/api/countries?on_conflict=title',
      { code, title: 'X' },
      'code',
    ],
  }

  for (const [name, request] of Object.entries(refusals)) {
    test(`is a validation problem: ${name}`, async () => {
      const before = await countRows(db, 'countries', 'shelves', 'cities')
      for (const text of ['', '.', '..']) {
        const [method, url, body, path] = request(text)
        const { status, errors } = await send(api, method, url, { body })
        equal([status, errors.reason], [400, { [path]: [message] }], text)
      }
      equal(await countRows(db, 'countries', 'shelves', 'cities'), before)
    })
  }

  test('is a validation problem: PUT, whose key is that of the path', async () => {
    for (const code of ['', '.', '..']) {
      const body = { code, title: 'Britain' }
      const { status, errors } = await send(api, 'PUT', '/api/countries/GB', { body })
      equal([status, Object.keys(errors.reason)], [400, ['code']])
    }
  })

  test('is no problem if the value only begins with a dot, or the column is no key', async () => {
    const codes = ['...', '.a', '..a', ' ', 'a/b', '%2e']
    for (const code of codes) {
      const { status, headers } = await send(api, 'POST', '/api/countries', {
        body: { code, title: `title of ${code}` },
      })
      equal([status, (await get(api, headers.location ?? '')).value?.code], [201, code])
    }
    const { status } = await send(api, 'POST', '/api/countries', {
      body: { code: 'DE', title: '' },
    })
    equal(status, 201)
  })

  test('is excluded by the OpenAPI document', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document is looked into
    const { schemas } = ((await api.openapi()) as any).components
    equal(schemas.NewCountry.properties.code.not, { enum: ['', '.', '..'] })
    equal(schemas.NewShelf.properties.number.not, undefined)
    equal(schemas.NewCountry.properties.title.not, undefined)
  })

  test('may exist in the table: it is listed, and can be referred to', async () => {
    await db.kysely.insertInto('countries').values({ code: '..', title: 'Nowhere' }).execute()
    equal((await get(api, '/api/countries?code__eq=..')).total, 1)
    const body = { country_code: '..' }
    equal((await send(api, 'POST', '/api/cities', { body })).status, 201)
  })
})
