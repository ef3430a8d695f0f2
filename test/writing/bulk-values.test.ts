/** Values of every type in a list: POST and PATCH of a list store and return the same as for records written one by one. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

/** Columns whose values are texts, numbers or booleans for the database. */
const plain = {
  id,
  whole: { type: 'integer', nullable: true },
  far: { type: 'bigint', nullable: true },
  ratio: { type: 'float', nullable: true },
  price: { type: 'decimal', precision: 12, scale: 3, nullable: true },
  name: { type: 'string', maxLength: 60, nullable: true },
  story: { type: 'text', nullable: true },
  open: { type: 'boolean', nullable: true },
  day: { type: 'date', nullable: true },
  seen: { type: 'datetime', nullable: true },
  code: { type: 'uuid', nullable: true },
} as const

/** Columns whose values are not JSON documents. */
const bare = {
  ...plain,
  at: { type: 'time', nullable: true },
  bytes: { type: 'binary', nullable: true },
  size: { type: 'enum', enum: ['small', 'large'], nullable: true },
} as const

const models = [
  defineModel('Bare', { columns: bare, meta: { allow_bulk: true } }),
  defineModel('Plain', { columns: plain, meta: { allow_bulk: true } }),
  defineModel('Mixed', {
    columns: {
      ...plain,
      at: { type: 'time', nullable: true },
      bytes: { type: 'binary', nullable: true },
      extra: { type: 'json', nullable: true },
    },
    meta: { allow_bulk: true },
  }),
] as const

const Flag = defineModel('Flag', {
  columns: {
    id,
    word: { type: 'string', maxLength: 5, unique: true },
    gone: { type: 'boolean', readOnly: false },
  },
  meta: { allow_bulk: true, soft_delete: true, soft_delete_attribute: 'gone' },
})

