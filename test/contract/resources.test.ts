/**
 * Resources: fields of a model, hidden and computed columns, names, soft delete and base models, following the specification
 * sentence by sentence.
 */
import {
  type AnyModel,
  belongsTo,
  defineBase,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { column, read, refuses, succeeds } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const on = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('specification: model-derived resources', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('1 one JSON field per column, named as the field', async () => {
    const author = await read(api, '/api/authors/1?dump_relationships=false')
    equal(author, {
      id: 1,
      name: 'Ann Archer',
      country: 'GB',
      bornOn: '1970-01-31',
      mentor_id: null,
      initial: 'A',
    })
  })

  test('1 the database name of a column is unknown to clients', async () => {
    equal(await column(api, '/api/authors?bornOn__lt=1900-01-01'), [3])
    equal(await read(api, '/api/authors?order_by=-bornOn&fields=bornOn&limit=2'), [
      { bornOn: null },
      { bornOn: '1999-12-31' },
    ])
    equal((await read(api, '/api/authors?groupby=year(bornOn)|y'))[0], { y: 1890 })
    for (const query of [
      'born_on__eq=1970-01-31',
      'order_by=born_on',
      'fields=born_on',
      'groupby=born_on',
    ]) {
      await refuses(api, `/api/authors?${query}`, { code: 'unknown_column' })
    }
  })

  test('2 relationship fields follow the columns', async () => {
    equal(Object.keys(await read(api, '/api/tags/1')), ['id', 'name', 'books'])
  })

  test('what the service does 2: a model without Meta gets no endpoint, and no relation to it is visible', async () => {
    const Note = defineModel('Note', {
      table: 'tags',
      columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
      relations: { secretBooks: hasMany('Audit', 'id') },
      meta: {},
    })
    const Audit = shop.find(({ name }) => name === 'Audit') as AnyModel
    const notes = testApi(db, [Note, Audit], on)
    equal(Object.keys(await read(notes, '/api/notes/1')), ['id', 'name'])
    await refuses(notes, '/api/notes/1/secret-books', { status: 404 })
    await refuses(notes, '/api/notes?join=secretBooks', {
      error: 'Invalid join model: secretBooks',
    })
    await refuses(notes, '/api/notes?exists(secretBooks)')
    await refuses(notes, '/api/audits', { status: 404 })
  })

  test('computed columns can be used wherever a column can', async () => {
    equal(await column(api, '/api/authors?initial__eq=b'), [2])
    equal(await column(api, '/api/authors?order_by=-initial'), [3, 2, 4, 1])
    equal(await read(api, '/api/authors?fields=initial&id__eq=3'), [{ initial: 'Č' }])
    equal(await read(api, '/api/authors?groupby=initial,id|n__count=1&limit=1'), [
      { initial: 'A', n: 1 },
    ])
    equal(await read(api, '/api/authors?initial__max=1'), [{ initial_max: 'Č' }])
    equal(await column(api, '/api/books?join=author&author.initial__eq=A'), [1])
    equal(await column(api, '/api/books?exists(author.initial__in=(A,b))'), [1, 2])
    equal((await read(api, '/api/books/1?dump=json')).author.initial, 'A')
    equal(await read(api, '/api/books/1/author?fields=initial'), { initial: 'A' })
  })

  test('computed columns are read-only: only the value that a GET gave may be sent back', async () => {
    const patch = (body: object) => send(api, 'PATCH', '/api/authors/1', { body })
    const created = await send(api, 'POST', '/api/authors', { body: { name: 'x', initial: 'x' } })
    equal([created.status, created.errors.reason], [400, { initial: ['This field is read-only.'] }])
    equal((await patch({ initial: 'Z' })).status, 400)
    equal((await patch({ initial: 'A' })).value.initial, 'A')
  })

  test('through, from and to are names of the database, key arguments are names of fields', async () => {
    const key = { type: 'integer', primaryKey: true } as const
    const Reader = defineModel('Reader', {
      table: 'tags',
      columns: { no: { ...key, column: 'id' } },
      relations: {
        books: manyToMany('Novel', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
        loans: hasMany('Loan', 'readerNo'),
      },
      meta: {},
    })
    const Novel = defineModel('Novel', {
      table: 'books',
      columns: { number: { ...key, column: 'id' } },
      meta: {},
    })
    const Loan = defineModel('Loan', {
      table: 'book_tags',
      columns: { bookNo: { ...key, column: 'book_id' }, readerNo: { ...key, column: 'tag_id' } },
      relations: { reader: belongsTo('Reader', 'readerNo') },
      meta: {},
    })
    const models = [Reader, Novel, Loan]
    const renamed = testApi(db, models, on)
    equal(await column(renamed, '/api/readers/3/books', 'number'), [3, 4])
    equal(await column(renamed, '/api/readers?join=books&books.number__eq=3', 'no'), [1, 3])
    equal(await column(renamed, '/api/readers?exists(loans.bookNo__eq=4)', 'no'), [3])
    equal((await read(renamed, '/api/loans/3,1/reader')).no, 1)
    const relations = {
      books: manyToMany('Novel', { through: 'book_tags', from: 'readerNo', to: 'book_id' }),
    }
    const wrong = [{ ...Reader, relations }, Novel, Loan]
    match(
      throws(() => testApi(db, wrong)).message,
      'models.Reader.relations.books.from: the table book_tags has no column "readerNo".',
    )
  })
})

const Shelf = defineModel('Shelf', {
  columns: { id: { type: 'integer', primaryKey: true }, gone: { type: 'boolean' } },
  relations: { items: hasMany('Item', 'shelf_id') },
  meta: {},
})
const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    shelf_id: { type: 'integer' },
    price: { type: 'integer' },
    gone: { type: 'boolean' },
    state: { type: 'string', maxLength: 10, nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: {},
})

