/** Compiles the callbacks of docs/guide/hooks.md, and checks that they do what the page says. */
import { readFileSync } from 'node:fs'
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  defineModel,
  type Meta,
  manyToMany,
} from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { way } from '../support/path.ts'
import { Author, Book, createShop, OrderLine, Profile, Tag } from '../support/shop.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const page = readFileSync(new URL('../../docs/guide/hooks.md', import.meta.url), 'utf8')
const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block).join('\n')
const names = [...code.matchAll(/^const (\w+)/gm)].map(([, name = '']) => name)

const models: readonly AnyModel[] = [Author, Profile, Book, Tag, OrderLine]

const keyOf = ({ id }: { id: number }) => ({ id })

suite('docs/guide/hooks.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  let shown: Readonly<Record<string, unknown>>
  const configOf = (name: string): ApiConfig => shown[name] as ApiConfig

  test.before(async () => {
    await createShop(db)
    shown = await compiled(
      `// What the page shows, as a module.
import { type AnyModel, type Api, type ApiConfig, apiError, type HookRecord, modelsFor } from '@model-api/core'
import type { Client } from '@model-api/core/client'
${code}
export { ${names.join(', ')} }\n`,
    )
  })
  test.after(() => db.close())

  test('setup refuses a request', async () => {
    const api = testApi(db, models, configOf('closedOnSundays'))
    equal((await get(api, '/api/books/1')).status, 200)
    const { status, errors } = await get(api, '/api/books/1', { 'x-day': 'sunday' })
    equal([status, errors.reason], [503, 'Closed on Sundays.'])
    const asked = await api.handle({
      method: 'OPTIONS',
      url: '/api/books',
      headers: { 'x-day': 'sunday' },
    })
    equal(asked.status, 204)
  })

  test('typed callbacks change and refuse', async () => {
    const api = testApi(db, [shown.TypedTag as AnyModel])
    const add = (name: string) => send(api, 'POST', '/api/tags', { body: { name } })
    const { status, value } = await add('  typed ')
    equal([status, value.name], [201, 'typed'])
    const again = await add('typed ')
    equal([again.status, again.errors.reason], [409, `Tag ${value.id} has this name.`])
    await db.kysely.deleteFrom('tags').where('id', '=', value.id).execute()
  })

  test('a hook writes by the client of the system, in the transaction of its request', async () => {
    const api = testApi(db, models, configOf('tagged'))
    const title = 'Northanger Abbey'
    const body = { title, price: '1.00' }
    equal((await send(api, 'POST', '/api/books', { body })).status, 201)
    const tags = () => db.kysely.selectFrom('tags').where('name', '=', title).selectAll().execute()
    equal((await tags()).length, 1)
    equal((await send(api, 'POST', '/api/books', { body })).status, 201)
    equal((await tags()).length, 1)
    await db.kysely.deleteFrom('tags').where('name', '=', title).execute()
    await db.kysely.deleteFrom('books').where('title', '=', title).execute()
  })

  test('a hook compares a datetime in SQL and shows that of a row', async () => {
    const api = testApi(db, models, configOf('onePerMoment'))
    const add = (title: string, published_at: string) =>
      send(api, 'POST', '/api/books', { body: { title, published_at } })
    equal((await add('First', '1999-05-14T10:30:00Z')).status, 201)
    equal((await add('Second', '1999-05-14T10:30:01Z')).status, 201)
    const { status, errors } = await add('Third', '1999-05-14T12:30:00+02:00')
    equal([status, errors.reason], [409, 'First came out at 1999-05-14T10:30:00.000Z.'])
    await db.kysely.deleteFrom('books').where('title', 'in', ['First', 'Second']).execute()
  })

  test('a declared code is thrown and documented', async () => {
    const api = testApi(db, models, configOf('loans'))
    const made = await send(api, 'POST', '/api/books', { body: { title: 'Lent', in_stock: false } })
    const url = `/api/books/${made.value.id}`
    const { status, errors } = await send(api, 'DELETE', url)
    equal([status, errors.code], [409, 'on_loan'])
    equal((await send(api, 'PATCH', url, { body: { in_stock: true } })).status, 200)
    equal((await send(api, 'DELETE', url)).status, 200)
    match(
      JSON.stringify((await api.openapi()).components?.responses?.ConflictOnDelete),
      'on loan; wait',
    )
  })

  test('filter narrows a query', async () => {
    const api = testApi(db, models, configOf('bargains'))
    equal((await get(api, '/api/books')).total, 5)
    const { total, value } = await get(api, '/api/books?cheap=yes')
    equal(total, 2)
    ok(value.every(({ price }: { price: string }) => Number(price) < 13))
    equal((await get(api, '/api/books/3?cheap=yes')).status, 404)
  })

  test('add, update and remove change and refuse', async () => {
    const api = testApi(db, models, configOf('tidyTitles'))
    const made = await send(api, 'POST', '/api/books', {
      body: { title: '  Ulysses ', in_stock: true },
    })
    equal([made.status, made.value.title], [201, 'Ulysses'])
    const url = `/api/books/${made.value.id}`
    equal((await send(api, 'PATCH', url, { body: { title: ' Emma ' } })).value.title, 'Emma')
    const refused = await send(api, 'DELETE', url)
    equal([refused.status, refused.errors.reason], [409, 'It is still in stock.'])
    equal((await send(api, 'PATCH', url, { body: { in_stock: false } })).status, 200)
    ok((await send(api, 'DELETE', url)).status < 300)
  })

  test('an update that changes nothing leaves the time of the last change', async () => {
    const Stamped = defineModel('Stamped', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        name: { type: 'string', maxLength: 20, unique: true },
        size: { type: 'integer' },
        updated: { type: 'datetime', managed: 'updated' },
      },
      meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
    })
    await createTables(db, [Stamped])
    const clock = frozenClock()
    const changed: unknown[] = []
    const config: ApiConfig = {
      // A member that is missing from the returned record is not written.
      API_UPDATE_CALLBACK: (record, _model, { before }) => {
        const { updated: _, ...others } = record
        const isSame = (name: string) =>
          JSON.stringify(others[name]) === JSON.stringify(before?.[name])
        return Object.keys(others).every(isSame) ? others : record
      },
      API_ALLOW_BULK: true,
      API_BEFORE_COMMIT_CALLBACK: (changes) => void changed.push(changes.length),
    }
    const api = testApi(db, [Stamped], config, { clock })
    const body = { name: 'a', size: 1 }
    const made = await send(api, 'POST', '/api/stampeds', { body })
    const writes = [
      ['PATCH', '/api/stampeds/1', body],
      ['PATCH', '/api/stampeds', [{ id: 1, ...body }]],
      ['PUT', '/api/stampeds/1', body],
      ['POST', '/api/stampeds?on_conflict=name', [body]],
    ] as const
    for (const [method, url, sent] of writes) {
      clock.tick(1000)
      const { status } = await send(api, method, url, { body: sent })
      equal(status, 200, `${method} ${url}`)
      equal((await get(api, '/api/stampeds/1')).value.updated, made.value.updated, url)
    }
    equal(changed, [1])
    const { value } = await send(api, 'PATCH', '/api/stampeds/1', { body: { size: 2 } })
    ok(value.updated > made.value.updated)
  })

  test('a PATCH sets the time of the last change if it sends a field', async () => {
    const Dated = defineModel('Dated', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        name: { type: 'string', maxLength: 20 },
        code: { type: 'string', immutable: true },
        seen: { type: 'integer', readOnly: true, default: 4 },
        updated: { type: 'datetime', managed: 'updated' },
      },
      relations: {
        tags: manyToMany('Tag', { through: 'dated_tags', from: 'dated_id', to: 'tag_id' }),
      },
      meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
    })
    await createTables(db, [Dated])
    await db.execScript('create table dated_tags (dated_id integer, tag_id integer)')
    const clock = frozenClock()
    const config = { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true }
    const api = testApi(db, [Dated, ...models], config, { clock })
    const url = '/api/dateds/1'
    const tags = [{ id: 1 }]
    const made = { name: 'a', code: 'c', tags }
    equal((await send(api, 'POST', '/api/dateds', { body: made })).status, 201)
    const setsTime = async (method: string, path: string, body: unknown) => {
      const before = (await get(api, url)).value.updated
      clock.tick(1000)
      equal((await send(api, method, path, { body })).status, 200, JSON.stringify(body))
      return (await get(api, url)).value.updated !== before
    }
    for (const body of [
      {},
      { id: 1 },
      { code: 'c' },
      { seen: 4 },
      { tags },
      { tags: `${url}/tags` },
    ]) {
      equal(await setsTime('PATCH', url, body), false, JSON.stringify(body))
    }
    for (const more of [{}, { code: 'c', seen: 4 }, { tags }]) {
      equal(await setsTime('PATCH', '/api/dateds', [{ id: 1, ...more }]), false)
    }
    equal(await setsTime('PATCH', url, { name: 'a' }), true)
    equal(await setsTime('PATCH', '/api/dateds', [{ id: 1, name: 'a' }]), true)
    equal(await setsTime('PATCH', '/api/dateds?id__eq=1', { name: 'a' }), true)
    equal(await setsTime('PUT', url, { name: 'a' }), true)
    equal(await setsTime('PATCH', url, { tags: [] }), true)
  })

  test('a rule about links', async () => {
    let roles: readonly string[] = []
    const api = testApi(db, models, {
      ...configOf('tagsByEditors'),
      API_ALLOW_BATCH: true,
      API_ALLOW_BULK: true,
      API_ALLOW_NESTED_WRITES: true,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => ({ roles }),
    })
    const linked = (await get(api, '/api/books/1/tags?order_by=id')).value.map(keyOf)
    const patch = (tags: readonly object[]) =>
      send(api, 'PATCH', '/api/books/1', { body: { price: '7.00', tags } })
    equal((await patch(linked)).status, 200)
    const refused = await patch([])
    equal(
      [refused.status, refused.errors.reason],
      [403, { tags: ['Only editors change the tags of a book.'] }],
    )
    const body = { title: 'New', in_stock: true, tags: linked }
    equal((await send(api, 'POST', '/api/books', { body })).status, 403)
    const list = [{ title: 'First', in_stock: true }, body]
    const message = 'Only editors change the tags of a book.'
    const error = {
      error: 'Forbidden',
      reason: { '[1].tags': [message] },
      problems: [{ path: '[1].tags', code: 'refused', params: {}, message }],
    }
    equal((await send(api, 'POST', '/api/books', { body: list })).errors, error)
    const operations = [
      { method: 'GET', url: '/api/books/1' },
      { method: 'POST', url: '/api/books', body: list },
    ]
    equal((await sendBatch(api, operations)).errors, { ...error, at: 'operations[1]' })
    equal((await get(api, '/api/books/1/tags')).total, linked.length)
    roles = ['editor']
    equal((await patch([])).status, 200)
    equal((await patch(linked)).status, 200)
  })

  test('a callback reads and writes in the transaction of its request', async () => {
    const tagCounts = new WeakMap<object, number>()
    const numbered: ApiConfig = {
      API_ADD_CALLBACK: async (object, model, { db }) => {
        if (model.name !== 'Tag') return object
        let last = tagCounts.get(db)
        if (last === undefined) {
          const count = db.selectFrom('tags').select(db.fn.countAll().as('count'))
          last = Number((await count.executeTakeFirstOrThrow()).count)
        }
        tagCounts.set(db, last + 1)
        return { ...object, name: `${object.name} (${last + 1})` }
      },
    }
    const api = testApi(db, models, numbered)
    const made = await send(api, 'POST', '/api/tags', { body: { name: 'sea' } })
    const count = (await get(api, '/api/tags')).total
    equal([made.status, made.value.name], [201, `sea (${count})`])
    const bulk = testApi(db, models, { ...numbered, API_ALLOW_BULK: true })
    const { result, statements } = await db.capture(() =>
      send(bulk, 'POST', '/api/tags', { body: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }),
    )
    equal(
      result.value.map(({ name }: { name: string }) => name),
      [`a (${count + 1})`, `b (${count + 2})`, `c (${count + 3})`],
    )
    const asked = statements.filter(({ sql }) => sql.includes('count('))
    const inserted = statements.filter(({ sql }) => sql.startsWith('insert'))
    equal([asked.length, inserted.length], [1, 1])
    await db.kysely.deleteFrom('tags').where('name', 'like', '%(%').execute()
  })

  test('the audit is written inside the transaction, the event after it', async () => {
    await db.execScript('create table audit (model text, author integer, before text, after text)')
    const config = configOf('audited')
    const api = testApi(db, models, config)
    const audit = () => db.kysely.selectFrom('audit').selectAll().execute()
    const { value } = await get(api, '/api/books/1')
    const body = { title: 'Changed' }
    equal((await send(api, 'PATCH', '/api/books/1', { body })).status, 200)
    const entries = await audit()
    equal(
      entries.map(({ model, author, before, after }) => {
        return { model, author, before: JSON.parse(before).title, after: JSON.parse(after).title }
      }),
      [{ model: 'Book', author: null, before: value.title, after: 'Changed' }],
    )
    equal(shown.queue, ['update Book 1'])
    const refuse = () => {
      throw apiError(409, 'Conflict', 'Late.')
    }
    const refusing = testApi(db, models, { ...config, API_RETURN_CALLBACK: refuse })
    await send(refusing, 'PATCH', '/api/books/1', { body: { title: 'Lost' } })
    equal([(await audit()).length, shown.queue], [1, ['update Book 1']])
    await send(testApi(db, models), 'PATCH', '/api/books/1', { body: { title: value.title } })
  })

  test('a model with a callback of its own calls that of the audit as well', async () => {
    await db.kysely.deleteFrom('audit').execute()
    const meta: Meta = {
      ...Tag.meta,
      before_commit_callback: async (changes, args) => {
        if (args.user === null) throw apiError(403, 'Forbidden', 'Sign in to change tags.')
        await configOf('audited').API_BEFORE_COMMIT_CALLBACK?.(changes, args)
      },
    }
    const signedIn = { ...Tag, meta } as AnyModel
    const api = testApi(db, [Author, Profile, Book, signedIn, OrderLine], configOf('audited'))
    const add = (name: string, more: object) =>
      send(api, 'POST', '/api/tags', { body: { name }, ...more })
    equal((await add('refused', {})).status, 403)
    const { status, value } = await add('signed', { user: { id: 7 } })
    equal(status, 201)
    equal(await db.kysely.selectFrom('audit').select(['model', 'author']).execute(), [
      { model: 'Tag', author: 7 },
    ])
    await db.kysely.deleteFrom('tags').where('id', '=', value.id).execute()
  })

  test('the audit stores a batch with more changes than one statement can bind values', async () => {
    await db.kysely.deleteFrom('audit').execute()
    const audited = configOf('audited')
    const config = { ...audited, API_ALLOW_BULK: true, API_ALLOW_BATCH: true }
    const api = testApi(db, models, { ...config, API_AFTER_COMMIT_CALLBACK: () => {} })
    // Each entry has four values, and SQLite takes 32,766 in one statement.
    const operations = Array.from({ length: 9 }, (_, n) => ({
      ...{ id: `list${n}`, method: 'POST', url: '/api/tags' },
      body: Array.from({ length: 1000 }, (_, i) => ({ name: `audited ${n} ${i}` })),
    }))
    equal((await send(api, 'POST', '/api/batch', { body: { operations } })).status, 200)
    const { length } = await db.kysely.selectFrom('audit').select('after').execute()
    equal(length, 9000)
    await db.kysely.deleteFrom('audit').execute()
    await db.kysely.deleteFrom('tags').where('name', 'like', 'audited %').execute()
  })

  test('the audit has no column that its model hides', async () => {
    const Account = defineModel('Account', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        name: { type: 'string' },
        secret: { type: 'string', hidden: true, default: 'a hash' },
      },
      meta: {},
    })
    await createTables(db, [Account])
    await db.kysely.deleteFrom('audit').execute()
    const api = testApi(db, [Account], configOf('audited'))
    await send(api, 'POST', '/api/accounts', { body: { name: 'Ann' } })
    await send(api, 'PATCH', '/api/accounts/1', { body: { name: 'Anne' } })
    const [ann, anne] = ['{"id":1,"name":"Ann"}', '{"id":1,"name":"Anne"}']
    equal(await db.kysely.selectFrom('audit').select(['before', 'after']).execute(), [
      { before: null, after: ann },
      { before: ann, after: anne },
    ])
    const stored = await db.kysely.selectFrom('accounts').select('secret').execute()
    equal(stored, [{ secret: 'a hash' }])
  })

  test('dump sees embedded objects and projections', async () => {
    const api = testApi(db, models, configOf('spines'))
    const { value } = await get(api, '/api/authors/1?dump=json')
    ok(value.books[0].spine === value.books[0].title.toUpperCase())
    ok(!('spine' in value))
    ok('spine' in (await get(api, '/api/books?fields=title&limit=1')).value[0])
  })

  test('return, final and error can change the response', async () => {
    const api = testApi(db, models, configOf('wrapped'))
    const list = await get(api, '/api/books?limit=1')
    equal(list.value.items.length, 1)
    // In a batch, final adds it to the body of the batch.
    if (way !== 'batch') equal(list.body.served_by, 'library')
    equal((await get(api, '/api/books/1')).value.id, 1)
    equal((await get(api, '/api/books/999')).body.served_by, 'library')
    equal(shown.failures, ['GET Book: No such record.'])
  })

  test('the most specific callback is called', async () => {
    const meta: Meta = { return_callback: () => 'model', get_return_callback: () => 'reading' }
    const book = defineModel('Book', { ...Book, meta } as never) as unknown as AnyModel
    const api = testApi(db, [Author, Profile, book, Tag, OrderLine], {
      API_RETURN_CALLBACK: () => 'configuration',
    })
    equal((await get(api, '/api/books')).value, 'reading')
    equal((await send(api, 'POST', '/api/books', { body: { title: 'Dracula' } })).value, 'model')
    equal((await get(api, '/api/tags')).value, 'configuration')
  })

  test('an exception in final after a failure does no harm', async () => {
    const log: unknown[] = []
    const config: ApiConfig = {
      API_FINAL_CALLBACK: () => {
        throw new Error('lost')
      },
    }
    const options = { onError: (error: unknown) => void log.push(error) }
    const api = testApi(db, models, config, options)
    const { status, errors } = await get(api, '/api/books/999')
    equal([status, errors.code], [404, 'record_not_found'])
    equal(
      [(log[0] as Error).message, ((log[0] as Error).cause as Error).message],
      ['The final callback failed: lost', 'lost'],
    )
  })
})