const common = [
  { whole: 0, far: '0', ratio: 0, price: '0.000', name: '', story: '', open: false },
  { whole: -2147483648, far: '-9223372036854775808', ratio: -1.5e-7, price: '-99999999.999' },
  { whole: 2147483647, far: '9223372036854775807', ratio: 0.1, price: '0.001', open: true },
  { ratio: 1.7976931348623157e308, name: 'NULL', story: 'null' },
  { ratio: 5e-324, name: '{a,"b"}', story: 'line\nbreak\ttab \\n and \\ alone' },
  { ratio: 123456789.12345679, name: `quotes " ' \` and \\"`, story: '€ 😀 \u2028 \u0001' },
  { day: '0001-01-01', seen: '1970-01-01T00:00:00.001Z' },
  { day: '9999-12-31', seen: '2024-02-29T23:59:59.999Z' },
  { code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01', day: '2024-02-29' },
  { name: ' spaces at both ends ', story: ' ', far: 12, price: 1.5, ratio: 3 },
]

/** Excludes texts in which JSON needs numeric escapes. */
const unescaped = [
  ...common.map((one) =>
    'story' in one && typeof one.story === 'string'
      ? { ...one, story: one.story.replace('\u0001', '') }
      : one,
  ),
  { at: '23:59:59', bytes: 'AAEC/w==', size: 'small', far: null },
  { at: '00:00:00', bytes: '', size: 'large', story: 'é😀'.repeat(20_000) },
  { price: null, name: null, story: null, ratio: null },
]

const others = [
  { at: '23:59:59', bytes: 'AAEC/w==', extra: { a: [1, null, 'x "y"'], b: {} } },
  { at: '00:00:00', bytes: '', extra: 'text' },
]

eachDatabase('values in a list', (test, db) => {
  test.before(() => createTables(db, [...models, Flag]))

  for (const [name, records] of [
    ['bares', unescaped],
    ['plains', common],
    ['mixeds', [...common, ...others]],
  ] as const) {
    test(`are stored as in writes of single records (${name})`, async () => {
      const api = testApi(db, [...models])
      const url = `/api/${name}`
      // Not every database stores years before 1000.
      const body =
        db.name === 'mysql'
          ? records.filter((one) => !('day' in one && one.day === '0001-01-01'))
          : records
      const without = ({ id: _, ...values }: Readonly<Record<string, unknown>>) => values
      const alone: unknown[] = []
      for (const record of body) {
        const { status, value } = await send(api, 'POST', url, { body: record })
        equal(status, 201)
        alone.push(without(value))
      }
      const created = await send(api, 'POST', url, { body })
      equal(created.status, 201)
      equal(created.value.map(without), alone)
      const keys: readonly number[] = created.value.map((one: { readonly id: number }) => one.id)
      const list = await send(api, 'GET', `${url}?id__in=(${keys.join(',')})&order_by=id`)
      equal(list.value, created.value)
      // Each record gets the values of the next one. The last one is first in the list, and in the response.
      const next = alone.map((_, i) => alone[(i + 1) % alone.length] as object)
      const changes = next.map((values, i) => ({ id: keys[i], ...values })).reverse()
      const changed = await send(api, 'PATCH', url, { body: changes })
      equal(changed.status, 200)
      equal(changed.value.map(without), next.reverse())
      const again = await send(api, 'GET', `${url}?id__in=(${keys.join(',')})&order_by=id`)
      equal(again.value, changed.value.reverse())
      // With the same value for all, the database finds the records in the order of their keys.
      const backwards = [...keys].reverse()
      const same = await send(api, 'PATCH', url, {
        body: backwards.map((id) => ({ id, whole: 4711 })),
      })
      equal(
        same.value.map((one: { readonly id: number }) => one.id),
        backwards,
      )
    })
  }

  test('of many records are changed by one UPDATE', async () => {
    const api = testApi(db, [...models])
    const body = Array.from({ length: 250 }, (_, i) => ({ whole: i, name: `name ${i}` }))
    const { value } = await send(api, 'POST', '/api/plains', { body })
    const changes = (value as readonly { readonly id: number }[]).map(({ id }, i) => ({
      id,
      ...{ whole: i + 1, far: `${i + 1}00`, ratio: i / 3, price: `${i}.250`, name: `it's ${i}` },
      ...{ open: i % 2 === 0, day: '2026-02-03', seen: `2026-02-03T04:05:06.${100 + i}Z` },
    }))
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/plains', { body: changes }),
    )
    equal(result.status, 200)
    const without = ({ story: _, code: __, ...values }: Readonly<Record<string, unknown>>) => values
    equal(result.value.map(without), changes)
    equal(statements.filter(({ sql }) => sql.startsWith('update ')).length, 1)
  })

  test('that a record leaves out do not change, whatever other records set', async () => {
    const api = testApi(db, [...models])
    await db.kysely.deleteFrom('plains').execute()
    const made = await send(api, 'POST', '/api/plains', {
      body: Array.from({ length: 30 }, (_, i) => ({ ...common[i % common.length], day: null })),
    })
    const stored = () => db.kysely.selectFrom('plains').selectAll().orderBy('id').execute()
    const before = await stored()
    const setters = [
      (i: number) => ({ name: `name ${i}` }),
      (i: number) => ({ whole: i + 5000, price: `${i}.125`, story: null }),
      (i: number) => ({ story: `story ${i}`, far: `${i + 70}` }),
    ] as const
    const changes = made.value.map(({ id }: { readonly id: number }, i: number) => ({
      id,
      ...setters[i % 3]?.(i),
    }))
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/plains', { body: changes }),
    )
    equal(
      result.value,
      changes.map((change: object, i: number) => ({ ...made.value[i], ...change })),
    )
    const updates = statements.filter(({ sql }) => sql.startsWith('update ')).length
    equal(updates, db.name === 'mysql' ? 3 : 1)
    const untouched = (rows: readonly object[]) =>
      rows.map((row, i) =>
        Object.entries(row).filter(([name]) => !(name in (changes[i] as object))),
      )
    equal(untouched(await stored()), untouched(before))
  })

  test('in responses about changed, unchanged and deleted records are those that reads return', async () => {
    const api = testApi(db, [Flag])
    const made = await send(api, 'POST', '/api/flags', {
      body: ['a', 'b', 'c', 'd'].map((word) => ({ word })),
    })
    const [a, b, c, d] = made.value
    const changed = await send(api, 'PATCH', '/api/flags', {
      body: [
        { id: d.id, word: 'D' },
        { id: a.id, word: 'a' },
        { id: b.id, gone: true },
        { id: c.id, word: 'C' },
      ],
    })
    equal(changed.status, 200)
    equal(changed.value, [{ ...d, word: 'D' }, a, null, { ...c, word: 'C' }])
    // No statement returns the last record, because nothing changes in it.
    const some = await send(api, 'PATCH', '/api/flags', {
      body: [{ id: d.id, word: 'DD' }, { id: a.id, word: 'AA' }, { id: c.id }],
    })
    equal(some.value, [
      { ...d, word: 'DD' },
      { ...a, word: 'AA' },
      { ...c, word: 'C' },
    ])
    const more = await send(api, 'POST', '/api/flags?on_conflict=word', {
      body: [{ word: 'e' }, { word: 'C' }, { word: 'f', gone: true }, { word: 'AA' }],
    })
    equal(more.status, 201)
    const words = more.value.map((one: { readonly word: string } | null) => one?.word)
    equal(words, ['e', 'C', undefined, 'AA'])
  })
})