eachDatabase('specification: soft delete', (test, db) => {
  test.before(async () => {
    await createTables(db, [Shelf, Item, Label])
    await insertRows(db, Shelf, [
      { id: 1, gone: false },
      { id: 2, gone: true },
    ])
    await insertRows(db, Item, [
      { id: 1, shelf_id: 1, price: 1, gone: false, state: 'new' },
      { id: 2, shelf_id: 1, price: 10, gone: true, state: 'old' },
      { id: 3, shelf_id: 2, price: 100, gone: false },
    ])
    await insertRows(db, Label, [{ id: 1 }])
  })
  const soft = { ...on, API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'gone' }
  const api = testApi(db, [Shelf, Item, Label], soft)

  test('records that hold the deleted value are in reads only with include_deleted=true', async () => {
    equal(await column(api, '/api/items'), [1, 3])
    equal(await column(api, '/api/items?include_deleted=true'), [1, 2, 3])
    equal(await column(api, '/api/items?include_deleted=1'), [1, 2, 3])
    equal(await column(api, '/api/items?include_deleted=false'), [1, 3])
    await refuses(api, '/api/items?include_deleted=maybe', { says: ['"maybe"', 'true or false'] })
  })

  test('one record', async () => {
    await refuses(api, '/api/items/2', { status: 404 })
    equal((await read(api, '/api/items/2?include_deleted=true')).id, 2)
  })

  test('a filter does not find them, and total_count does not count them', async () => {
    equal(await column(api, '/api/items?gone__eq=true'), [])
    equal(await column(api, '/api/items?gone__eq=true&include_deleted=true'), [2])
    equal((await succeeds(api, '/api/items?limit=1')).total, 2)
    equal((await succeeds(api, '/api/items?limit=1&include_deleted=true')).total, 3)
  })

  test('joins', async () => {
    equal(await column(api, '/api/items?join=shelf'), [1])
    equal(await column(api, '/api/items?join=shelf&include_deleted=true'), [1, 2, 3])
    equal(await read(api, '/api/items?join=shelf&join_type=left&fields=id,shelf.id'), [
      { id: 1, 'shelf.id': 1 },
      { id: 3, 'shelf.id': null },
    ])
  })

  test('relation filters', async () => {
    equal(await column(api, '/api/shelves?exists(items.price__ge=10)'), [])
    equal(await column(api, '/api/shelves?exists(items.price__ge=10)&include_deleted=true'), [1, 2])
  })

  test('embeds', async () => {
    const [shelf] = await read(api, '/api/shelves?dump=json')
    equal(
      shelf.items.map((item: { id: number }) => item.id),
      [1],
    )
    const all = await read(api, '/api/shelves?dump=json&include_deleted=true')
    equal(
      all.map((one: { items: unknown[] }) => one.items.length),
      [2, 1],
    )
    equal((await read(api, '/api/items/3?dump=json')).shelf, null)
  })

  test('relation routes', async () => {
    equal(await column(api, '/api/shelves/1/items'), [1])
    equal(await column(api, '/api/shelves/1/items?include_deleted=true'), [1, 2])
    await refuses(api, '/api/shelves/2/items', { status: 404 })
    await refuses(api, '/api/items/3/shelf', { status: 404 })
  })

  test('groups and aggregates', async () => {
    equal(await read(api, '/api/items?price|total__sum=1'), [{ total: 101 }])
    equal(await read(api, '/api/items?price|total__sum=1&include_deleted=true'), [{ total: 111 }])
  })

  test('models without the attribute are not affected', async () => {
    equal(await column(api, '/api/labels'), [1])
  })

  test('without API_SOFT_DELETE nothing is hidden', async () => {
    equal(await column(testApi(db, [Shelf, Item, Label]), '/api/items'), [1, 2, 3])
  })

  test('API_SOFT_DELETE_VALUES: the pair not-deleted, deleted; per model, too', async () => {
    const swapped = testApi(db, [Shelf, Item], { ...soft, API_SOFT_DELETE_VALUES: [true, false] })
    equal(await column(swapped, '/api/items'), [2])
    const meta = {
      soft_delete: true,
      soft_delete_attribute: 'price',
      soft_delete_values: [1, 100] as const,
    }
    const perModel = testApi(db, [Shelf, { ...Item, meta }])
    equal(await column(perModel, '/api/items'), [1, 2])
  })

  test('only the deleted value hides a record: records with neither value are shown', async () => {
    const meta = {
      soft_delete: true,
      soft_delete_attribute: 'state',
      soft_delete_values: ['new', 'old'] as const,
    }
    const perModel = testApi(db, [Shelf, { ...Item, meta }])
    equal(await column(perModel, '/api/items'), [1, 3])
  })

  test('API_SOFT_DELETE needs its attribute', () => {
    throws(() => testApi(db, [Item], { API_SOFT_DELETE: true }), 'API_SOFT_DELETE_ATTRIBUTE')
  })
})

