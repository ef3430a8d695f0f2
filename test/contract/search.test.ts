/** `search`: each word must occur in one of the declared columns, in any letter case; the same on every database. */
import { type AnyModel, type Api, belongsTo, defineModel, hasMany } from '@model-api/core'
import { sqlite } from '../../packages/core/src/dialect/sqlite/sqlite-dialect.ts'
import { buildRegistry } from '../../packages/core/src/model/registry/registry.ts'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { column, read, refuses } from '../support/expect.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const Author = defineModel('Author', {
  columns: { id, name: { type: 'string', maxLength: 80 } },
  relations: { books: hasMany('Book', 'author_id') },
  meta: { allow_join: true },
})
const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string', maxLength: 80 },
    blurb: { type: 'text', nullable: true },
    remark: { type: 'string', maxLength: 80, nullable: true, read: 'editor' },
    owner_id: { type: 'integer' },
    author_id: { type: 'integer' },
  },
  search: ['title', 'blurb', 'remark'],
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {
    allow_join: true,
    allow_groupby: true,
    allow_aggregation: true,
    access_policy: {
      scope_query: (query: { where(...args: unknown[]): unknown }, { user }: { user: unknown }) =>
        (user as { readonly id?: number } | null)?.id === 9
          ? query.where('owner_id', '=', 1)
          : query,
    } as never,
  },
})
/** Only editors may read the searched columns. */
const Note = defineModel('Note', {
  columns: { id, text: { type: 'text', read: 'editor' } },
  search: ['text'],
  meta: {},
})
const models: readonly AnyModel[] = [Author, Book, Note]

const books = [
  ['Moby-Dick; or, The Whale', 'A white whale and a captain', null],
  ['The Sea-Wolf', 'A CAPTAIN without a whale', 'white elephant'],
  ['Straße nach Ägypten', null, null],
  ['100% wool_and\\silk', 'Percent, underscore', null],
  ['Ode to the sea', 'A whale', 'secret captain'],
] as const

