/**
 * An embedded record whose key clients choose may be sent back with the fields that no client can write: it names the stored record.
 * Where there is none, it would create one, and these fields are refused.
 */
import { belongsTo, count, defineModel, hasMany, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const code = { type: 'string', maxLength: 20, primaryKey: true } as const

const Kind = defineModel('Kind', {
  columns: {
    code,
    name: { type: 'string', maxLength: 20, nullable: true },
    made: { type: 'datetime', nullable: true, managed: 'created' },
    rank: { type: 'integer', nullable: true, readOnly: true },
    gone: { type: 'boolean', default: false },
  },
  computed: {
    double: {
      type: 'integer',
      // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
      expression: (eb: any) => eb('rank', '*', 2),
    },
  },
  relations: { items: hasMany('Item', 'kind_code') },
  aggregates: { item_count: count('items') },
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'gone',
    soft_delete_values: [false, true],
  },
})

const Item = defineModel('Item', {
  columns: { code, kind_code: { type: 'string', maxLength: 20, nullable: true } },
  relations: {
    kind: belongsTo('Kind', 'kind_code'),
    kinds: manyToMany('Kind', { through: 'item_kinds', from: 'item_code', to: 'kind_code' }),
  },
  meta: {},
})

eachDatabase('embedded records with chosen keys', (test, db) => {
  const api = testApi(db, [Kind, Item], { API_ALLOW_NESTED_WRITES: true })
  const patch = (body: unknown) => send(api, 'PATCH', '/api/items/x', { body })
  test.before(async () => {
    await createTables(db, [Kind, Item])
    const made = '2024-01-01T00:00:00.000Z'
    await insertRows(db, Kind, [{ code: 'a', name: 'A', made, rank: 3, gone: false }])
    await insertRows(db, Item, [{ code: 'x', kind_code: 'a' }])
    await insertLinks(db, 'item_kinds', [{ item_code: 'x', kind_code: 'a' }])
  })

  test('may be sent back with read-only fields, alone and in a list of links', async () => {
    const { kind, kinds } = await read(api, '/api/items/x?dump=json')
    equal([kind.rank, kind.double, kind.item_count, kind.gone], [3, 6, 1, false])
    for (const body of [{ kind }, { kinds }, { kind, kinds }]) {
      const answer = await patch(body)
      equal([answer.status, answer.errors], [200, null])
    }
  })

  test('are refused if a read-only field differs from the stored one', async () => {
    const { status, errors } = await patch({ kind: { code: 'a', rank: 4 } })
    equal([status, Object.keys(errors.reason)], [400, ['kind.rank']])
  })

  test('create no record with fields that clients cannot write', async () => {
    const kind = { code: 'b', name: 'B', made: '2024-01-01T00:00:00.000Z', rank: 1, item_count: 2 }
    const reason = (path: string) => ({
      [`${path}.made`]: ['This field is set by the service.'],
      [`${path}.rank`]: ['This field is read-only.'],
      [`${path}.item_count`]: ['This field is read-only.'],
    })
    const one = await patch({ kind })
    equal([one.status, one.errors.reason], [400, reason('kind')])
    const many = await patch({ kinds: [{ code: 'a' }, kind] })
    equal([many.status, many.errors.reason], [400, reason('kinds[1]')])
    const inNew = await send(api, 'POST', '/api/items', { body: { code: 'y', kind } })
    equal([inNew.status, inNew.errors.reason], [400, reason('kind')])
    equal(await column(api, '/api/kinds', 'code'), ['a'])
    const plain = await patch({ kind: { code: 'b', name: 'B', gone: false } })
    equal([plain.status, plain.value.kind_code], [200, 'b'])
  })
})
