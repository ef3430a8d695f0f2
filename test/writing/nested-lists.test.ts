/**
 * Lists of records with nested ones: few statements write them level by level; the calls of hooks and the refusals are the same
 * as for records written one by one.
 */
import {
  type AnyModel,
  belongsTo,
  type Change,
  defineModel,
  type HookArgs,
  hasMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

/** Clients set the key; a relation leads to records of the same model. */
const Category = defineModel('Category', {
  columns: {
    code: { type: 'string', maxLength: 10, primaryKey: true },
    title: { type: 'string', maxLength: 40 },
    parent_code: { type: 'string', maxLength: 10, nullable: true },
  },
  relations: {
    parent: belongsTo('Category', 'parent_code'),
    children: hasMany('Category', 'parent_code'),
  },
  meta: {},
})

/** A key that no counter reaches. */
const storedTag = 900_001

type Row = Readonly<Record<string, unknown>>

const tables = ['book_tags', 'copies', 'profiles', 'books', 'tags', 'authors', 'countries'] as const

const times = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i))

/** Creates n authors with books, which have tags and copies. */
const authors = (n: number): Row[] =>
  times(n, (i) => ({
    name: `author ${i}`,
    country: i % 2 === 0 ? { code: 'GB', title: 'Britain' } : { code: `C${i % 10}`, title: 'new' },
    profile: { motto: `motto ${i}` },
    books: times(1 + (i % 3), (k) => ({
      title: `book ${i} ${k}`,
      tags: [{ name: `tag ${i} ${k}` }, { id: storedTag }],
      copies: [{ branch: `B${k}`, number: i }],
    })),
  }))

