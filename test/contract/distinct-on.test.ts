/** `distinct_on`: one record for each value, the first by the order, after filters and before pages and totals. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Writer = defineModel('Writer', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: { essays: hasMany('Essay', 'writer_id') },
  meta: {},
})
const Essay = defineModel('Essay', {
  columns: {
    id,
    writer_id: { type: 'integer', nullable: true },
    published: { type: 'date' },
    kind: { type: 'string', maxLength: 10 },
  },
  relations: { writer: belongsTo('Writer', 'writer_id') },
  meta: {},
})

const on = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_BULK: true,
}

eachDatabase('distinct_on', (test, db) => {
  const api = testApi(db, [Writer, Essay], on)
  test.before(async () => {
    await createTables(db, [Writer, Essay])
    await insertRows(db, Writer, [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
    ])
    await insertRows(db, Essay, [
      { id: 1, writer_id: 1, published: '2020-01-01', kind: 'a' },
      { id: 2, writer_id: 1, published: '2022-01-01', kind: 'A' },
      { id: 3, writer_id: 2, published: '2021-01-01', kind: 'a' },
      { id: 4, writer_id: 2, published: '2019-01-01', kind: 'b' },
      { id: 5, writer_id: null, published: '2018-01-01', kind: 'b' },
      { id: 6, writer_id: null, published: '2023-01-01', kind: 'B' },
    ])
  })
  const newest = '/api/essays?distinct_on=writer_id&order_by=writer_id,-published'

  test('gives the first record of each value by the order; NULLs are one value', async () => {
    const answer = await get(api, newest)
    equal(
      answer.value.map((one: { id: number }) => one.id),
      [2, 3, 6],
    )
    equal(answer.body.total_count, 3)
    equal(
      await column(api, '/api/essays?distinct_on=writer_id&order_by=-writer_id,published'),
      [5, 4, 1],
    )
    equal(await read(api, `${newest}&fields=id,writer.name&join=writer`), [
      { id: 2, name: 'Ann' },
      { id: 3, name: 'Bob' },
    ])
  })

  test('texts are equal by code point, and several columns are one value', async () => {
    equal(await column(api, '/api/essays?distinct_on=kind&order_by=kind,id'), [2, 6, 1, 4])
    equal(
      await column(
        api,
        '/api/essays?distinct_on=kind,writer_id&order_by=-writer_id.nullslast,kind,id',
      ),
      [3, 4, 2, 1, 6, 5],
    )
  })

  test('filters and policies apply before', async () => {
    equal(await column(api, `${newest}&published__lt=2022-01-01`), [1, 3, 5])
    const scope = { id: { nin: [2, 6] } }
    const narrowed = testApi(db, [Writer, { ...Essay, meta: { access_policy: { scope } } }], on)
    equal(await column(narrowed, newest), [1, 3, 5])
    equal(
      await column(
        api,
        '/api/essays?distinct_on=writer_id&order_by=writer_id,-published&join=writer&writer.name__eq=Bob',
      ),
      [3],
    )
  })

  test('the first record is chosen among those that the caller may see', async () => {
    const forms: Readonly<Record<string, AccessPolicy>> = {
      query: { scope_query: (query, { user }) => query.where('id', '!=', Number(user?.id)) },
      conditions: { scope: { id: { ne: ({ user }) => Number(user?.id) } } },
      'a join': {
        scope_query: (query, { user }) =>
          query
            .leftJoin('essays as others', 'others.writer_id', 'essays.writer_id')
            .where('essays.id', '!=', Number(user?.id)),
      },
    }
    for (const [form, access_policy] of Object.entries(forms)) {
      const scoped = testApi(db, [Writer, { ...Essay, meta: { access_policy } }], on)
      for (const [hidden, expected] of [
        [2, [1, 3, 6]],
        [6, [2, 3, 5]],
        [1, [2, 3, 6]],
        [2, [1, 3, 6]],
      ] as const) {
        const user = { id: hidden }
        const { body } = await send(scoped, 'GET', newest, { user })
        const ids = body.value.map((one: { id: number }) => one.id)
        equal([ids, body.total_count], [expected, 3], form)
      }
      const two = await send(scoped, 'GET', `${newest}&limit=1&page=2&writer_id__isnull=false`, {
        user: { id: 3 },
      })
      equal([two.value[0].id, two.total], [4, 2], form)
    }
  })

  test('a soft-deleted record is not the first of its value, unless the request includes those', async () => {
    // The essay 2, the newest of its writer, is deleted.
    const deletion = {
      soft_delete: true,
      soft_delete_attribute: 'kind',
      soft_delete_values: ['a', 'A'],
    }
    const deleting = testApi(db, [Writer, { ...Essay, meta: deletion }] as AnyModel[], on)
    equal(await column(deleting, newest), [1, 3, 6])
    equal(await column(deleting, `${newest}&include_deleted=true`), [2, 3, 6])
    const ofOne = '/api/writers/1/essays?distinct_on=writer_id&order_by=writer_id,-published'
    equal(await column(deleting, ofOne), [1])
    equal(await column(deleting, `${ofOne}&include_deleted=true`), [2])
  })

  test('pages and cursors, in both directions', async () => {
    equal(await column(api, `${newest}&limit=2&page=2`), [6])
    const first = await get(api, `${newest}&limit=1&paging=cursor`)
    const second = await get(api, first.body.next_url)
    const third = await get(api, second.body.next_url)
    equal(
      [first, second, third].map(({ value }) => value[0].id),
      [2, 3, 6],
    )
    equal((await get(api, third.body.previous_url)).value[0].id, 3)
    equal(third.body.next_url, null)
  })

  test('is refused without an order that begins with its columns, with groups and with joins of many', async () => {
    for (const query of ['distinct_on=writer_id', 'distinct_on=writer_id&order_by=-published']) {
      await refuses(api, `/api/essays?${query}`, { says: ['order_by=writer_id,…'] })
    }
    await refuses(api, '/api/essays?distinct_on=kind&groupby=kind&order_by=kind', {
      says: ['groups'],
    })
    await refuses(api, '/api/writers?distinct_on=name&order_by=name&join=essays', {
      says: ['several rows'],
    })
    await refuses(api, '/api/essays?distinct_on=writer.name&order_by=writer.name&join=writer', {
      says: ['itself'],
    })
    await refuses(api, '/api/essays?distinct_on=kindd&order_by=kind', { says: ['kind'] })
    await refuses(api, '/api/essays/1?distinct_on=kind', { says: ['single object'] })
    await refuses(api, 'DELETE /api/essays?kind__eq=a&distinct_on=kind')
  })
})
