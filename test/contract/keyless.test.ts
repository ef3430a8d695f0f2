/** Models without a primary key: views and tables that are served only as lists. */
import { type AnyModel, belongsTo, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const

const Customer = defineModel('Customer', {
  columns: { id, name: { type: 'string' }, city: { type: 'string', nullable: true } },
  relations: {
    visits: hasMany('Visit', 'customer_id'),
    total: hasOne('OrderTotal', 'customer_id'),
    orders: hasMany('Order', 'customer_id'),
  },
  meta: {},
})
const Order = defineModel('Order', {
  columns: {
    id,
    customer_id: { type: 'integer' },
    amount: { type: 'decimal', precision: 8, scale: 2 },
  },
  relations: {
    customer: belongsTo('Customer', 'customer_id'),
    total: belongsTo('OrderTotal', 'customer_id', { references: 'customer_id' }),
  },
  meta: {},
})
/** A table without a key, whose rows may repeat. */
const Visit = defineModel('Visit', {
  columns: {
    customer_id: { type: 'integer', nullable: true },
    page: { type: 'string' },
    seen: { type: 'boolean' },
    guest_of: { type: 'integer', nullable: true, hidden: true },
    tags: { type: 'json', nullable: true },
  },
  relations: {
    customer: belongsTo('Customer', 'customer_id'),
    host: belongsTo('Customer', 'guest_of'),
  },
  readOnly: true,
  meta: {},
})
/** A view with a unique column, but without a key. */
const OrderTotal = defineModel('OrderTotal', {
  columns: {
    customer_id: { type: 'integer', unique: true },
    orders: { type: 'integer' },
    amount: { type: 'decimal', precision: 12, scale: 2 },
  },
  relations: {
    customer: belongsTo('Customer', 'customer_id'),
    placed: hasMany('Order', 'customer_id', { references: 'customer_id' }),
  },
  readOnly: true,
  meta: {},
})
const models: readonly AnyModel[] = [Customer, Order, Visit, OrderTotal]

const script = `
create table customers (id integer primary key, name varchar(40) not null, city varchar(40));
create table orders (id integer primary key, customer_id integer not null, amount decimal(8, 2) not null);
create table visits (customer_id integer, page varchar(40) not null, seen boolean not null, guest_of integer, tags json);
create view order_totals as select customer_id, count(*) as orders, sum(amount) as amount from orders group by customer_id;
insert into customers values (1, 'Ada', 'Rome'), (2, 'Bob', null), (3, 'Cy', 'Oslo');
insert into orders values (1, 1, 10), (2, 1, 20.5), (3, 2, 5);
insert into visits values (1, '/b', true, 2, null), (2, '/a', false, null, '{"x":1}'), (null, '/c', true, null, null),
  (1, '/a', true, null, null), (1, '/a', true, null, null), (3, '/a', false, 1, null);
`

const on = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
}

