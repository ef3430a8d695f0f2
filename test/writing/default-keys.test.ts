/** Keys that a default of the database generates without a counter: `default (uuid())`. */
import { defineModel, hasMany } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Order = defineModel('Order', {
  table: 'orders',
  columns: {
    id: { type: 'string', primaryKey: true, hasDefault: true },
    title: { type: 'string', nullable: true },
  },
  relations: { items: hasMany('Item', 'order_id') },
  meta: {},
})

const Item = defineModel('Item', {
  table: 'items',
  columns: {
    id: { type: 'string', primaryKey: true, hasDefault: true },
    order_id: { type: 'string' },
    title: { type: 'string', nullable: true },
  },
  meta: {},
})

/** A numeric key whose default is not a counter, so that no driver reports it. */
const Numbered = defineModel('Numbered', {
  table: 'numbered',
  columns: {
    id: { type: 'bigint', primaryKey: true, hasDefault: true },
    title: { type: 'string', nullable: true },
  },
  meta: {},
})

const uuid = /^[0-9a-f-]{32,36}$/

const makes = {
  sqlite: [
    'varchar(36) default (lower(hex(randomblob(16))))',
    'int default (abs(random() % 1000))',
  ],
  postgres: ['varchar(36) default gen_random_uuid()::text', 'bigint default 7'],
  mysql: ['varchar(36) default (uuid())', 'bigint default (7)'],
} as const

eachDatabase('keys that the database generates', (test, db) => {
  const [made, number] = makes[db.name]
  const collate = db.name === 'mysql' ? ' collate utf8mb4_bin' : ''
  test.before(() =>
    db.execScript(`
      create table orders (id ${made} primary key, title varchar(20))${collate};
      create table items (id ${made} primary key, order_id varchar(36) not null references orders (id), title varchar(20))${collate};
      create table numbered (id ${number} primary key, title varchar(20))${collate};`),
  )
  const api = testApi(db, [Order, Item, Numbered], {
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_BULK: true,
  })

  test('are read back', async () => {
    const bodies = [{ title: 'one' }, {}]
    for (const body of bodies) {
      const made = await send(api, 'POST', '/api/orders', { body })
      equal(made.status, 201, made.text)
      match(made.value.id, uuid)
      equal(made.headers.location, `/api/orders/${made.value.id}`)
      equal((await read(api, `/api/orders/${made.value.id}`)).title, made.value.title)
    }
  })

  test('work for nested records and for lists', async () => {
    const body = { title: 'two', items: [{ title: 'a' }, { title: 'b' }] }
    const made = await send(api, 'POST', '/api/orders', { body })
    equal(made.status, 201, made.text)
    const items = await read(api, `/api/items?order_id__eq=${made.value.id}&order_by=title`)
    equal(
      items.map(({ title }: { title: string }) => title),
      ['a', 'b'],
    )
    for (const { id } of items) match(id, uuid)
    const list = await send(api, 'POST', '/api/orders', { body: [{ title: 'x' }, { title: 'y' }] })
    equal([list.status, list.value.length], [201, 2])
    for (const { id, title } of list.value) {
      equal((await read(api, `/api/orders/${id}`)).title, title)
    }
  })

  test('may be sent by the client', async () => {
    const made = await send(api, 'POST', '/api/orders', { body: { id: 'own', title: 'own' } })
    equal([made.status, made.value.id], [201, 'own'])
  })

  test('must be sent where the database does not return them', async () => {
    const made = await send(api, 'POST', '/api/numbereds', { body: { title: 'one' } })
    const list = await send(api, 'POST', '/api/numbereds', { body: [{ title: 'two' }] })
    if (db.engine === 'mysql') {
      const reason =
        'The database has a default for this field, but does not tell the value that it gives: send one.'
      equal([made.status, made.errors.reason], [400, { id: [reason] }])
      equal([list.status, list.errors.reason], [400, { '[0].id': [reason] }])
      equal(await read(api, '/api/numbereds'), [])
    } else {
      equal(made.status, 201, made.text)
      equal(await read(api, made.headers.location ?? ''), made.value)
    }
    const own = await send(api, 'POST', '/api/numbereds', { body: { id: '5000', title: 'own' } })
    equal([own.status, own.value.id], [201, '5000'])
  })

  test('are introspected as defaults', async () => {
    const { models } = await introspect(db.kysely)
    const found = models.find(({ name }) => name === 'Order')?.columns.id
    equal([found?.primaryKey, found?.hasDefault, found?.generated], [true, true, undefined])
  })
})

/** Keys of both types, and the functions that make them. */
const Doc = defineModel('Doc', {
  table: 'docs',
  columns: {
    id: { type: 'uuid', primaryKey: true, hasDefault: true },
    title: { type: 'string', maxLength: 20 },
  },
  relations: { pages: hasMany('Page', 'doc_id') },
  meta: {},
})
const Page = defineModel('Page', {
  table: 'pages',
  columns: {
    id: { type: 'string', maxLength: 40, primaryKey: true, hasDefault: true },
    doc_id: { type: 'uuid' },
    title: { type: 'string', maxLength: 20 },
  },
  meta: {},
})

eachDatabase('lists of records whose keys a function of the database makes', (test, db) => {
  const keys = {
    sqlite: [
      `text default (lower(hex(randomblob(4)) || '-0000-4000-8000-' || hex(randomblob(6))))`,
      'text default (hex(randomblob(16)))',
    ],
    postgres: ['uuid default gen_random_uuid()', 'varchar(40) default own.short_key()'],
    mysql: ['char(36) default (uuid())', 'varchar(40) default (uuid())'],
  }[db.name]
  const api = testApi(db, [Doc, Page], { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true })
  test.before(async () => {
    if (db.name === 'postgres') {
      await db.execScript(`create schema own;
        create function own.short_key() returns text volatile language sql as $$ select 'k' || md5(random()::text) $$`)
    }
    await db.execScript(`create table docs (id ${keys[0]} primary key, title varchar(20));
      create table pages (id ${keys[1]} primary key, doc_id ${String(keys[0]).split(' ')[0]} not null references docs (id), title varchar(20))`)
    await api.ready
  })

  const post = (count: number, pages: number) =>
    db.capture(() =>
      send(api, 'POST', '/api/docs?dump=json', {
        body: Array.from({ length: count }, (_, i) => ({
          title: `doc ${i}`,
          ...(pages > 0 && {
            pages: Array.from({ length: pages }, (_, j) => ({ title: `${i}.${j}` })),
          }),
        })),
      }),
    )

  for (const pages of [0, 2]) {
    test(`each record keeps its own key, with ${pages} nested records`, async () => {
      const { result } = await post(20, pages)
      equal(result.status, 201, result.text)
      equal(new Set(result.value.map(({ id }: { id: string }) => id)).size, 20)
      for (const [i, { id, title }] of result.value.entries()) {
        equal(title, `doc ${i}`)
        const found = await read(api, `/api/docs/${id}?dump=json`)
        equal(found.title, title)
        equal(
          found.pages.map((page: { title: string }) => page.title).sort(),
          Array.from({ length: pages }, (_, j) => `${i}.${j}`),
        )
      }
    })

    // SQLite does not tell the default as a function, so it inserts such records one by one.
    if (db.name !== 'sqlite') {
      test(`the number of statements does not grow with the list, with ${pages} nested records`, async () => {
        const [few, many] = [await post(3, pages), await post(30, pages)]
        equal(many.statements.length, few.statements.length)
      })
    }
  }
})