eachDatabase('search', (test, db) => {
  const api = testApi(db, models)
  const found = async (search: string, more = ''): Promise<unknown[]> =>
    column(api, `/api/books?search=${encodeURIComponent(search)}${more}`)
  const editor = { id: 1, roles: ['editor'] }
  const asEditor = (url: string): Promise<Answer> => send(api, 'GET', url, { user: editor })

  test.before(async () => {
    await createTables(
      db,
      models.map((model) => ({ ...model, relations: {} })),
    )
    await insertRows(db, Author, [
      { id: 1, name: 'Herman' },
      { id: 2, name: 'Jack' },
    ])
    await insertRows(
      db,
      Book,
      books.map(([title, blurb, remark], i) => ({
        id: i + 1,
        title,
        blurb,
        remark,
        owner_id: 1 + (i % 2),
        author_id: 1 + (i % 2),
      })),
    )
    await insertRows(db, Note, [{ id: 1, text: 'whale' }])
  })

  test('each word occurs in one of the columns, in any letter case', async () => {
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['whale', [1, 2, 5]],
      ['WHALE', [1, 2, 5]],
      ['sea', [2, 5]],
      ['whale sea', [2, 5]],
      ['  sea   whale ', [2, 5]],
      ['sea\u00a0whale\tsea', [2, 5]],
      ['captain wolf', [2]],
      ['hal', [1, 2, 5]],
      ['whale unicorn', []],
      ['ÄGYPTEN', [3]],
      ['strasse', []],
      ['%', [4]],
      ['l_a', [4]],
      ['d\\s', [4]],
      ["'", []],
      ['Moby-Dick;', [1]],
      ['', [1, 2, 3, 4, 5]],
      [' ', [1, 2, 3, 4, 5]],
    ]
    for (const [search, expected] of cases) equal(await found(search), expected, search)
  })

  test('it combines with filters, order, pages, counts, joins, groups and cursors', async () => {
    equal(await found('whale', '&order_by=-title'), [2, 5, 1])
    equal(await found('whale', '&id__gt=1'), [2, 5])
    equal(await found('whale', '&or[id__eq=1,title__like=Ode]'), [1, 5])
    equal(await found('whale', '&join=author&author.name__eq=Herman'), [1, 5])
    const page = await get(api, '/api/books?search=whale&limit=2')
    equal([page.total, page.body.next_url], [3, '/api/books?search=whale&limit=2&page=2'])
    equal(await column(api, page.body.next_url), [5])
    const first = await get(api, '/api/books?search=whale&paging=cursor&limit=2')
    equal(await column(api, first.body.next_url), [5])
    equal(await read(api, '/api/books?search=whale&groupby=owner_id&id__count=1'), [
      { owner_id: 1, id_count: 2 },
      { owner_id: 2, id_count: 1 },
    ])
    equal(await read(api, '/api/books?search=sea&id__count=1'), [{ id_count: 2 }])
    equal(await column(api, '/api/authors/1/books?search=whale'), [1, 5])
    equal(await column(api, '/api/books?search=whale&fields=id'), [1, 2, 5])
    equal(await column(api, '/api/books?search=whale'), [1, 2, 5], 'once more, from the cache')
    equal(await column(api, '/api/books?search=wolf'), [2], 'another word')
  })

  test('a column that the caller may not read is not searched', async () => {
    equal(await found('white'), [1])
    equal(await found('secret'), [])
    const seen = await asEditor('/api/books?search=white')
    equal(
      seen.value.map((book: { id: number }) => book.id),
      [1, 2],
    )
    equal(await found('white'), [1], 'whoever asked before')
    const refusal = await refuses(api, '/api/notes?search=whale', {
      code: 'search_not_offered',
      says: [/"notes" cannot be searched/],
    })
    equal(refusal.errors.at, 'search=whale')
    equal((await asEditor('/api/notes?search=whale')).total, 1)
  })

  test('policies restrict what is found', async () => {
    const answer = await send(api, 'GET', '/api/books?search=whale', { user: { id: 9 } })
    equal([answer.total, answer.value.map((book: { id: number }) => book.id)], [2, [1, 5]])
  })

  test('an unsupported search is 400 with the reason', async () => {
    await refuses(api, '/api/authors?search=a', {
      code: 'search_not_offered',
      says: [/search: \['…'\]/, /<column>__ilike=…/],
    })
    await refuses(api, '/api/books/1?search=a', { code: 'not_here' })
    await refuses(api, '/api/books?search=a&search=b', { code: 'repeated_parameter' })
    await refuses(api, '/api/books?q=a', { says: [/Did you mean "search"\?/] })
    const words = Array.from({ length: 60 }, (_, i) => `w${i}`).join('+')
    await refuses(api, `/api/books?search=${words}`, {
      code: 'limit_exceeded',
      says: [/60 words in 2 columns; API_MAX_CONDITIONS allows/],
    })
    await refuses(api, `/api/books?search=${'x'.repeat(1001)}`, { code: 'invalid_parameter' })
    const bulk = testApi(db, models, { API_ALLOW_BULK: true })
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { blurb: 'all' } } : {}
      const answer = await send(bulk, method, '/api/books?search=whale', body)
      equal([answer.status, answer.errors?.code], [400, 'not_here'], `${method} ${answer.text}`)
    }
    equal(await column(api, '/api/books?blurb__isnull=true'), [3])
  })
})

