// After `analyze`, SQLite inspects bound values and plans a cached statement again for each of them. Values that no plan
// depends on are hidden from it.
import { type Api, createApi, defineModel } from '@model-api/core'
import { preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { frozenClock } from '../support/api.ts'
import { askedFirst, askedTwice } from '../support/asked-twice.ts'
import { equal, ok } from '../support/assert.ts'
import { recordStatements, type Statement } from '../support/statements.ts'
import { suite } from '../support/suite.ts'

const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    shop: { type: 'integer' },
    code: { type: 'string' },
    state: { type: 'integer' },
    free: { type: 'integer' },
    big: { type: 'bigint' },
  },
  meta: {},
})

/** Columns whose type in the table is not that of the model. */
const Odd = defineModel('Odd', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    code: { type: 'integer' },
    name: { type: 'string' },
    free: { type: 'integer' },
    any: { type: 'string' },
  },
  meta: {},
})

/** 4,000 items of 200 shops; nearly all of them have the same state. */
const script = `
  create table items (id integer primary key, shop integer, code text, state integer, free integer, big integer);
  create index items_shop on items (shop);
  create index items_code on items (code, shop);
  create index items_state on items (state);
  create index items_some_state on items (state) where id < 10;
  create index items_big on items (big);
  create table odds (id integer primary key, code text, name integer, free, any blob);
  create index odds_code on odds (code); create index odds_name on odds (name);
  create index odds_free on odds (free); create index odds_any on odds (any);
  insert into odds values (1, '7', 7, 7, 7), (2, '07', '07', '07', '07'), (3, '8', 'x', '7', '7');
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
  insert into items select i, i % 200, 'code ' || (i % 50), i % 100 = 0, i % 7, i % 10 from n;`

suite('columns that SQLite has sampled with ANALYZE', (test) => {
  const file = new Sqlite(':memory:')
  file.exec(script)
  const recorder = recordStatements()
  const options = {
    // biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
    db: new Kysely<any>({
      dialect: new SqliteDialect({ database: preparedSqlite(file) }),
      log: recorder.log,
    }),
    models: [Item, Odd],
    clock: frozenClock(),
    onWarning: () => {},
  }
  const apiOf = () => createApi(options)
  const requestOf = (query: string) => ({
    method: 'GET',
    url: `/api/items?count=none&${query}`,
    headers: { 'x-request-id': 'test' },
  })
  const statementOf = async (api: Api, query: string): Promise<Statement> => {
    await api.answer(requestOf(query))
    const { statements } = await recorder.capture(() => api.answer(requestOf(query)))
    equal(statements.length, 1)
    return statements[0] as Statement
  }
  const where = ({ sql }: Statement): string => / where (.*?) (?:order|limit)/.exec(sql)?.[1] ?? ''
  const isWritten = ({ sql }: Statement): boolean => sql.includes('object of row')

  const queries = [
    'shop__eq=7',
    'code__eq=code 7',
    'shop__in=(1,2,3)',
    'shop__in=(1,2,3,4,5,6,7,8,9)',
    'state__eq=1',
    'free__eq=1',
    'shop__ge=190',
    'shop__between=(3,4)',
    'code__like=%257',
    'big__eq=3',
    'shop__eq=7&state__eq=0',
    'or[shop__eq=7,code__eq=code 8]',
    'not[shop__eq=7]',
    'state__isnull=true',
    'paging=cursor&limit=5&order_by=state',
    'paging=cursor&limit=5',
  ]

  const odds = [
    'code__eq=7',
    'code__in=(7)',
    'name__eq=7',
    'name__eq=07',
    'free__eq=7',
    'any__eq=7',
    'any__in=(7,07)',
  ]
  const found = async (): Promise<readonly string[]> =>
    Promise.all(
      odds.map(async (query) => {
        const request = { ...requestOf(query), url: `/api/odds?${query}` }
        return `${query} ${(await askedTwice(apiOf()).answer(request)).text}`
      }),
    )
  let before: readonly string[] = []

  test('before ANALYZE no value is hidden from the planner, and objects are written except for patterns', async () => {
    const api = apiOf()
    before = await found()
    equal(where(await statementOf(api, 'shop__eq=7')), '"items"."shop" = ?')
    ok(isWritten(await statementOf(api, 'shop__eq=7')))
    ok(isWritten(await statementOf(api, 'shop__ge=190')))
    ok(!isWritten(await statementOf(api, 'code__like=%257')))
  })

  test('after ANALYZE the values of evenly distributed columns are hidden, and their index is used', async () => {
    file.exec('analyze')
    const { n } = file.prepare('select count(*) as n from sqlite_stat4').get() as { n: number }
    ok(n > 0, 'this build of SQLite takes no samples')
    const api = apiOf()
    for (const [query, condition, index] of [
      ['shop__eq=7', '"items"."shop" = cast(? as integer)', 'items_shop'],
      ['code__eq=code 7', '"items"."code" collate binary = cast(? as text)', 'items_code'],
      [
        'shop__in=(1,2,3)',
        `"items"."shop" in (${Array(4).fill('cast(? as integer)').join(', ')})`,
        'items_shop',
      ],
      ['state__eq=1', '"items"."state" = ?', 'items_state'],
    ] as const) {
      const statement = await statementOf(api, query)
      equal(where(statement), condition)
      const plan = file.prepare(`explain query plan ${statement.sql}`).all(...statement.parameters)
      ok(JSON.stringify(plan).includes(`USING INDEX ${index} `), JSON.stringify(plan))
    }
  })

  test('a column with another declared type is compared as before', async () => {
    equal(await found(), before)
  })

  test('the database writes objects if the statement is not planned again', async () => {
    const api = apiOf()
    for (const [query, written] of [
      ['shop__eq=7', true],
      ['big__eq=3', true],
      ['free__ge=3', true],
      ['shop__eq=7&free__ge=3', true],
      ['state__isnull=false', true],
      ['shop__in=(1,2,3,4,5,6,7,8,9)', true],
      ['state__eq=1', false],
      ['shop__ge=190', false],
      ['shop__between=(3,4)', false],
      ['code__like=%257', false],
      ['or[shop__eq=7,state__eq=1]', false],
      ['not[shop__gt=7]', false],
    ] as const) {
      equal(isWritten(await statementOf(api, query)), written, query)
    }
  })

  test('responses do not change', async () => {
    const [fast, plain] = [askedTwice(apiOf()), askedFirst(apiOf)]
    for (const query of queries) {
      const answer = await fast.answer(requestOf(query))
      equal(answer, await plain.answer(requestOf(query)))
      equal(answer.status, 200, answer.text)
    }
  })
})
