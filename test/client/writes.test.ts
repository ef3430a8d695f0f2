/** Writes of the typed client: one record, many, by conditions, with ETags and keys, in batches; the same on all databases. */
import type { Api } from '@model-api/core'
import {
  createClient,
  infiniteQueryOptions,
  mutationOptions,
  queryOptions,
  reference,
} from '@model-api/core/client'
import { createServer } from '@model-api/http-node'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import {
  type Author,
  type Book,
  createWritableShop,
  type OrderLine,
  type Profile,
  shop,
  type Tag,
} from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { transports } from '../support/transports.ts'

type Shop = Api<{
  models: [typeof Author, typeof Profile, typeof Book, typeof Tag, typeof OrderLine]
}>

for (const transport of transports) {
  eachDatabase(`${transport.name} writes`, (test, db) => {
    test.before(() => createWritableShop(db))
    const api = testApi(db, shop, {
      API_ALLOW_JOIN: true,
      API_ALLOW_AGGREGATION: true,
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
      API_ALLOW_BATCH: true,
      API_ALLOW_CASCADE_DELETE: true,
    })
    const client = transport.clientOf<Shop>(api)

    test('one record: created with related ones, changed, deleted', async () => {
      const made = await client.books.create({
        title: 'War with the "Newts"',
        author: { name: 'K. Č.' },
        tags: [{ id: 1 }, { name: 'satire' }],
      })
      ok(made.ok && made.value !== null)
      equal([made.status, made.value.title, made.value.price], [201, 'War with the "Newts"', null])
      const { id } = made.value
      equal(await client.books.update(id, { price: '9.90' }).unwrap(), {
        ...made.value,
        price: '9.90',
      })
      const tags = client.books.related(id, 'tags', { fields: ['name'], orderBy: ['name'] })
      equal(await tags.unwrap(), [{ name: 'classic' }, { name: 'satire' }])
      equal((await client.books.remove(id)).status, 200)
      equal((await client.books.get(id)).status, 404)
    })

    test('lists of children change, create and remove them', async () => {
      const { id } = (await client.authors
        .create({ name: 'Mary', books: [{ title: 'a' }, { title: 'b' }] })
        .unwrap()) ?? { id: 0 }
      const books = () =>
        client.books
          .list({ where: { author_id: id }, orderBy: ['title'], fields: ['id', 'title'] })
          .unwrap()
      const titles = async () => (await books()).map(({ title }) => title)
      const [first] = await books()
      const patch = { books: [{ id: first?.id ?? 0, title: 'A' }, { title: 'c' }] }
      equal((await client.authors.update(id, patch)).status, 200)
      equal(await titles(), ['A', 'b', 'c'])
      const whole = { books: [{ id: first?.id ?? 0 }] }
      const removing = { onMissing: { books: 'remove' } } as const
      equal((await client.authors.update(id, whole, removing)).status, 200)
      equal(await titles(), ['A'])
      equal((await client.authors.updateEach([{ id, books: [] }], removing)).status, 200)
      equal(await titles(), [])
      equal((await client.authors.remove(id)).status, 200)
    })

    test('problems in a body are listed by path', async () => {
      const refused = await client.books.create({
        title: 'x',
        price: 'much',
        tags: [{ name: 'a'.repeat(50) }],
      })
      ok(!refused.ok)
      equal(refused.status, 400)
      const [price, name] = refused.error.problems
      equal([price?.path, price?.code, price?.params], ['price', 'wrong_type', { type: 'decimal' }])
      ok(price?.message.includes('decimal'))
      equal([name?.path, name?.code], ['tags[0].name', 'too_long'])
      // The code tells the compiler the params.
      if (name?.code === 'too_long') equal([name.params.max, name.params.length], [40, 50])
    })

    test('a record that has changed is not written with the old ETag', async () => {
      const first = await client.tags.get(3)
      ok(first.ok && first.etag !== null)
      const changed = await client.tags.update(3, { name: 'sf' }, { ifMatch: first.etag })
      ok(changed.ok && changed.etag !== null)
      const late = await client.tags.update(3, { name: 'fantasy' }, { ifMatch: first.etag })
      equal(
        [late.status, (await client.tags.remove(3, { ifMatch: first.etag })).status],
        [412, 412],
      )
      equal((await client.tags.update(3, { name: 'sf 2' }, { ifMatch: changed.etag })).status, 200)
    })

    test('a merge patch merges the document of a json column, also in a batch', async () => {
      const details = { pages: 80, a: 'kept', deep: { x: 1, y: 2 } }
      const made = await client.books.create({ title: 'Merged', details }).unwrap()
      const id = made?.id ?? 0
      const merging = client.books.update(
        id,
        { details: { pages: 81, deep: { x: null } } },
        { merge: true },
      )
      const merged = { a: 'kept', deep: { y: 2 }, pages: 81 }
      equal((await merging.unwrap())?.details, merged)
      const [inBatch] = await client
        .batch([client.books.update(id, { details: { a: null } }, { merge: true })])
        .unwrap()
      equal(inBatch?.details, { deep: { y: 2 }, pages: 81 })
      const replaced = await client.books.update(id, { details: { a: null } }, { merge: false })
      ok(replaced.ok)
      equal(replaced.value?.details, { a: null })
      const lost = await client.books.update(id, { author: { id: 1 } }, { merge: true })
      equal([lost.ok, lost.status], [false, 400])
      equal((await client.books.remove(id)).status, 200)
    })

    test('many records, by conditions, with a limit, by a unique column, with a key', async () => {
      const made = await client.tags.createMany([{ name: 'm1' }, { name: 'm2' }]).unwrap()
      equal(
        made.map(({ name }) => name),
        ['m1', 'm2'],
      )
      const changed = await client.tags.createMany([{ name: 'm1' }, { name: 'm3' }], {
        onConflict: ['name'],
      })
      ok(changed.ok)
      equal(changed.value[0], made[0])
      equal(
        await client.tags.create({ name: 'm2' }, { onConflict: 'name' }).unwrap(),
        made[1] ?? null,
      )
      const where = { name: { startswith: 'm' } }
      equal((await client.tags.removeMany(where, { maxAffected: 2 })).ok, false)
      equal((await client.tags.removeMany({})).status, 400)
      const books = await client.books
        .updateMany({ author_id: 3, in_stock: true }, { rating: 5 }, { maxAffected: 2 })
        .unwrap()
      equal(
        books.map(({ id, rating }) => [id, rating]),
        [
          [3, 5],
          [4, 5],
        ],
      )
      const removed = await client.tags.removeMany(where, { maxAffected: 3 })
      equal([removed.ok, removed.ok && removed.value], [true, null])
      const options = { idempotencyKey: 'one-request-only-1' }
      const once = await client.tags.create({ name: 'once' }, options).unwrap()
      equal(await client.tags.create({ name: 'once' }, options).unwrap(), once)
    })

    test('fields, include and dump choose the parts of written records, also in a batch', async () => {
      const fields = ['title', 'author.name'] as const
      const book = { title: 'Parts', price: '1.00', author: { name: 'P.' } }
      const made = await client.books.create(book, { fields: ['id', ...fields] }).unwrap()
      equal(made, { id: made?.id ?? 0, title: 'Parts', name: 'P.' })
      const { id } = made ?? { id: 0 }
      const author = { fields: ['name'], aggregate: { n: { count: 'books' } } } as const
      const [listed] = await client.books
        .createMany([{ title: 'Part' }], { fields: ['title'], include: { author } })
        .unwrap()
      equal(listed, { title: 'Part', author: null })
      equal(await client.books.update(id, { price: '2.00' }, { fields: ['price'] }).unwrap(), {
        price: '2.00',
      })
      const patched = client.books.update(id, { price: '3.00' }, { dump: 'hybrid' })
      equal((await patched.unwrap())?.author?.name, 'P.')
      const each = client.books.updateEach([{ id, price: '4.00' }], { fields })
      equal(await each.unwrap(), [{ title: 'Parts', name: 'P.' }])
      const many = client.books.updateMany({ id }, { price: '5.00' }, { fields: ['price'] })
      equal(await many.unwrap(), [{ price: '5.00' }])
      const batch = await client
        .batch([
          client.books.update(id, { price: '6.00' }, { fields: ['price'], include: { author } }),
          client.books.createMany([{ title: 'Part' }], { fields: ['title'] }),
          client.books.update(id, { price: '7.00' }, { headers: { prefer: 'return=minimal' } }),
        ])
        .unwrap()
      equal(batch, [{ price: '6.00', author: { name: 'P.', n: 1 } }, [{ title: 'Part' }], null])
      equal((await client.books.get(id, { fields: ['price'] }).unwrap()).price, '7.00')
      equal((await client.books.removeMany({ title: { startswith: 'Part' } })).status, 200)
    })

    test('many records, each by its key, all or none', async () => {
      const made = await client.tags.createMany([{ name: 'e1' }, { name: 'e2' }]).unwrap()
      const [one, two] = made.map(({ id }) => id) as [number, number]
      const each = client.tags.updateEach([
        { id: two, name: 'e2 changed' },
        { id: one, name: 'e1 changed' },
      ])
      equal(await each.unwrap(), [
        { id: two, name: 'e2 changed' },
        { id: one, name: 'e1 changed' },
      ])
      const missing = await client.tags.updateEach([
        { id: one, name: 'lost' },
        { id: 99_999, name: 'x' },
      ])
      equal(missing.status, 404)
      equal((await client.tags.get(one).unwrap()).name, 'e1 changed')
      const lines = [{ order_no: 'A,B', line: 1, quantity: 6 }]
      equal((await client.orderLines.updateEach(lines).unwrap())[0]?.quantity, 6)
      equal((await client.orderLines.update(['A,B', 1], { quantity: 5 })).status, 200)
    })

    test('a record is replaced', async () => {
      const puts = testApi(db, shop, { API_ALLOWED_METHODS: ['GET', 'POST', 'PUT', 'DELETE'] })
      const putting = transport.clientOf<Shop>(puts)
      const made = await putting.books.create({ title: 'Old', price: '5.00' })
      ok(made.ok && made.value !== null && made.etag !== null)
      const { id } = made.value
      const replaced = await putting.books.replace(id, { title: 'New' }, { ifMatch: made.etag })
      ok(replaced.ok)
      equal(replaced.value, { ...made.value, title: 'New', price: null })
      equal((await putting.books.replace(id, { title: 'x' }, { ifMatch: made.etag })).status, 412)
      equal((await putting.orderLines.replace(['A,B', 1], { book_id: 1, quantity: 5 })).status, 200)
      equal((await putting.books.remove(id)).status, 200)
      equal((await client.books.replace(1, { title: 'x' })).status, 405)
    })

    test('a DELETE with cascade_delete also deletes dependents', async () => {
      equal((await client.authors.remove(1)).status, 409)
      const book = await client.books.create({ title: 'y', author: { name: 'Brief' } }).unwrap()
      const author = book?.author_id ?? 0
      equal((await client.authors.remove(author)).status, 409)
      equal((await client.authors.remove(author, { cascade: true })).status, 200)
    })

    test('a batch: typed values, references in bodies, keys and conditions, all or nothing', async () => {
      const author = client.authors.create({ name: 'Mary Shelley' })
      const book = client.books.create({
        title: 'The Last Man',
        author_id: reference(author, 'id'),
      })
      const [made, written, titles, again] = await client
        .batch([
          author,
          book,
          client.authors.related(reference(author, 'id'), 'books', { fields: ['title'] }),
          client.books.list({
            where: { author_id: reference(author, 'id'), title: { in: ['The Last Man', 'a,b"'] } },
            include: { author: { fields: ['name'] } },
            fields: ['title'],
          }),
        ])
        .unwrap()
      equal([made?.name, written?.author_id === made?.id], ['Mary Shelley', true])
      equal(titles, [{ title: 'The Last Man' }])
      equal(again, [{ title: 'The Last Man', author: { name: 'Mary Shelley' } }])

      const failed = await client.batch([
        client.tags.create({ name: 'gothic' }),
        client.tags.create({ name: 'gothic' }),
      ])
      ok(!failed.ok)
      equal(
        [failed.status, failed.error.code, failed.error.at],
        [409, 'unique_violation', 'operations[1]'],
      )
      equal(
        failed.error.problems.map(({ path }) => path),
        ['name'],
      )
      const dry = await client.batch([client.tags.create({ name: 'gothic' })], { dryRun: true })
      ok(dry.ok)
      equal(dry.value[0]?.name, 'gothic')
      equal(await client.tags.list({ where: { name: 'gothic' } }).unwrap(), [])
    })

    test('references name items of lists, and members of items', async () => {
      const tags = client.tags.createMany([{ name: 'classic' }, { name: 'l1' }], {
        onConflict: 'name',
      })
      const books = client.books.createMany(
        [
          { title: 'Listed 1', tags: [reference(tags, 0), reference(tags, 1)] },
          { title: 'Listed 2', tags: [reference(tags, 1)] },
        ],
        { fields: ['id', 'title'] },
      )
      const [, made, links, renamed] = await client
        .batch([
          tags,
          books,
          client.books.related(reference(books, 0, 'id'), 'tags', { orderBy: ['name'] }),
          client.books.update(reference(books, 1, 'id'), { title: reference(books, 0, 'title') }),
        ])
        .unwrap()
      equal(
        made.map(({ title }) => title),
        ['Listed 1', 'Listed 2'],
      )
      equal(
        links.map(({ name }) => name),
        ['classic', 'l1'],
      )
      equal(renamed?.title, 'Listed 1')
      equal((await client.books.removeMany({ title: 'Listed 1' }, { maxAffected: 2 })).status, 200)
      equal((await client.tags.removeMany({ name: 'l1' })).status, 200)
    })

    test('a batch of calls that are made again has the same body, whatever other calls were made', async () => {
      const bodies: string[] = []
      const listening = createClient<Shop>('http://api.test', {
        fetch: async (request) => {
          bodies.push(await request.clone().text())
          return api.fetch(request)
        },
      })
      const calls = () => {
        const author = listening.authors.create({ name: 'Repeated {1.name} {"$ref":"1.name"}' })
        const authorId = reference(author, 'id')
        return [
          author,
          listening.books.create({ title: '{2.id}', author_id: authorId }),
          listening.books.list({
            where: { author_id: authorId, title: '{2.id}' },
            fields: ['title'],
          }),
          listening.authors.update(authorId, { country: 'GB' }),
        ] as const
      }
      const options = { idempotencyKey: 'one-batch-only-12345' }
      const once = await listening.batch(calls(), options).unwrap()
      void listening.tags.get(1)
      const again = await listening.batch(calls(), options)
      ok(again.ok)
      equal(again.headers.get('idempotency-replayed'), 'true')
      equal([again.value[0], again.value[1]], [once[0], once[1]])
      equal(bodies[0], bodies[1])
      equal(once[0]?.name, 'Repeated {1.name} {"$ref":"1.name"}')
      equal(once[2], [{ title: '{2.id}' }])
      const same = calls()
      const [first, second] = [listening.batch(same), listening.batch([same[2], ...same])]
      equal([(await first).ok, (await second).status], [true, 400])
      ok((await second.send()).ok === false)
      const outside = reference(listening.tags.get(1), 'id')
      const refused = await listening.batch([listening.tags.get(1), listening.tags.get(outside)])
      ok(!refused.ok)
      equal(refused.status, 400)
      ok(JSON.stringify(refused.error.problems).includes('refers to no earlier operation'))
    })

    test('a batch through a server, with conditions on versions', async () => {
      const server = createServer(api)
      try {
        const remote = createClient<Shop>(`${await server.listen(0)}/api`)
        const tag = await remote.tags.get(2)
        ok(tag.ok && tag.etag !== null)
        const batch = await remote.batch([
          remote.tags.update(2, { name: 'meals' }, { ifMatch: tag.etag }),
          remote.orderLines.get(['A,B', 1], { fields: ['quantity'] }),
        ])
        ok(batch.ok)
        equal([batch.value[0]?.name, batch.value[1]], ['meals', { quantity: 5 }])
        const late = await remote.batch([remote.tags.remove(2, { ifMatch: tag.etag })])
        equal([late.status, late.ok], [412, false])
      } finally {
        await server.close()
      }
    })

    test('options for TanStack Query', async () => {
      const one = queryOptions(client.books.get(1, { fields: ['title'] }))
      equal(one.queryKey, ['books', '/books/1', 'fields=title'])
      equal(await one.queryFn({ signal: new AbortController().signal }), { title: 'Arrows' })
      const none = await queryOptions(client.books.get(98))
        .queryFn()
        .then(
          () => 0,
          (error) => error.status,
        )
      equal(none, 404)
      const pages = infiniteQueryOptions((page) =>
        client.orderLines.list({ ...page, limit: 2, fields: ['line'] }),
      )
      const first = await pages.queryFn({ pageParam: pages.initialPageParam })
      const second = await pages.queryFn({ pageParam: pages.getNextPageParam(first) })
      equal(
        [first.value.length, second.value, pages.getNextPageParam(second)],
        [2, [{ line: 1 }], undefined],
      )
      const { mutationFn } = mutationOptions((name: string) => client.tags.create({ name }))
      equal((await mutationFn('by mutation'))?.name, 'by mutation')
    })
  })
}