eachDatabase('search by an index', (test, db) => {
  const Story = defineModel('Story', {
    table: 'stories',
    columns: {
      id,
      title: { type: 'string', maxLength: 80 },
      text: { type: 'text', column: 'body', nullable: true },
      owner_id: { type: 'integer' },
    },
    search: { columns: ['title', 'text'], index: 'story_search' },
    meta: {
      access_policy: {
        scope_query: (
          query: { where(...args: unknown[]): unknown },
          { user }: { user: unknown },
        ) => (user === null || user === undefined ? query : query.where('owner_id', '=', 1)),
      } as never,
    },
  })
  const warnings: string[] = []
  const withWarnings = { onWarning: (text: string) => void warnings.push(text) }
  const api = testApi(db, [Story], {}, withWarnings)
  const found = (search: string, other: Api = api): Promise<unknown[]> =>
    column(other, `/api/stories?search=${encodeURIComponent(search)}`)

  test.before(async () => {
    const columns =
      'id integer primary key, title varchar(80) not null, body text, owner_id integer not null'
    await db.execScript(
      {
        sqlite: `create table stories (${columns}); create virtual table story_search using fts5(title, other, body)`,
        postgres: `create table stories (${columns}, story_search tsvector generated always as (to_tsvector('simple', title || ' ' || coalesce(body, ''))) stored);
          create index on stories using gin (story_search)`,
        mysql: `create table stories (${columns}, fulltext index story_search (title, body))`,
      }[db.name],
    )
    const rows = [
      [1, 'Moby-Dick; or, The Whale', 'A white whale and a captain', 1],
      [2, 'The Sea-Wolf', 'A CAPTAIN without any whale', 2],
      [3, 'Ägypten', null, 1],
    ] as const
    for (const [key, title, body, owner_id] of rows) {
      await db.kysely.insertInto('stories').values({ id: key, title, body, owner_id }).execute()
      if (db.name !== 'sqlite') continue
      await db.kysely
        .insertInto('story_search')
        .values({ rowid: key, title, other: 'hidden', body })
        .execute()
    }
  })

  test('the index finds the beginnings of words, all of them, in any letter case', async () => {
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['whale', [1, 2]],
      ['WHALE captain', [1, 2]],
      ['whale white', [1]],
      ['wolf captain', [2]],
      ['whal', [1, 2]],
      ['CAP whi', [1]],
      ['ägyp', [3]],
      ['sea-wo', [2]],
      ['hal', []],
      ['whale unicorn', []],
      ['hidden', []],
      ['', [1, 2, 3]],
    ]
    for (const [search, expected] of cases) equal(await found(search), expected, search)
    equal(await column(api, '/api/stories?search=captain&order_by=-id&fields=id'), [2, 1])
    const page = await get(api, '/api/stories?search=captain&limit=1')
    equal([page.total, await column(api, page.body.next_url)], [2, [2]])
    equal(
      warnings.filter((text) => text.includes('Searches')),
      [],
    )
  })

  test('the statement uses the index', async () => {
    const { statements } = await db.capture(() => found('captain'))
    const how = {
      sqlite: / match \?/,
      postgres: / @@ to_tsquery/,
      mysql: /match \(.*\) against/,
    }
    ok(statements.some((statement) => how[db.name].test(statement.sql)))
  })

  test('what looks like an operator is text', async () => {
    for (const search of [
      '"',
      '"whale',
      "'",
      '*',
      'whale*',
      '-captain whale',
      '+ - ~ < > ( ) @4',
      'title:whale',
      'NEAR(whale captain)',
      'whale OR unicorn',
      'AND',
      '{title} : whale',
      '!whale & | <->',
      '%',
      '\\',
    ]) {
      const answer = await get(api, `/api/stories?search=${encodeURIComponent(search)}`)
      equal(answer.status, 200, `${search}: ${answer.text}`)
    }
    equal(await found('-captain whale'), await found('whale captain'))
    equal(await found('whale OR unicorn'), [])
  })

  test('policies restrict what the index finds', async () => {
    const answer = await send(api, 'GET', '/api/stories?search=captain', { user: { id: 7 } })
    equal([answer.total, answer.value.map((story: { id: number }) => story.id)], [1, [1]])
  })

  test('for a caller who may not read one of its columns, the search does not use the index', async () => {
    const Ruled = defineModel('Story', {
      table: 'stories',
      columns: { ...Story.columns, text: { ...Story.columns.text, read: 'editor' } },
      search: { columns: ['title', 'text'], index: 'story_search' },
      meta: {},
    })
    const ruled = testApi(db, [Ruled])
    equal(await found('white', ruled), [])
    equal(await found('hal', ruled), [1])
    const editor = { id: 1, roles: ['editor'] }
    const seen = await send(ruled, 'GET', '/api/stories?search=white', { user: editor })
    equal(
      seen.value.map((story: { id: number }) => story.id),
      [1],
    )
    equal(await found('white', ruled), [])
  })

  test('without the index the columns are searched, with a warning that names the missing index', async () => {
    const heard: string[] = []
    const Other = defineModel('Story', {
      table: 'stories',
      columns: Story.columns,
      search: { columns: ['title', 'text'], index: 'no_such_index' },
      meta: {},
    })
    const other = testApi(db, [Other], {}, { onWarning: (text) => void heard.push(text) })
    equal(await found('hal', other), [1, 2])
    const missing = heard.filter((text) =>
      /Searches of "stories" read every row: .*"no_such_index"/.test(text),
    )
    equal(missing.length, 1, heard.join('\n'))
  })

  test('a language that PostgreSQL does not have is named by such a warning', async () => {
    if (db.name !== 'postgres') return
    const heard: string[] = []
    const Other = defineModel('Story', {
      table: 'stories',
      columns: Story.columns,
      search: { columns: ['title', 'text'], index: 'story_search', language: 'klingon' },
      meta: {},
    })
    const other = testApi(db, [Other], {}, { onWarning: (text) => void heard.push(text) })
    equal(await found('hal', other), [1, 2])
    ok(
      heard.some((text) => text.includes('no text search configuration "klingon"')),
      `${heard}`,
    )
  })
})

