/**
 * A write that is repeated to find a refused record, or because one statement stored nothing, calls each hook once for each input, unless
 * a hook has sent a statement.
 */
import { type AnyModel, type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: hooks of any model
type Any = any

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_UPSERT: true,
}

const calls: string[] = []
/** A hook that notes its call. */
const noted =
  <T>(name: string, result: T | ((...given: Any[]) => T)) =>
  (...given: Any[]): T => {
    calls.push(name)
    return typeof result === 'function' ? (result as Any)(...given) : result
  }
/** The record for which `can_create` sends a statement. */
let asked = ''

let made = 0
const Order = defineModel('Order', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    slug: { type: 'string', maxLength: 20, unique: true },
    code: { type: 'string', maxLength: 20, default: () => noted('default', `code ${made++}`)() },
    token: { type: 'uuid', generated: 'uuid' },
    size: {
      type: 'integer',
      nullable: true,
      validator: (_value: Any, record: Any) => noted(`validator ${record.slug}`, true)(),
    },
    made_at: { type: 'datetime', managed: 'created' },
    changed_at: { type: 'datetime', managed: 'updated' },
  },
  relations: { parts: hasMany('Part', 'order_id') },
  meta: {
    access_policy: {
      can_create: (record: Any, args: Any) => {
        calls.push(`can_create ${record.slug}`)
        return asked === record.slug
          ? args.db
              .selectFrom('orders')
              .select('id')
              .execute()
              .then(() => true)
          : true
      },
      can_update: (record: Any) => noted(`can_update ${record.slug}`, true)(),
    },
  },
} as never)
const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    order_id: { type: 'integer' },
    text: { type: 'string', maxLength: 20, unique: true },
  },
  relations: { order: belongsTo('Order', 'order_id') },
  meta: {
    access_policy: { can_create: (record: Any) => noted(`can_create ${record.text}`, true)() },
  },
} as never)
const models = [Order, Part] as readonly AnyModel[]

eachDatabase('hooks of a write that is repeated', (test, db) => {
  test.before.each(async () => {
    for (const table of ['parts', 'orders']) await db.execScript(`drop table if exists ${table}`)
    await createTables(db, models)
    await send(testApi(db, models, config), 'POST', '/api/orders', { body: [{ slug: 'taken' }] })
    calls.length = 0
    made = 0
    asked = ''
  })
  const write = async (method: string, url: string, body: unknown) => {
    const { status, errors } = await send(testApi(db, models, config), method, url, {
      body,
    } as never)
    return [status, Object.keys(errors?.reason ?? {})]
  }
  const orders = [
    { slug: 'a', size: 1 },
    { slug: 'taken', size: 2 },
    { slug: 'c', size: 3 },
  ]
  const ofList = ['a', 'taken', 'c'].flatMap((slug) => [
    'default',
    `validator ${slug}`,
    `can_create ${slug}`,
  ])

  test('a list of new records with a taken value', async () => {
    equal(await write('POST', '/api/orders', orders), [409, ['[1].slug']])
    equal(calls, ofList)
  })

  test('a list of changes with a taken value', async () => {
    await write('POST', '/api/orders', [{ slug: 'a' }, { slug: 'b' }])
    const rows = await db.kysely.selectFrom('orders').select('id').orderBy('id').execute()
    calls.length = 0
    const changes = rows.slice(1).map(({ id }, i) => ({ id, slug: ['x', 'taken'][i], size: i }))
    equal(await write('PATCH', '/api/orders', changes), [409, ['[1].slug']])
    equal(calls, ['validator x', 'can_update a', 'validator taken', 'can_update b'])
  })

  test('a list with nested records, which is then written record by record', async () => {
    const list = [
      { slug: 'a', parts: [{ text: 'a1' }] },
      { slug: 'b', parts: [{ text: 'b1' }, { text: 'a1' }] },
    ]
    equal(await write('POST', '/api/orders', list), [409, ['[1].parts[1].text']])
    const first = ['default', 'can_create a', 'default', 'can_create b']
    const count = (name: string) => calls.filter((one) => one === name).length
    equal(calls.slice(0, 4), first)
    // The keys of the orders that the parts refer to may be others in the second transaction.
    equal([count('default'), count('can_create a'), count('can_create b')], [2, 1, 1])
  })

  test('a hook that has sent a statement is called again, and so are all others', async () => {
    asked = 'a'
    equal(await write('POST', '/api/orders', orders), [409, ['[1].slug']])
    equal(calls, [...ofList, ...ofList])
  })

  test('a list that is stored calls each hook once', async () => {
    const good = orders.map((one, i) => ({ ...one, slug: `good ${i}` }))
    equal(await write('POST', '/api/orders', good), [201, []])
    equal(calls.length, 9)
  })
})
