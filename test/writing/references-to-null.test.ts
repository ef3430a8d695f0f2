/**
 * A nested object names a stored record by its key, but the foreign key refers to another column. If that is NULL, no reference can be
 * stored: the answer was a success, and the reference was NULL.
 */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const Country = defineModel('Country', {
  columns: { id, code: { type: 'string', maxLength: 2, nullable: true, unique: true } },
  relations: { cities: hasMany('City', 'country_code', { references: 'code' }) },
  meta: {},
})
const City = defineModel('City', {
  columns: { id, country_code: { type: 'string', maxLength: 2, nullable: true } },
  relations: { country: belongsTo('Country', 'country_code', { references: 'code' }) },
  meta: {},
})
const models: readonly AnyModel[] = [Country, City]
const config = { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true, API_ALLOW_BATCH: true }

type Case = readonly [method: string, url: string, body: unknown, paths: readonly string[]]

const refused: Readonly<Record<string, Case>> = {
  'a stored record': ['POST', '/api/cities', { id: 3, country: { id: 2 } }, ['country']],
  'a new record': ['POST', '/api/cities', { id: 3, country: { id: 9 } }, ['country']],
  'a change': ['PATCH', '/api/cities/1', { country: { id: 2 } }, ['country']],
  'records of a list': [
    'POST',
    '/api/cities',
    [
      { id: 3, country: { id: 1 } },
      { id: 4, country: { id: 2 } },
    ],
    ['[1].country'],
  ],
  'children of a new record': [
    'POST',
    '/api/countries',
    { id: 9, cities: [{ id: 3 }] },
    ['cities'],
  ],
  'children of a stored record': ['PATCH', '/api/countries/2', { cities: [{ id: 3 }] }, ['cities']],
}

eachDatabase('references to a column that is NULL', (test, db) => {
  const rows = async (): Promise<unknown> => [
    await db.kysely
      .selectFrom('countries' as never)
      .selectAll()
      .orderBy('id' as never)
      .execute(),
    await db.kysely
      .selectFrom('cities' as never)
      .selectAll()
      .orderBy('id' as never)
      .execute(),
  ]
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Country, [
      { id: 1, code: 'AT' },
      { id: 2, code: null },
    ])
    await insertRows(db, City, [{ id: 1, country_code: 'AT' }])
  })
  const api = testApi(db, models, config)

  for (const [name, [method, url, body, paths]] of Object.entries(refused)) {
    test(`${name}: 422, and nothing is stored`, async () => {
      const before = await rows()
      const { status, errors } = await send(api, method, url, { body })
      equal(
        [status, errors?.code, Object.keys(errors?.reason ?? {})],
        [422, 'missing_reference', paths],
      )
      equal(await rows(), before)
    })
  }

  test('an empty list of children, and a column with a value, are stored', async () => {
    const changed = await send(api, 'PATCH', '/api/countries/2', { body: { cities: [] } })
    equal(changed.status, 200, JSON.stringify(changed.errors))
    const body = { id: 8, country: { id: 1 } }
    const { status, value } = await send(api, 'POST', '/api/cities', { body })
    equal([status, value?.country_code], [201, 'AT'])
  })
})

eachDatabase(
  'references by the number of a row to a key that is NULL',
  (test, db) => {
    test.before(() =>
      db.execScript(`
        create table coded (code text primary key, n integer);
        create table uses (id integer primary key, code text references coded (code));
        insert into coded values ('a', 1), (null, 2);`),
    )

    test('are refused', async () => {
      const { models: found } = await introspect(db.kysely)
      const api = testApi(
        db,
        found.map((model) => ({ ...model, meta: {} })),
        config,
      )
      const create = async (rowid: number): Promise<unknown> => {
        const body = { coded: { rowid } }
        const { status, value, errors } = await send(api, 'POST', '/api/uses', { body })
        return [status, value?.code ?? errors?.problems]
      }
      equal(await create(1), [201, 'a'])
      equal(await create(2), [
        422,
        [{ path: 'coded', code: 'missing_reference', params: {}, message: 'No such record.' }],
      ])
    })
  },
  { only: 'sqlite' },
)