eachDatabase('specification: base model', (test, db) => {
  const Base = defineBase({
    columns: {
      id: { type: 'integer', primaryKey: true },
      made: { type: 'datetime', nullable: true },
    },
    meta: { allow_join: true, pagination_size_default: 1 },
  })
  const Plant = Base.define('Plant', {
    columns: { name: { type: 'string' }, garden_id: { type: 'integer', nullable: true } },
    relations: { garden: belongsTo('Garden', 'garden_id') },
    meta: {},
  })
  const Garden = Base.define('Garden', {
    columns: { name: { type: 'string' } },
    relations: { plants: hasMany('Plant', 'garden_id') },
    meta: { pagination_size_default: 5 },
  })
  const Draft = Base.define('Draft', { columns: { text: { type: 'text' } } })

  test.before(async () => {
    await createTables(db, [Plant, Garden, Draft])
    await insertRows(db, Garden, [{ id: 1, name: 'Kew' }])
    await insertRows(db, Plant, [
      { id: 1, name: 'Rose', garden_id: 1, made: '2024-01-01T00:00:00.000Z' },
      { id: 2, name: 'Tulip' },
    ])
  })
  const api = () => testApi(db, [], { API_BASE_MODEL: Base })

  test('API_BASE_MODEL registers all models that inherit from it and have Meta', async () => {
    equal((await get(api(), '/api/gardens')).status, 200)
    equal((await get(api(), '/api/plants')).status, 200)
    equal((await get(api(), '/api/drafts')).status, 404)
  })

  test('they have its columns and its settings, and their own take precedence', async () => {
    const { value, body } = await succeeds(api(), '/api/plants')
    equal(value, [
      {
        id: 1,
        made: '2024-01-01T00:00:00.000Z',
        name: 'Rose',
        garden_id: 1,
        garden: '/api/plants/1/garden',
      },
    ])
    equal(body.next_url, '/api/plants?limit=1&page=2')
    equal(await column(api(), '/api/plants?join=garden'), [1])
    equal((await succeeds(api(), '/api/gardens/1/plants')).value.length, 1)
  })
})
