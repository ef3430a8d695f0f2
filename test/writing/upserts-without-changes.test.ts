/** An upsert that changes nothing leaves the `managed: 'updated'` columns of its records as they are. */
import {
  type AnyModel,
  type ApiConfig,
  type Change,
  defineModel,
  manyToMany,
} from '@model-api/core'
import { type Answer, frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const start = '2026-01-02T03:04:05.678Z'
const later = '2026-01-02T03:04:06.678Z'

const itemWith = (meta: object = {}): AnyModel =>
  defineModel('Item', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      code: { type: 'string', maxLength: 20, unique: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      at: { type: 'datetime', nullable: true },
      extra: { type: 'json', nullable: true },
      cost: { type: 'integer', nullable: true },
      note: { type: 'string', maxLength: 20, nullable: true },
      updated: { type: 'datetime', managed: 'updated' },
    },
    relations: {
      tags: manyToMany('Tag', { through: 'item_tags', from: 'item_id', to: 'tag_id' }),
    },
    meta,
  })

const Tag = defineModel('Tag', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 20 },
  },
  meta: {},
})

const stored = ['a', 'b', 'c'].map((code, i) => ({
  id: i + 1,
  code,
  price: '10.50',
  at: '2026-01-01T00:00:00.000Z',
  extra: { x: 1, y: [2] },
  cost: 5,
  note: 'old',
  updated: start,
}))

