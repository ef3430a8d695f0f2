/** Each nested record, at any depth, passes the rules of its own model as if it were sent alone; one refusal stores nothing. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { countRows } from '../writing/models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 10 } as const

/** A shop has shelves, and a shelf has items; the rules are those of items. */
const modelsWith = (rules: object, column: object = {}): readonly AnyModel[] => [
  defineModel('Shop', {
    columns: { id, name },
    relations: { shelves: hasMany('Shelf', 'shop_id') },
    meta: {},
  }),
  defineModel('Shelf', {
    columns: { id, shop_id: { type: 'integer', nullable: true } },
    relations: { shop: belongsTo('Shop', 'shop_id'), items: hasMany('Item', 'shelf_id') },
    meta: {},
  }),
  defineModel('Item', {
    columns: {
      id,
      name,
      price: { type: 'integer', nullable: true, ...column },
      shelf_id: { type: 'integer', nullable: true },
    },
    relations: { shelf: belongsTo('Shelf', 'shelf_id') },
    meta: rules,
  }) as unknown as AnyModel,
]

interface Rule {
  readonly meta: object
  /** Options of the column `price`. */
  readonly column?: object
  readonly item?: object
  /** Who sends it; null for nobody. */
  readonly user?: object | null
  /** The status of the item that is sent alone, and of the same one as a nested record. */
  readonly alone: number
  readonly nested: number
}

const item = { name: 'lamp', price: 3 }

const rules: Readonly<Record<string, Rule>> = {
  none: { meta: {}, alone: 201, nested: 201 },
  'a method that is not allowed': {
    meta: { allowed_methods: ['GET'] },
    alone: 405,
    nested: 403,
  },
  'a role': { meta: { role_map: { POST: 'buyer' } }, alone: 403, nested: 403 },
  authentication: {
    meta: { auth_requirements: { POST: true } },
    user: null,
    alone: 401,
    nested: 403,
  },
  can_create: {
    meta: { access_policy: { can_create: (one: { price: number }) => one.price > 3 } },
    alone: 403,
    nested: 403,
  },
  'a right of a column': { meta: {}, column: { write: 'buyer' }, alone: 400, nested: 400 },
  'a read-only column': { meta: {}, column: { readOnly: true }, alone: 400, nested: 400 },
  'a hidden column': { meta: {}, column: { hidden: true }, alone: 400, nested: 400 },
  'a validator': {
    meta: {},
    column: { validator: (value: unknown) => Number(value) > 3 },
    alone: 400,
    nested: 400,
  },
  'the type of a column': { meta: {}, item: { ...item, price: 'x' }, alone: 400, nested: 400 },
  'the length of a column': {
    meta: {},
    item: { ...item, name: 'x'.repeat(11) },
    alone: 400,
    nested: 400,
  },
  'a required column': { meta: {}, item: { price: 3 }, alone: 400, nested: 400 },
}

const anyone = { id: 1, roles: [] }

const tables = ['shops', 'shelves', 'items']

eachDatabase('a nested record', (test, db) => {
  test.before(() => createTables(db, modelsWith({})))

  for (const [
    rule,
    { meta, column, item: sent = item, user = anyone, alone, nested },
  ] of Object.entries(rules)) {
    test(`passes the rules of its model: ${rule}`, async () => {
      const api = testApi(
        db,
        modelsWith(meta, column),
        {
          API_ALLOW_NESTED_WRITES: true,
          API_ALLOW_BULK: true,
          API_AUTHENTICATE_METHOD: ['custom'],
          API_CUSTOM_AUTH: () => undefined,
          API_AUTH_REQUIREMENTS: { '*': false },
        },
        { onWarning: () => {} },
      )
      const statusOf = async (method: string, url: string, body: unknown): Promise<number> => {
        const before = await countRows(db, ...tables)
        const { status } = await send(api, method, url, {
          body,
          ...(user === null ? {} : { user }),
        })
        if (status >= 400) equal(await countRows(db, ...tables), before, `${method} ${url}`)
        return status
      }
      const shelf = { items: [{ ...item, price: 9, name: 'first' }, sent] }
      equal(
        [
          await statusOf('POST', '/api/items', sent),
          await statusOf('POST', '/api/shelves', { items: [sent] }),
          await statusOf('POST', '/api/shelves', [{}, { items: [sent] }]),
          await statusOf('POST', '/api/shops', { name: 'a', shelves: [{ items: [sent] }] }),
          await statusOf('POST', '/api/shops', { name: 'a', shelves: [{}, shelf] }),
        ],
        [alone, nested, nested, nested, nested],
      )
    })
  }

  test('counts with its request, not against the rate limit of its model', async () => {
    const api = testApi(db, modelsWith({ post_rate_limit: '1 per hour' }), {
      API_ALLOW_NESTED_WRITES: true,
    })
    const statusOf = async (url: string, body: unknown) =>
      (await send(api, 'POST', url, { body })).status
    for (let time = 0; time < 3; time++) {
      equal(await statusOf('/api/shelves', { items: [item, item] }), 201)
    }
    equal([await statusOf('/api/items', item), await statusOf('/api/items', item)], [201, 429])
  })
})
