/** API_MAX_BULK limits the records of a request: those of its list, nested ones and links, and of a DELETE all that it deletes. */
import { type AnyModel, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { posting, sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { countRows } from './models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Order = defineModel('Order', {
  columns: {
    id,
    name: { type: 'string', maxLength: 40, unique: true },
    customer_id: { type: 'integer', nullable: true },
  },
  relations: {
    lines: hasMany('Line', 'order_id'),
    customer: belongsTo('Customer', 'customer_id'),
    labels: manyToMany('Label', { through: 'order_labels', from: 'order_id', to: 'label_id' }),
    readers: manyToMany('Customer', { through: 'readings', from: 'order_id', to: 'customer_id' }),
  },
  meta: {},
})
const Reading = defineModel('Reading', {
  columns: { id, order_id: { type: 'integer' }, customer_id: { type: 'integer' } },
  relations: {
    order: belongsTo('Order', 'order_id'),
    reader: belongsTo('Customer', 'customer_id'),
  },
  meta: {},
})
const Line = defineModel('Line', {
  columns: { id, order_id: { type: 'integer' }, text: { type: 'string', maxLength: 40 } },
  relations: { order: belongsTo('Order', 'order_id'), parts: hasMany('Part', 'line_id') },
  meta: {},
})
const Part = defineModel('Part', {
  columns: { id, line_id: { type: 'integer' } },
  relations: { line: belongsTo('Line', 'line_id') },
  meta: {},
})
const Customer = defineModel('Customer', {
  columns: { id, email: { type: 'string', maxLength: 40, unique: true } },
  relations: { orders: hasMany('Order', 'customer_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id, name: { type: 'string', maxLength: 40 } },
  relations: {
    orders: manyToMany('Order', { through: 'order_labels', from: 'label_id', to: 'order_id' }),
  },
  meta: {},
})
const models: readonly AnyModel[] = [Order, Line, Part, Customer, Label, Reading]

const tables = ['orders', 'lines', 'parts', 'customers', 'order_labels', 'readings'] as const
const limit = 12
const settings = {
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_MAX_BULK: limit,
} as const

const times = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i))

