/** API_SCHEMA_CHECK: the effects of comparing models and database at the start, and that later requests need no statement for it. */
import { type AnyModel, type Api, createApi, defineModel } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase } from '../support/suite.ts'

const model = (name: string, table: string, meta: NonNullable<AnyModel['meta']> = {}): AnyModel =>
  defineModel(name, {
    table,
    columns: {
      id: { type: 'integer', primaryKey: true },
      title: { type: 'string', maxLength: 40 },
    },
    meta,
  })

const differs =
  'Shelf.title (shelves): declared with the column title, but the table has no such column.'

/** Only messages about the comparison; connections produce other warnings. */
const about = (messages: readonly string[]): string[] =>
  messages.filter((message) => message.includes('The models'))

/** Waits 300 ms, in which a comparison that no request waits for would report its differences. */
const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300))

const status = async (api: Api, url: string): Promise<number> =>
  (await api.answer({ method: 'GET', url, headers: {} })).status

eachDatabase('schema check: at the start', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table books (id integer not null primary key, title varchar(40) not null);
      create table shelves (id integer not null primary key);`),
  )

  const Book = model('Book', 'books')
  const Shelf = model('Shelf', 'shelves')

  const start = (
    models: readonly AnyModel[],
    config: Parameters<typeof createApi>[0]['config'],
    options: Partial<Parameters<typeof createApi>[0]> = {},
  ) => {
    const warnings: string[] = []
    const errors: unknown[] = []
    const api = createApi({
      db: db.kysely,
      models,
      ...(config && { config }),
      onWarning: (message) => warnings.push(message),
      onError: (error) => errors.push(error),
      ...options,
    })
    return { api, warnings, errors, said: () => about(warnings) }
  }

  test('by default, ready waits for the warning that lists the differences', async () => {
    const { api, said } = start([Book, Shelf], undefined)
    await api.ready
    equal(said().length, 1)
    match(said()[0] ?? '', 'differ in one place (API_SCHEMA_CHECK)')
    match(said()[0] ?? '', differs)
    equal(await status(api, '/api/books'), 200)
  })

  test('models that agree are not mentioned', async () => {
    const { api, warnings, said } = start([Book], {})
    await api.ready
    equal(said(), [], warnings.join())
  })

  test('without ready, the first request starts the comparison, once', async () => {
    const { api, said } = start([Book, Shelf], {})
    equal(await status(api, '/api/books'), 200)
    equal(await status(api, '/api/books'), 200)
    while (said().length === 0) await idle()
    const { statements } = await db.capture(async () => {
      await status(api, '/api/books')
      await api.ready
      await idle()
    })
    equal([statements.length, said().length], [1, 1])
  })

  if (db.engine === 'sqlite') {
    test('with one connection, the comparison ends before the request that started it', async () => {
      const { api, said } = start([Book, Shelf], {})
      equal(await status(api, '/api/books'), 200)
      equal(said().length, 1)
      const { statements } = await db.capture(idle)
      equal(statements, [])
    })
  }

  test('error: ready rejects with the list, requests get 503 until the schema is right', async () => {
    const clock = frozenClock()
    const { api, errors, said } = start([Book, Shelf], { API_SCHEMA_CHECK: 'error' }, { clock })
    await rejects(api.ready, differs)
    equal(await status(api, '/api/books'), 503)
    equal(await status(api, '/api/books'), 503)
    const reports = errors.filter((error) => String(error).includes('The models'))
    equal([reports.length > 0, said()], [true, []])
    await db.execScript("alter table shelves add column title varchar(40) default '' not null")
    clock.tick(5_000)
    equal(await status(api, '/api/books'), 200)
    await api.ready
    await db.execScript('alter table shelves drop column title')
    equal(await status(api, '/api/books'), 200)
  })

  test('error without differences serves at once', async () => {
    const { api } = start([Book], { API_SCHEMA_CHECK: 'error' })
    equal(await status(api, '/api/books'), 200)
    await api.ready
  })

  test('off reads no schema', async () => {
    const { api, said } = start([Book, Shelf], { API_SCHEMA_CHECK: 'off' })
    await api.ready
    await idle()
    equal(said(), [])
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind }) => kind),
      ['missing column'],
    )
  })

  test('meta overrides the setting for a model', async () => {
    const tolerant = start([Book, model('Shelf', 'shelves', { schema_check: 'off' })], {
      API_SCHEMA_CHECK: 'error',
    })
    await tolerant.api.ready
    equal(tolerant.said(), [])
    equal(await tolerant.api.schemaDifferences(), [])
    const strict = start([Book, model('Shelf', 'shelves', { schema_check: 'error' })], {})
    await rejects(strict.api.ready, differs)
    equal(await status(strict.api, '/api/books'), 503)
  })

  test('a dialect of the host is not compared', async () => {
    const { connect: _, ...known } = plainDialect(db.kysely)
    const dialect = { ...known, name: 'other' }
    const { api, said } = start([Book, Shelf], {}, { dialect })
    await api.ready
    equal(said(), [])
    await rejects(api.schemaDifferences(), 'the dialect "other" does not read schemas')
  })
})