eachDatabase('lists with nested records', (test, db) => {
  const models = [...library, Category]
  const api = testApi(db, models, everything)
  test.before(async () => {
    await createLibrary(db)
    await createTables(db, [Category])
    await api.ready
  })
  const post = (url: string, body: unknown, of = api) => send(of, 'POST', url, { body })
  const given = (title: string, run: () => Promise<void>): void =>
    test(title, async () => {
      for (const table of tables) await db.kysely.deleteFrom(table).execute()
      await db.kysely.updateTable('categories').set({ parent_code: null }).execute()
      await db.kysely.deleteFrom('categories').execute()
      await db.kysely.insertInto('tags').values({ id: storedTag, name: 'stored' }).execute()
      await run()
    })
  const savepoints = (statements: readonly unknown[]): boolean =>
    statements.some((one) => JSON.stringify(one).toLowerCase().includes('savepoint'))

  given(
    'an object with an unused key creates a record with nested ones; an object that links has none',
    async () => {
      const leaf = (code: string) => ({ code, title: code })
      const branch = (code: string, ...codes: string[]) => ({
        ...leaf(code),
        children: codes.map(leaf),
      })
      const codesOf = async (code: string): Promise<string[]> => {
        const { value } = await get(
          api,
          `/api/categories/${code}/children?fields=code&order_by=code`,
        )
        return value.map((child: { code: string }) => child.code)
      }
      // One record; several, written level by level; and several, written one by one.
      const tree = { ...leaf('a'), children: [branch('aa', 'aaa', 'aab'), branch('ab', 'aba')] }
      equal((await post('/api/categories', tree)).status, 201)
      const trees = ['b', 'c'].map((code) => ({
        ...leaf(code),
        children: [branch(`${code}a`, `${code}aa`), leaf(`${code}b`)],
        parent: { ...leaf(`${code}0`), parent: leaf(`${code}00`) },
      }))
      equal((await post('/api/categories', trees)).status, 201)
      equal(await Promise.all(['a', 'aa', 'ab', 'b', 'ba', 'ca', 'c0', 'c00'].map(codesOf)), [
        ['aa', 'ab'],
        ['aaa', 'aab'],
        ['aba'],
        ['ba', 'bb'],
        ['baa'],
        ['caa'],
        ['c'],
        ['c0'],
      ])

      const before = await countRows(db, 'categories')
      const refused = async (...children: unknown[]) => {
        const { status, errors } = await post('/api/categories', { ...leaf('d'), children })
        return [status, errors?.reason]
      }
      const links =
        'This object links to an existing record, which is not changed here; omit this field.'
      equal(await refused(branch('aa', 'x')), [400, { 'children[0].children': [links] }])
      equal(await refused(branch('x', 'y'), branch('x', 'z')), [
        400,
        { 'children[1].children': [links] },
      ])
      equal(await refused({ code: 'x', children: [leaf('y')] }), [
        400,
        {
          'children[0].children': [
            'This object can only link to an existing record, because a new one needs "title"; send that too, or omit this field.',
          ],
        },
      ])
      equal(await refused({ ...leaf('x'), children: [{ code: 'y', titel: 'y' }] }), [
        400,
        {
          'children[0].children[0].titel': ['Unknown field "titel". Did you mean "title"?'],
        },
      ])
      const above = { 'children[0].parent': ['The parent record sets this relation.'] }
      equal(await refused({ ...leaf('x'), parent: leaf('y') }), [400, above])
      const deep = { ...leaf('1'), children: [{ ...leaf('2'), children: [branch('3', '4')] }] }
      const [status, reason] = await refused({ ...leaf('0'), children: [deep] })
      equal(
        [status, Object.keys(reason)],
        [400, ['children[0].children[0].children[0].children[0].children']],
      )
      equal(await countRows(db, 'categories'), before)
    },
  )

  given('need the same number of statements for any number of records', async () => {
    const counts: number[] = []
    for (const n of [4, 8, 40]) {
      for (const table of tables) await db.kysely.deleteFrom(table).execute()
      await db.kysely.insertInto('tags').values({ id: storedTag, name: 'stored' }).execute()
      const body = authors(n)
      const { result, statements } = await db.capture(() => post('/api/authors', body))
      equal(result.status, 201, JSON.stringify(result.errors))
      counts.push(statements.length)
      ok(!savepoints(statements))
    }
    equal(new Set(counts).size, 1, String(counts))
    equal(
      await countRows(db, 'authors', 'profiles', 'books', 'copies', 'tags', 'book_tags'),
      [40, 40, 79, 79, 80, 158],
    )
  })

  given(
    'need no more under policies without statements of their own, or with an after-commit callback',
    async () => {
      const calls: (readonly Change[])[] = []
      const asked: unknown[] = []
      const ruled = testApi(
        db,
        withModel('Book', ({ meta }) => ({
          meta: {
            ...meta,
            access_policy: {
              can_create: ({ title }: Row) => {
                asked.push(title)
                return true
              },
            },
          },
        })),
        { ...everything, API_AFTER_COMMIT_CALLBACK: (changes) => void calls.push(changes) },
      )
      await ruled.ready
      const counts: number[] = []
      for (const n of [4, 8]) {
        for (const table of tables) await db.kysely.deleteFrom(table).execute()
        await db.kysely.insertInto('tags').values({ id: storedTag, name: 'stored' }).execute()
        const { result, statements } = await db.capture(() =>
          post('/api/authors', authors(n), ruled),
        )
        equal(result.status, 201)
        counts.push(statements.length)
      }
      equal(counts[0], counts[1])
      equal(asked.slice(7, 11), ['book 0 0', 'book 1 0', 'book 1 1', 'book 2 0'])
      const changes = calls.at(-1) ?? []
      const kinds: Record<string, number> = {}
      for (const { action, model } of changes) {
        const kind = `${action} ${model.name}`
        kinds[kind] = (kinds[kind] ?? 0) + 1
      }
      equal(kinds, {
        'create Country': 5,
        'create Author': 8,
        'create Profile': 8,
        'create Book': 15,
        'create Copy': 15,
        'create Tag': 15,
      })
      const [book] = changes.filter(({ model }) => model.name === 'Book')
      equal([book?.links?.tags?.added.length, book?.links?.tags?.removed], [2, []])
    },
  )

  given('may name a record that an earlier item of the list has created', async () => {
    const list = [
      { code: 'a', title: 'A' },
      { code: 'b', title: 'B', parent: { code: 'a' } },
      { code: 'c', title: 'C', children: [{ code: 'd', title: 'D' }] },
      { code: 'e', title: 'E', parent: { code: 'd', title: 'D' } },
    ]
    const { status, errors } = await post('/api/categories', list)
    equal([status, errors], [201, null])
    const rows = await db.kysely.selectFrom('categories').selectAll().orderBy('code').execute()
    equal(
      rows.map(({ code, parent_code }) => `${code} ${parent_code}`),
      ['a null', 'b a', 'c null', 'd c', 'e d'],
    )
    const missing = await post('/api/categories', [
      { code: 'f', title: 'F', parent: { code: 'g' } },
      { code: 'g', title: 'G' },
    ])
    equal([missing.status, Object.keys(missing.errors.reason)], [422, ['[0].parent.code']])
  })

  given(
    'create a record that is named twice once, and move a child to its last parent',
    async () => {
      const list = times(3, (i) => ({ name: `n ${i}`, country: { code: 'CZ', title: 'Czechia' } }))
      equal((await post('/api/authors', list)).status, 201)
      equal(await countRows(db, 'countries'), [1])
      const books = times(3, (i) => ({ title: `t ${i}`, copies: [{ branch: 'A', number: 7 }] }))
      const { status, value } = await post('/api/books', books)
      equal(status, 201)
      const [copy] = await db.kysely.selectFrom('copies').selectAll().execute()
      equal(copy?.book_id, value[2].id)
      const other = await post('/api/authors', [
        { name: 'x', country: { code: 'FR', title: 'France' } },
        { name: 'y', country: { code: 'FR', title: 'other' } },
      ])
      equal([other.status, Object.keys(other.errors.reason)], [400, ['[1].country.title']])
    },
  )

  given('name the first refused record, and store none', async () => {
    const before = await countRows(db, ...tables)
    // biome-ignore lint/suspicious/noExplicitAny: the body is JSON
    const refused = async (change: (list: any) => void) => {
      const list = JSON.parse(JSON.stringify(authors(6)))
      change(list)
      const { status, errors } = await post('/api/authors', list)
      equal(await countRows(db, ...tables), before)
      return [status, ...Object.keys(errors.reason)]
    }
    const unique = refused((list) => {
      list[5].books[1].tags[0].name = 'stored'
    })
    equal(await unique, [409, '[5].books[1].tags[0].name'])
    const missing = refused((list) => {
      list[2].books[0].tags[1].id = 99
    })
    equal(await missing, [422, '[2].books[0].tags[1].id'])
    const both = refused((list) => {
      list[1].books[1].tags[0].name = 'stored'
      list[3].country = { code: 'XX' }
    })
    equal(await both, [409, '[1].books[1].tags[0].name'])
    const invalid = refused((list) => {
      list[4].books[1].copies[0].branch = null
    })
    equal(await invalid, [400, '[4].books[1].copies[0].branch'])
  })

  given('a policy that reads finds the records nested in preceding records', async () => {
    const counts: number[] = []
    const counting = testApi(
      db,
      withModel('Author', ({ meta }) => ({
        meta: {
          ...meta,
          access_policy: {
            can_create: async ({ name }: Row, args: HookArgs) => {
              if (name !== 'author 3') return true
              const query = args.db.selectFrom('books').select('id')
              const rows = await query.execute().catch(() => [])
              counts.push(rows.length)
              return true
            },
          },
        },
      })) as readonly AnyModel[],
      everything,
    )
    equal((await post('/api/authors', authors(5), counting)).status, 201)
    // The calls for the records 0 to 2, even though the list was first written level by level.
    equal(counts.at(-1), 6)
    equal(await countRows(db, 'authors', 'books'), [5, 9])
  })

  given('callbacks are called once for each record, in order', async () => {
    const seen: unknown[] = []
    const calling = testApi(
      db,
      withModel('Book', ({ meta }) => ({
        meta: {
          ...meta,
          add_callback: async (book: Row, _: unknown, args: HookArgs) => {
            const rows = await args.db.selectFrom('tags').select('id').execute()
            seen.push(`${book.title}: ${rows.length}`)
            return book
          },
        },
      })) as readonly AnyModel[],
      everything,
    )
    equal((await post('/api/authors', authors(3), calling)).status, 201)
    equal(seen.splice(0), [
      'book 0 0: 1',
      'book 1 0: 2',
      'book 1 1: 3',
      'book 2 0: 4',
      'book 2 1: 5',
      'book 2 2: 6',
    ])
    const noting = testApi(
      db,
      withModel('Book', ({ meta }) => ({
        meta: {
          ...meta,
          add_callback: (book: Row) => {
            seen.push(book.title)
            return book
          },
        },
      })) as readonly AnyModel[],
      everything,
    )
    // The database refuses the first tag of the first book.
    equal((await post('/api/authors', authors(3), noting)).status, 409)
    equal(seen, ['book 0 0'])
  })

  given('may name a record whose key a callback has changed', async () => {
    const renamed = (category: Row) =>
      category.code === 'x' ? { ...category, code: 'y' } : category
    const renaming = testApi(
      db,
      models.map((one) =>
        one === Category
          ? defineModel('Category', { ...Category, meta: { add_callback: renamed } } as never)
          : one,
      ),
      everything,
    )
    const children = ['x', 'y'].map((code) => ({ code, title: 'Y' }))
    const { status, errors } = await post(
      '/api/categories',
      { code: 'a', title: 'A', children },
      renaming,
    )
    equal([status, errors], [201, null])
    equal(await countRows(db, 'categories'), [2])
  })

  given('are refused by name inside a transaction of the host, which stores none', async () => {
    const work = db.kysely.transaction().execute(async (transaction) => {
      const hosted = testApi(db, library, { ...everything, API_SESSION_GETTER: () => transaction })
      const list = [...authors(3), { name: 'last', books: [{ title: 't', tags: [{ id: 99 }] }] }]
      const { status, errors } = await post('/api/authors', list, hosted)
      equal([status, Object.keys(errors.reason)], [422, ['[3].books[0].tags[0].id']])
      throw new Error('the host rolls back')
    })
    await work.catch(({ message }: Error) => equal(message, 'the host rolls back'))
    equal(await countRows(db, 'authors', 'books', 'tags'), [0, 0, 1])
    await db.kysely.transaction().execute(async (transaction) => {
      const hosted = testApi(db, library, { ...everything, API_SESSION_GETTER: () => transaction })
      equal((await post('/api/authors', authors(3), hosted)).status, 201)
    })
    equal(await countRows(db, 'authors', 'books', 'tags'), [3, 6, 7])
    await db.kysely.transaction().execute(async (transaction) => {
      const hosted = testApi(db, models, { ...everything, API_SESSION_GETTER: () => transaction })
      const list = [
        { code: 'a', title: 'A', children: [{ code: 'b', title: 'B' }] },
        { code: 'c', title: 'C', parent: { code: 'b' } },
      ]
      equal((await post('/api/categories', list, hosted)).status, 201)
    })
  })

  given('are looked up and compared together in a transaction of the host, too', async () => {
    const stored = times(8, (i) => ({ id: storedTag + 1 + i, name: `s ${i}` }))
    await db.kysely.insertInto('tags').values(stored).execute()
    const inHost = async (title: string, tags: readonly unknown[]) =>
      db.kysely.transaction().execute((transaction) => {
        const getter = { API_SESSION_GETTER: () => transaction }
        const hosted = testApi(db, library, { ...everything, ...getter })
        return db.capture(() => post('/api/books', { title, tags }, hosted))
      })
    const counts: number[] = []
    for (const n of [2, 8]) {
      const tags = [{ name: `new ${n}` }, ...stored.slice(0, n).map(({ id }) => ({ id }))]
      const { result, statements } = await inHost(`t ${n}`, tags)
      equal(result.status, 201)
      counts.push(statements.filter(({ sql }) => /^select.* from .tags./.test(sql)).length)
    }
    equal(counts[0], counts[1])
    const renamed = stored.slice(0, 2).map(({ id }) => ({ id, name: 'other' }))
    const { result } = await inHost('u', [{ name: 'new' }, ...renamed])
    equal(
      [result.status, Object.keys(result.errors.reason)],
      [400, ['tags[1].name', 'tags[2].name']],
    )
  })

  given('PATCH and upsert take nested records, and replace links', async () => {
    const { value } = await post(
      '/api/books',
      times(4, (i) => ({ title: `t ${i}`, tags: [{ name: `a ${i}` }, { name: `b ${i}` }] })),
    )
    const ids = value.map(({ id }: { id: number }) => id)
    const changes = ids.map((id: number, i: number) => ({
      id,
      author: { name: `author ${i}` },
      tags: [{ id: storedTag }, { name: `c ${i}` }],
    }))
    equal((await send(api, 'PATCH', '/api/books', { body: changes })).status, 200)
    const tagsOf = async (id: number) =>
      (await get(api, `/api/books/${id}/tags?order_by=name`)).value.map(({ name }: Row) => name)
    equal(await tagsOf(ids[2]), ['c 2', 'stored'])
    equal((await get(api, `/api/books/${ids[3]}/author`)).value.name, 'author 3')
    const upserts = [
      { id: ids[0], tags: [] },
      { id: ids[1], tags: [{ name: 'd' }], author: { name: 'other' } },
    ]
    equal((await post('/api/books?on_conflict=id', upserts)).status, 200)
    equal([await tagsOf(ids[0]), await tagsOf(ids[1])], [[], ['d']])
    equal(await countRows(db, 'authors', 'tags', 'book_tags'), [5, 14, 5])
  })
})