eachDatabase('records of a request', (test, db) => {
  const api = testApi(db, models, settings)
  const count = () => countRows(db, ...tables)
  test.before(async () => {
    await createTables(db, models)
    for (const name of 'abcdefghijkl') await send(api, 'POST', '/api/labels', { body: { name } })
    await send(api, 'POST', '/api/customers', { body: { email: 'first' } })
  })
  let names = 0
  const unused = (): string => {
    names += 1
    return `name ${names}`
  }
  const order = (more: object = {}) => ({ name: unused(), ...more })
  const verdict = ({ status, errors }: Answer) => [status, errors?.code]
  const refused = [400, 'too_many_records']
  const created = [201, undefined]
  const post = (body: unknown, query = '') =>
    send(api, 'POST', `/api/orders${query}`, { body }).then(verdict)
  const lines = (n: number, more: object = {}) => times(n, (i) => ({ text: `${i}`, ...more }))
  const labels = (n: number) => times(n, (i) => ({ id: i + 1 }))

  test('counts records, nested ones of all levels, and links, in one object and in a list', async () => {
    for (const [one, more] of [
      [order({ lines: lines(11) }), order({ lines: lines(12) })],
      [
        order({ lines: lines(2, { parts: times(4, () => ({})) }) }),
        order({ lines: lines(2, { parts: times(5, () => ({})) }) }),
      ],
      [order({ labels: labels(11) }), order({ labels: labels(12) })],
      [
        order({ lines: lines(5), labels: labels(6) }),
        order({ lines: lines(6), labels: labels(6) }),
      ],
      [times(4, () => order({ lines: lines(2) })), times(4, () => order({ lines: lines(3) }))],
      [times(2, () => order({ labels: labels(5) })), times(3, () => order({ labels: labels(4) }))],
      [
        times(6, () => order({ customer: { email: unused() } })),
        times(7, () => order({ customer: { email: unused() } })),
      ],
    ] as const) {
      const before = await count()
      equal(await post(more), refused, JSON.stringify(more))
      equal(await count(), before)
      equal(await post(one), created, JSON.stringify(one))
    }
  })

  test('names the limit, and the model whose records are too many', async () => {
    const body = [order(), order({ lines: lines(11) })]
    const { errors } = await send(api, 'POST', '/api/orders', { body })
    equal(
      errors.reason,
      'This concerns more than 12 records, with those of lines (API_MAX_BULK or max_bulk of orders).',
    )
  })

  test('an object that names a stored record counts nothing, and equal unique names count once', async () => {
    equal(await post(times(12, () => order({ customer: { id: 1 } }))), created)
    const naming = (n: number) => times(n, () => order({ customer: { email: 'shared' } }))
    equal(await post(naming(11), '?customer.on_conflict=email'), created)
    equal(await post(naming(12), '?customer.on_conflict=email'), refused)
  })

  test('counts the links of upserts and changes, and of a change by filter those of every record', async () => {
    const upserts = (n: number) => times(2, () => order({ labels: labels(n) }))
    equal(await post(upserts(6), '?on_conflict=name'), refused)
    equal(await post(upserts(5), '?on_conflict=name'), created)
    const stored = await db.kysely
      .selectFrom('orders')
      .select('id')
      .limit(3)
      .orderBy('id')
      .execute()
    const ids = stored.map((row) => Number(row.id))
    const listed = (n: number) => ids.map((key) => ({ id: key, labels: labels(n) }))
    const patch = (body: unknown, query = '') =>
      send(api, 'PATCH', `/api/orders${query}`, { body }).then(verdict)
    const before = await count()
    equal(await patch(listed(4)), refused)
    const filter = `?id__in=(${ids.join(',')})`
    equal(await patch({ labels: labels(4) }, filter), refused)
    equal(await count(), before)
    equal(await patch(listed(3)), [200, undefined])
    equal(await patch({ labels: labels(2) }, filter), [200, undefined])
  })

  test('counts each operation of a batch by itself', async () => {
    const one = () => posting('/api/orders', order({ lines: lines(11) }))
    const operations = [one(), { ...one(), id: 'b' }]
    equal((await sendBatch(api, operations)).status, 200)
    const { status, errors } = await sendBatch(api, [
      one(),
      { ...posting('/api/orders', order({ lines: lines(12) })), id: 'b' },
    ])
    equal([status, errors.code, errors.at], [400, 'too_many_records', 'operations[1]'])
  })

  test('a DELETE by filter counts the dependents of all its records', async () => {
    const made = (
      await send(api, 'POST', '/api/orders', {
        body: [order({ lines: lines(5) }), order({ lines: lines(5) })],
      })
    ).value as readonly { readonly id: number }[]
    const extra = (await send(api, 'POST', '/api/orders', { body: order({ lines: lines(1) }) }))
      .value
    const remove = (ids: readonly number[]) =>
      send(api, 'DELETE', `/api/orders?id__in=(${ids.join(',')})&cascade_delete=1`).then(verdict)
    const ids = made.map((one) => one.id)
    const before = await count()
    equal(await remove([...ids, extra.id]), refused)
    equal(await count(), before)
    equal(await remove(ids), [200, undefined])
  })

  for (const [what, list] of [
    ['of a table without a model', 'labels'],
    ['that are records', 'readers'],
  ] as const) {
    test(`counts the links ${what} that all lists of a request remove`, async () => {
      for (const _ of times(11, unused)) {
        await send(api, 'POST', '/api/customers', { body: { email: unused() } })
      }
      const linked = list === 'labels' ? 'labels' : 'customers'
      const keys = (
        (await send(api, 'GET', `/api/${linked}?limit=8`)).value as { id: number }[]
      ).map((one) => ({ id: one.id }))
      const stored: { readonly id: number; readonly name: string }[] = []
      for (const n of [8, 5, 4]) {
        const body = order({ [list]: keys.slice(0, n) })
        stored.push((await send(api, 'POST', '/api/orders', { body })).value)
      }
      const [eight, five, four] = stored.map((one) => one.id)
      const none = (...ids: unknown[]) => ids.map((key) => ({ id: key, [list]: [] }))
      const named = stored.map(({ name }) => ({ name, [list]: [] }))
      const patch = (body: unknown) => ({ method: 'PATCH', url: '/api/orders', body })
      const before = await count()
      const alone = ({ method, url, body }: ReturnType<typeof patch>) =>
        send(api, method, url, { body }).then(verdict)
      const inBatch = (...operations: ReturnType<typeof patch>[]) =>
        sendBatch(api, operations).then(verdict)
      const tooMany = [
        patch(none(eight, five)),
        patch(none(eight, five, four)),
        { ...patch({ [list]: [] }), url: `/api/orders?id__in=(${eight},${five})` },
        { method: 'POST', url: '/api/orders?on_conflict=name', body: named },
      ]
      for (const one of tooMany) {
        equal(await alone(one), refused, `${one.method} ${one.url}`)
        equal(await inBatch(one), refused, `${one.method} ${one.url} in a batch`)
      }
      equal(await count(), before)
      const { errors } = await send(api, 'PATCH', '/api/orders', { body: none(eight, five) })
      const endpoint = list === 'labels' ? 'labels' : 'readings'
      equal(
        errors.reason,
        `This concerns more than 12 records, with those of ${endpoint} (API_MAX_BULK or max_bulk of orders). The lists of the body would remove more links.`,
      )
      // Each operation of a batch has a limit of its own.
      equal(await inBatch(patch(none(eight, four)), patch(none(five))), [200, undefined])
    })
  }
})