eachDatabase(
  'search by an FTS5 table of an attached database',
  (test, db) => {
    const Story = (schema?: string) =>
      defineModel('Story', {
        table: 'stories',
        ...(schema === undefined ? {} : { schema }),
        columns: { id, title: { type: 'string', maxLength: 80 } },
        search: { columns: ['title'], index: 'story_search' },
        meta: {},
      })
    const warnings: string[] = []
    const api = (schema?: string) =>
      testApi(db, [Story(schema)], {}, { onWarning: (text) => void warnings.push(text) })

    test.before(async () => {
      await db.execScript("attach ':memory:' as other")
      for (const [schema, word] of [
        ['main', 'whale'],
        ['other', 'wolf'],
      ]) {
        await db.execScript(`
          create table ${schema}.stories (id integer primary key, title varchar(80) not null);
          create virtual table ${schema}.story_search using fts5(title);
          insert into ${schema}.stories values (1, 'a ${word}'), (2, 'b');
          insert into ${schema}.story_search (rowid, title) values (1, 'a ${word}'), (2, 'b');`)
      }
    })

    test('uses the table in the schema of the model', async () => {
      const other = api('other')
      const { statements } = await db.capture(async () => {
        equal(await column(other, '/api/stories?search=wolf'), [1])
      })
      ok(statements.some(({ sql }) => / match \?/.test(sql)))
      equal(await column(other, '/api/stories?search=whale'), [])
      equal(await column(api(), '/api/stories?search=whale'), [1])
      equal(await column(api('main'), '/api/stories?search=wolf'), [])
      equal(
        warnings.filter((text) => text.includes('Searches')),
        [],
      )
    })
  },
  { only: 'sqlite' },
)

suite('declarations of search', (test) => {
  test('mistakes are reported at start-up', () => {
    const start = (search: unknown): string => {
      const columns = {
        id,
        title: { type: 'string' },
        secret: { type: 'string', hidden: true },
        pages: { type: 'integer' },
      }
      try {
        const model = defineModel('Thing', { columns, search, meta: {} } as never)
        buildRegistry({ models: [model], dialect: sqlite })
        return 'started'
      } catch (error) {
        return (error as Error).message
      }
    }
    const cases: readonly (readonly [unknown, string])[] = [
      [['title'], 'started'],
      [[], 'models.Thing.search: expected different columns'],
      [['title', 'title'], 'models.Thing.search: expected different columns'],
      [['titel'], 'models.Thing.search[0]: no column named "titel". Did you mean "title"?'],
      [['title', 'pages'], 'models.Thing.search[1]: "pages" is of type integer'],
      [['secret'], 'models.Thing.search[0]: "secret" is hidden'],
    ]
    const indexed: readonly (readonly [unknown, string])[] = [
      [{ columns: ['title'], index: 'title_search' }, 'started'],
      [{ columns: ['title'], index: 'title_search', language: 'english' }, 'started'],
      [{ columns: ['titel'], index: 'a' }, 'search.columns[0]: no column named "titel"'],
      [{ columns: ['title'] }, 'models.Thing.search.index: '],
      [{ columns: ['title'], index: '' }, 'expected a non-empty string, got "".'],
      [{ columns: ['title'], index: 'a', langage: 'b' }, 'Did you mean "language"?'],
      [{ index: 'a' }, 'models.Thing.search.columns: expected different columns'],
      ['title', 'models.Thing.search: expected different columns'],
    ]
    for (const [search, words] of [...cases, ...indexed])
      ok(start(search).includes(words), start(search))
  })
})
