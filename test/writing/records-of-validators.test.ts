/** The record that validators of a whole record receive is the one that is stored, whatever the request. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  type HookArgs,
  type HookRecord,
  hasMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 40 } as const

eachDatabase('the record of a validator', (test, db) => {
  let asked: { row: HookRecord; before: HookRecord | null }[] = []
  let defaults = 0
  const Shelf = defineModel('Shelf', {
    columns: { id, name: text },
    relations: { loans: hasMany('Loan', 'shelf_id') },
    meta: {},
  })
  const Loan = defineModel('Loan', {
    columns: {
      id,
      name: { ...text, unique: true },
      /** Clients set it in a new record only. */
      first: { type: 'integer', immutable: true },
      last: {
        type: 'integer',
        nullable: true,
        validator: (value: number, row: HookRecord, { before }: HookArgs) => {
          asked.push({ row, before })
          return value >= row.first + row.least || `Before ${row.first + row.least}`
        },
      },
      /** The shortest time. */
      least: { type: 'integer', default: 2 },
      note: { ...text, nullable: true },
      fee: { type: 'integer', nullable: true, readOnly: true },
      made: { type: 'datetime', managed: 'created' },
      token: { type: 'uuid', generated: 'uuid' },
      shelf_id: { type: 'integer', nullable: true },
    },
    relations: { shelf: belongsTo('Shelf', 'shelf_id') },
    meta: {},
  })
  const counted = (...args: readonly unknown[]): number => {
    defaults += 1
    return 2 + 0 * args.length
  }
  /** Its default is a function, which is called in the transaction. */
  const Visit = defineModel('Visit', {
    columns: {
      id,
      first: { type: 'integer', immutable: true },
      last: {
        type: 'integer',
        validator: (value: number, row: HookRecord, { before }: HookArgs) => {
          asked.push({ row, before })
          return value >= row.first + row.least
        },
      },
      least: { type: 'integer', default: (args: HookArgs) => counted(args) },
    },
    meta: {},
  })
  const models = [Shelf, Loan, Visit] as unknown as readonly AnyModel[]
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_ALLOW_UPSERT: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  }
  const api = testApi(db, models, config)
  const ask = async (method: string, url: string, body: unknown) => {
    asked = []
    defaults = 0
    return send(api, method, url, { body })
  }
  const made = '2026-01-02T03:04:05.678Z'
  const token = '6f1f0d5e-6f0a-4c9e-9c3e-0d3f8d6f2a10'

  test.before(async () => {
    await createTables(db, models)
    const own = { first: 10, last: 20, least: 5, note: 'n', fee: 3, token }
    const time = db.name === 'mysql' ? '2026-01-02 03:04:05.678' : made
    await insertRows(db, Loan, [{ name: 'stored', made: time, ...own }])
    await insertRows(db, Visit, [{ first: 10, last: 20, least: 5 }])
  })

  const stored = {
    ...{ id: 1, name: 'stored', first: 10, last: 20, least: 5, note: 'n', fee: 3 },
    ...{ made, token, shelf_id: null },
  }

  test('of a PUT has what stays stored, and what it resets', async () => {
    const refused = await ask('PUT', '/api/loans/1', { name: 'put', last: 11 })
    equal([refused.status, refused.errors.reason], [400, { last: ['Before 12'] }])
    const row = { ...stored, name: 'put', last: 11, least: 2, note: null }
    equal(asked, [{ row, before: stored }])
    const both = await ask('PUT', '/api/loans/1', { name: 5, last: 11 })
    equal(Object.keys(both.errors.reason).sort(), ['last', 'name'])
    const put = await ask('PUT', '/api/loans/1', { name: 'put', last: 12, first: 10 })
    const { shelf: _, ...value } = put.value
    equal([put.status, value], [200, { ...row, last: 12 }])
    const batch = await ask('POST', '/api/batch', {
      operations: [
        { id: 'a', method: 'PUT', url: '/api/loans/1', body: { name: 'put', last: 11 } },
      ],
    })
    equal([batch.status, batch.errors.reason], [400, { last: ['Before 12'] }])
  })

  test('of a POST has the values that the service sets', async () => {
    const refused = await ask('POST', '/api/loans', { name: 'new', first: 1, last: 2, pages: 1 })
    equal(refused.errors.reason, {
      pages: ['Unknown field "pages".'],
      last: ['Before 3'],
    })
    const { status, value } = await ask('POST', '/api/loans', { name: 'new', first: 1, last: 3 })
    equal(status, 201)
    const [{ row, before } = { row: {}, before: {} }] = asked
    equal(before, null)
    equal(row, { name: 'new', first: 1, last: 3, least: 2, made, token: value.token })
    equal([value.least, value.made], [2, made])
  })

  test('of a list is checked in all its records at once', async () => {
    const loan = (last: number) => ({ name: `${last}`, first: 1, last })
    const { errors } = await ask('POST', '/api/loans', [loan(1), loan(4), loan(2)])
    equal(errors.reason, { '[0].last': ['Before 3'], '[2].last': ['Before 3'] })
    const listed = await ask('POST', '/api/loans', [loan(5), loan(6)])
    equal(listed.status, 201)
    equal(
      asked.map(({ row }) => row.token),
      listed.value.map((value: HookRecord) => value.token),
    )
  })

  test('has the result of a function, which is called once', async () => {
    for (const body of [
      { first: 1, last: 2 },
      [
        { first: 1, last: 3 },
        { first: 1, last: 2 },
      ],
    ]) {
      equal((await ask('POST', '/api/visits', body)).status, 400)
    }
    const { status } = await ask('POST', '/api/visits', { first: 1, last: 3 })
    equal(
      [status, defaults, asked],
      [201, 1, [{ row: { first: 1, last: 3, least: 2 }, before: null }]],
    )
    equal((await ask('PUT', '/api/visits/1', { last: 11 })).status, 400)
    equal(asked[0]?.row, { id: 1, first: 10, last: 11, least: 2 })
    // The default of a field that was sent is not asked for.
    equal((await ask('PUT', '/api/visits/1', { last: 11, least: 1 })).status, 200)
    equal(defaults, 0)
  })

  test('has the keys of nested records', async () => {
    const above = await ask('POST', '/api/loans', {
      ...{ name: 'below', first: 1, last: 3, shelf: { name: 's' } },
    })
    equal([above.status, asked[0]?.row.shelf_id], [201, above.value.shelf_id])
    const shelf = await ask('POST', '/api/shelves', {
      name: 't',
      loans: [{ name: 'child', first: 1, last: 3 }],
    })
    equal([shelf.status, asked[0]?.row.shelf_id], [201, shelf.value.id])
    const refused = await ask('POST', '/api/shelves', {
      name: 'u',
      loans: [{ name: 'other', first: 1, last: 2 }],
    })
    equal(refused.errors.reason, { 'loans[0].last': ['Before 3'] })
  })

  test('of an upsert is that of the change or of the new record', async () => {
    const body = [
      { name: 'put', last: 13 },
      { name: 'upserted', first: 1, last: 3 },
    ]
    const { status, value } = await ask('POST', '/api/loans?on_conflict=name', body)
    equal(status, 201)
    const rows = asked.map(({ row, before }) => [row.name, row.first, row.least, before !== null])
    equal(rows.map(String).sort(), ['put,10,2,true', 'upserted,1,2,false'])
    const created = asked.find(({ before }) => before === null)
    equal(created?.row.token, value[1].token)
    const wrong = [{ name: 'put', last: 3 }]
    const refused = await ask('POST', '/api/loans?on_conflict=name', wrong)
    equal(refused.errors.reason, { '[0].last': ['Before 12'] })
  })
})