eachDatabase('models without a primary key', (test, db) => {
  test.before(() => db.execScript(script))
  const api = testApi(db, models, on)
  const pages = (path: string) => read(api, `${path}&fields=customer_id,page`)

  test('are lists, ordered by all visible columns, so that pages do not overlap', async () => {
    const all = [
      { customer_id: 1, page: '/a' },
      { customer_id: 1, page: '/a' },
      { customer_id: 1, page: '/b' },
      { customer_id: 2, page: '/a' },
      { customer_id: 3, page: '/a' },
      { customer_id: null, page: '/c' },
    ]
    equal(await pages('/api/visits?limit=10'), all)
    equal(
      [...(await pages('/api/visits?limit=4')), ...(await pages('/api/visits?limit=4&page=2'))],
      all,
    )
    equal(
      (await pages('/api/visits?order_by=-page')).map((row: { page: string }) => row.page),
      ['/c', '/b', '/a', '/a', '/a', '/a'],
    )
  })

  test('take filters, counts, groups, aggregates and conditions on related rows', async () => {
    equal((await get(api, '/api/visits?page__eq=/a&seen__eq=true')).total, 2)
    equal((await get(api, '/api/visits?tags__isnull=false')).value[0].tags, { x: 1 })
    equal(await read(api, '/api/visits?groupby=page&customer_id__count=1&order_by=page'), [
      { page: '/a', customer_id_count: 4 },
      { page: '/b', customer_id_count: 1 },
      { page: '/c', customer_id_count: 0 },
    ])
    equal((await get(api, '/api/visits?exists(customer.orders.amount__gt=15)')).total, 3)
    equal((await get(api, '/api/order-totals?exists(placed.amount__gt=15)')).total, 1)
    equal((await get(api, '/api/customers?missing(visits)')).total, 0)
    equal((await get(api, '/api/customers?exists(visits.page__eq=/b)&fields=id')).value, [
      { id: 1 },
    ])
  })

  test('join both ways, and repeat no row of the base', async () => {
    equal(
      await read(api, '/api/visits?join=customer&customer.city__eq=Oslo&fields=page,customer.name'),
      [{ page: '/a', name: 'Cy' }],
    )
    equal((await get(api, '/api/order-totals?join=placed')).total, 2)
    equal((await get(api, '/api/order-totals?join=placed&placed.amount__gt=15')).value.length, 1)
    equal(await read(api, '/api/order-totals?join=placed&fields=orders,placed.amount'), [
      { orders: 2, amount: '10.00' },
      { orders: 2, amount: '20.50' },
      { orders: 1, amount: '5.00' },
    ])
    equal((await get(api, '/api/visits?join=customer.orders')).total, 4)
    const [ada] = await read(api, '/api/customers?join=total,visits&dump=dynamic&order_by=id')
    equal(ada.total, {
      customer_id: 1,
      orders: 2,
      amount: '30.50',
      customer: '/api/customers/1',
    })
    equal(
      ada.visits.map((row: { page: string }) => row.page),
      ['/a', '/a', '/b'],
    )
    equal(
      (await read(api, '/api/orders?join=total&dump=dynamic&order_by=id')).map(
        (row: { total: { orders: number } }) => row.total.orders,
      ),
      [2, 2, 1],
    )
  })

  test('a condition that needs the key of each row is refused', async () => {
    const many = Array.from({ length: 6 }, (_, i) => `or[placed.amount__eq=${i},orders__eq=${i}]`)
    await refuses(api, `/api/order-totals?join=placed&${many.join('&')}`, {
      code: 'too_many_alternatives',
    })
  })

  test('a row has the URLs of the records that it refers to, but no URL of its own', async () => {
    // A repeated query uses the cached plan, and JSON that the database builds.
    for (let time = 1; time <= 3; time++) {
      const rows = await read(api, '/api/visits?page__eq=/b')
      equal(rows, [
        { customer_id: 1, page: '/b', seen: true, tags: null, customer: '/api/customers/1' },
      ])
      equal((await read(api, '/api/visits?page__eq=/c'))[0].customer, null)
      // `guest_of`, the key of the host, is hidden; the embedded host is complete nevertheless.
      equal((await read(api, '/api/visits?page__eq=/b&join=host&dump=dynamic'))[0].host.name, 'Bob')
      equal((await read(api, '/api/order-totals?dump=json'))[0].placed.length, 2)
      equal((await read(api, '/api/order-totals'))[0], {
        customer_id: 1,
        orders: 2,
        amount: '30.50',
        customer: '/api/customers/1',
      })
      equal((await read(api, '/api/orders/1')).total, '/api/orders/1/total')
    }
  })

  test('are read through the relations of records that have a key', async () => {
    equal((await get(api, '/api/customers/1/visits')).total, 3)
    equal((await get(api, '/api/customers/1/visits?page__eq=/b')).value.length, 1)
    const first = await get(api, '/api/customers/1/total?fields=orders')
    equal(first.value, { orders: 2 })
    const again = await get(api, '/api/customers/1/total?fields=orders', {
      'if-none-match': first.headers.etag ?? '',
    })
    equal(again.status, 304)
    await refuses(api, '/api/customers/3/total', { status: 404 })
    equal((await get(api, '/api/orders/1/total')).value.amount, '30.50')
  })

  test('have no paths for rows, and no method but GET', async () => {
    for (const path of ['/api/visits/1', '/api/visits/1/customer', '/api/visits/']) {
      const { body } = await refuses(api, path, { status: 404, code: 'no_record_urls' })
      match(JSON.stringify(body.errors), 'the rows of /api/visits have no key')
    }
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const { status, headers } = await send(api, method, '/api/visits', { body: {} })
      equal([status, headers.allow], [405, 'GET, HEAD, QUERY, OPTIONS'])
    }
  })

  test('cannot be written through other records, nor linked by an object without a key', async () => {
    const { status } = await send(api, 'POST', '/api/customers', {
      body: { id: 9, name: 'Dee', visits: [{ page: '/x', seen: true }] },
    })
    equal(status, 403)
    // All fields of an existing row: it would be a link if the model had a key.
    const total = { customer_id: 2, orders: 1, amount: '5.00' }
    const linked = await send(api, 'POST', '/api/orders', {
      body: { id: 9, amount: '1.00', total },
    })
    equal(linked.status, 403)
    equal((await get(api, '/api/customers')).total, 3)
    equal((await get(api, '/api/orders')).total, 3)
  })

  test('a cursor needs an order in which no two rows are equal', async () => {
    await refuses(api, '/api/visits?paging=cursor', { code: 'unsupported_query' })
    await refuses(api, '/api/visits?paging=cursor&order_by=page', { code: 'unsupported_query' })
    const { body } = await get(
      api,
      '/api/order-totals?paging=cursor&limit=1&dump_relationships=false',
    )
    equal(body.value[0].customer_id, 1)
    equal((await get(api, body.next_url)).value[0].customer_id, 2)
  })

  test('rows of a view do not keep the records that it shows from being deleted', async () => {
    await db.execScript(
      "insert into customers values (4, 'Eve', null); insert into orders values (8, 4, 1);",
    )
    equal((await send(api, 'DELETE', '/api/orders/8')).status, 200)
    await db.execScript('insert into orders values (8, 4, 1);')
    equal((await send(api, 'DELETE', '/api/customers/4?cascade_delete=1')).status, 200)
    equal((await get(api, '/api/order-totals?customer_id__eq=4')).total, 0)
  })

  test('the document has their lists, and no paths of records', async () => {
    const { paths } = await api.openapi()
    const own = Object.keys(paths ?? {}).filter((path) => path.includes('/visits'))
    equal(own.sort(), ['/api/customers/{id}/visits', '/api/visits'])
    equal(Object.keys(paths?.['/api/visits'] ?? {}).sort(), ['get', 'x-aliases'])
  })

  test('exposure names what is published', () => {
    match(api.exposure(), /Visit\n {4}GET \/api\/visits\n {4}also at/)
    ok(!api.exposure().includes('/api/visits/<id>'))
  })

  test('a forgotten key is a warning; readOnly says that it is meant', () => {
    const warnings: string[] = []
    const forgotten = defineModel('Visit', { columns: Visit.columns, meta: {} })
    testApi(db, [forgotten], {}, { onWarning: (message) => warnings.push(message) })
    match(warnings.join('\n'), 'Visit has no primary key, so it is served as a list')
    warnings.length = 0
    testApi(
      db,
      [Visit, Customer, Order, OrderTotal],
      {},
      { onWarning: (message) => warnings.push(message) },
    )
    equal(warnings, [])
  })

  test('declarations that need a key are refused at start-up', () => {
    const start = (extra: object, meta: object = {}): string =>
      throws(() =>
        testApi(db, [
          Customer,
          Order,
          OrderTotal,
          defineModel('Visit', { columns: Visit.columns, ...extra, meta } as never),
        ]),
      ).message
    match(
      start({ relations: { orders: hasMany('Order', 'customer_id') } }),
      "models.Visit.relations.orders: Visit has no primary key to refer to. Name a unique column of it: hasMany(…, …, { references: 'code' })",
    )
    match(
      start({ relations: { orders: manyToMany('Order', { through: 'x', from: 'a', to: 'b' }) } }),
      'models.Visit.relations.orders: Visit has no primary key, and a junction pairs primary keys.',
    )
    match(
      start({}, { allowed_methods: ['GET', 'POST'] }),
      'models.Visit.meta.allowed_methods: Visit has no primary key, so it is read only; take POST away, or mark its key primaryKey: true.',
    )
    for (const allow_bulk of [true, ['POST'] as const]) {
      match(start({}, { allow_bulk }), 'models.Visit.meta.allow_bulk: Visit has no primary key')
    }
    match(start({ readOnly: 'yes' }), 'models.Visit.readOnly: expected true or false')
  })

  test('a view with a key is read by its key, and is read-only', async () => {
    const Total = defineModel('OrderTotal', {
      columns: {
        customer_id: { type: 'integer', primaryKey: true },
        orders: { type: 'integer' },
      },
      readOnly: true,
      meta: {},
    })
    const keyed = testApi(db, [Total], on)
    equal(await read(keyed, '/api/order-totals/2'), { customer_id: 2, orders: 1 })
    for (const method of ['PATCH', 'DELETE']) {
      const { status, headers } = await send(keyed, method, '/api/order-totals/2', { body: {} })
      equal([status, headers.allow], [405, 'GET, HEAD, OPTIONS'])
    }
    match(
      throws(() => testApi(db, [{ ...Total, meta: { allowed_methods: ['PATCH'] } }])).message,
      'OrderTotal is read only (readOnly); take PATCH away.',
    )
  })
})