eachDatabase('upserts without changes', (test, db) => {
  let clock = frozenClock(start)
  let changes: readonly Change[] = []
  const apiWith = (config: ApiConfig = {}, meta: object = {}) =>
    testApi(
      db,
      [itemWith(meta), Tag],
      { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true, ...config },
      { clock },
    )
  const noting: ApiConfig = {
    API_BEFORE_COMMIT_CALLBACK: (all) => {
      changes = all
    },
  }
  test.before(async () => {
    await createTables(db, [itemWith(), Tag])
    if (db.name === 'postgres')
      await db.execScript('alter table items alter column id restart with 100')
  })
  test.before.each(async () => {
    clock = frozenClock(start)
    changes = []
    for (const table of ['item_tags', 'items', 'tags']) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Tag, [{ id: 1, name: 'x' }])
    await insertRows(db, itemWith(), stored)
    clock.tick(1000)
  })
  const timesOf = async (): Promise<readonly string[]> => {
    const { value } = await get(apiWith(), '/api/items?order_by=id')
    return value.map(({ updated }: { updated: string }) => updated)
  }
  const upsert = async (
    body: unknown,
    config: ApiConfig = {},
    meta: object = {},
  ): Promise<Answer> => {
    const api = apiWith(config, meta)
    const answer = await send(api, 'POST', '/api/items?on_conflict=code', {
      body,
    })
    ok(answer.status < 300, answer.text)
    return answer
  }
  const sameAs = ({ id: _, updated: __, ...item }: (typeof stored)[number]) => item
  const same = stored.map(sameAs)
  const [a, b, c] = same as [object, object, object]

  test('a list sets the time of the records that change, and of no other', async () => {
    const { value } = await upsert([a, { ...b, price: '11' }, c], noting)
    equal(
      value.map(({ updated }: { updated: string }) => updated),
      [start, later, start],
    )
    equal(await timesOf(), [start, later, start])
    equal(
      changes.map(({ action, key }) => [action, key]),
      [['update', [2]]],
    )
  })

  test('a list that changes nothing writes nothing', async () => {
    const { statements } = await db.capture(() => upsert(same))
    equal(
      statements.filter(({ sql }) => /^(?:update|insert)/.test(sql)).map(({ sql }) => sql),
      [],
    )
    equal(await timesOf(), [start, start, start])
  })

  test('neither does one object, and its ETag stays', async () => {
    const before = await get(apiWith(), '/api/items/1')
    await upsert(a, noting)
    equal(changes, [])
    equal((await get(apiWith(), '/api/items/1')).headers.etag, before.headers.etag)
    await upsert({ ...a, at: null })
    equal((await timesOf())[0], later)
  })

  test('equal values may be written in other ways', async () => {
    const other = { price: '10.5', at: '2026-01-01T01:00:00+01:00', extra: { y: [2], x: 1 } }
    await upsert([
      { ...a, ...other },
      { ...b, ...other, extra: { x: 1, y: [3] } },
    ])
    equal(await timesOf(), [start, later, start])
  })

  test('a list with records of different fields compares those of each', async () => {
    await upsert([
      { code: 'a', price: '10.50' },
      { code: 'b', cost: 6 },
      { code: 'c', cost: 5 },
    ])
    equal(await timesOf(), [start, later, start])
  })

  test('records of which different fields change are changed by one UPDATE', async () => {
    const { statements } = await db.capture(() =>
      upsert([
        { ...a, cost: 6 },
        { ...b, note: 'new' },
        { ...c, cost: 7, note: null },
      ]),
    )
    equal(statements.filter(({ sql }) => sql.startsWith('update')).length, 1)
    const { value } = await get(apiWith(), '/api/items?order_by=id&fields=cost,note')
    equal(value, [
      { cost: 6, note: 'old' },
      { cost: 5, note: 'new' },
      { cost: 7, note: null },
    ])
  })

  test('the same record in a list again is shown as it is at the end', async () => {
    const body = ['a', 'b', 'a'].map((code, i) => ({ code, cost: 10 + i }))
    const { value } = await send(apiWith(), 'POST', '/api/items?on_conflict=code', { body })
    equal(
      value.map(({ cost }: { cost: number }) => cost),
      [12, 11, 12],
    )
    await upsert([
      { ...a, cost: 9 },
      { ...a, cost: 12 },
    ])
    const [first] = (await get(apiWith(), '/api/items?order_by=id')).value
    equal(first.cost, 12)
  })

  test('the same record twice in a list is changed by what differs', async () => {
    await upsert([a, a])
    equal((await timesOf())[0], start)
    await upsert([a, { ...a, cost: 9 }])
    equal((await timesOf())[0], later)
  })

  test('a callback receives the time only if something changes', async () => {
    const received: unknown[] = []
    const meta = {
      update_callback: (record: { updated: string }) => {
        received.push(record.updated)
        return record
      },
    }
    await upsert([a, { ...b, cost: 6 }], {}, meta)
    equal(received, [start, later])
    equal(await timesOf(), [start, later, start])
  })

  test('a change by a callback sets the time, unless its record has no time', async () => {
    const meta = (omits: string) => ({
      update_callback: ({ updated, ...record }: { code: string; updated: string }) => ({
        ...record,
        ...(record.code !== 'c' && { cost: 7 }),
        ...(record.code === omits ? {} : { updated }),
      }),
    })
    const { value } = await upsert(same, {}, meta('b'))
    equal(
      value.map(({ cost, updated }: { cost: number; updated: string }) => [cost, updated]),
      [
        [7, later],
        [7, start],
        [5, start],
      ],
    )
  })

  test('changed links set the time, and the same links do not', async () => {
    await upsert([
      { ...a, tags: [{ id: 1 }] },
      { ...b, tags: [] },
    ])
    equal(await timesOf(), [later, start, start])
    clock.tick(1000)
    await upsert([{ ...a, tags: [{ id: 1 }] }, b])
    equal(await timesOf(), [later, start, start])
  })

  test('can_update is asked for each stored record, and can keep a field as it is', async () => {
    const asked: unknown[] = []
    const can_update = (item: { id: number; cost: number }, sent: { cost?: number }) => {
      asked.push(item.id)
      return sent.cost === undefined || sent.cost === item.cost
    }
    const meta = { access_policy: { can_update } }
    await upsert([a, b], {}, meta)
    await upsert({ code: 'c', note: 'new' }, {}, meta)
    equal(asked, [1, 2, 3])
    const body = [a, { ...b, cost: 6 }]
    const refused = await send(apiWith({}, meta), 'POST', '/api/items?on_conflict=code', { body })
    equal([refused.status, Object.keys(refused.errors.reason)], [403, ['[1]']])
  })

  test('PATCH and PUT always set it', async () => {
    const api = apiWith(
      {},
      {
        allowed_methods: ['GET', 'PATCH', 'PUT'],
      },
    )
    await send(api, 'PATCH', '/api/items/1', { body: a })
    await send(api, 'PUT', '/api/items/2', { body: b })
    await send(api, 'PATCH', '/api/items', { body: [{ id: 3, ...c }] })
    equal(await timesOf(), [later, later, later])
  })
})
