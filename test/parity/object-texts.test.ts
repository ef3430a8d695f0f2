/**
 * Objects whose JSON SQLite builds: whatever a column contains, the bytes are the same as for values that are read and
 * serialised one by one.
 */
import {
  type AnyModel,
  type Api,
  belongsTo,
  type Column,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { Kysely, SqliteDialect } from 'kysely'
import { frozenClock } from '../support/api.ts'
import { askedFirst, askedTwice } from '../support/asked-twice.ts'
import { equal, ok } from '../support/assert.ts'
import { extent } from '../support/extent.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { recordStatements } from '../support/statements.ts'
import { notRun, suite } from '../support/suite.ts'

/** A database in memory, and APIs on it. */
function world(script: string, models: readonly AnyModel[]) {
  const file = new Sqlite(':memory:')
  file.exec(script)
  const recorder = recordStatements()
  const options = {
    // biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
    db: new Kysely<any>({
      dialect: new SqliteDialect({ database: preparedSqlite(file) }),
      log: recorder.log,
    }),
    models,
    config: {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_SERIALIZATION_TYPE: 'dynamic' as const,
      API_SERIALIZATION_DEPTH: 3,
    },
    clock: frozenClock(),
    onWarning: () => {},
    onError: () => {},
  }
  const apiOf = (): Api => createApi(options)
  /** An API that always reads values. */
  const valuesApi = (): Api => createApi({ ...options, dialect: plainDialect(options.db) })
  return { file, apiOf, valuesApi, capture: recorder.capture }
}

const requestOf = (url: string, baseUrl?: string) => ({
  method: 'GET',
  url,
  headers: { 'x-request-id': 'test' },
  ...(baseUrl === undefined ? {} : { baseUrl }),
})

const types: Readonly<Record<string, Omit<Column, 'nullable'>>> = {
  integer: { type: 'integer' },
  bigint: { type: 'bigint' },
  float: { type: 'float' },
  decimal: { type: 'decimal', precision: 10, scale: 2 },
  cents: { type: 'decimal', precision: 15, scale: 0 },
  fine: { type: 'decimal', precision: 15, scale: 6 },
  digits: { type: 'decimal', precision: 30, scale: 2, storage: 'text' },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  text: { type: 'text' },
  uuid: { type: 'uuid' },
  date: { type: 'date' },
  datetime: { type: 'datetime' },
  time: { type: 'time' },
  json: { type: 'json' },
  binary: { type: 'binary' },
}

/** The affinities of columns, which determine how SQLite stores a value. */
const affinities = ['integer', 'text', 'numeric', 'real', 'blob'] as const

/** The stored values, as SQL. */
const stored: readonly string[] = [
  ...['null', '0', '1', '-1', '7', '2', '-12', '1234567890', '999999999999999', '1000000000000000'],
  ...['9007199254740991', '9007199254740992', '-9007199254740993', '9223372036854775807'],
  ...['1.5', '-1.5', '0.1', '-0.0', '5.0', '1e3', '1e20', '1e-7', '1e300', '9e999', '-9e999'],
  ...['0.005', '0.015', '1.005', '1.115', '-0.004', '-0.005', '-0.5', '19.99', '-19.90'],
  ...['12345678.90', '99999999.99', '999999999999.99', '9999999999999.99', '123456789.123456'],
  ...["''", "'0'", "'1'", "'12'", "'012'", "' 12'", "'12 '", "'-0'", "'+5'", "'1.50'", "'1.5'"],
  ...[
    "'-1.50'",
    "'abc'",
    "'12abc'",
    "'null'",
    "'true'",
    "'false'",
    "'t'",
    "'{}'",
    "'[1]'",
    `'"x"'`,
  ],
  ...["'0xff'", "'1e3'", "'Infinity'", "'NaN'", "'?'", "'%s'", "'%'", "'a%sb%%'"],
  ...["x''", "x'31'", "x'616263'", "x'ff00'", "x'323032342d30312d3032'"],
  ...["cast(x'c328' as text)", "cast(x'eda080' as text)", "cast(x'efbbbf61' as text)"],
  ...["cast(x'f09f9880' as text)", "cast(x'6100620a' as text)", "cast(x'80' as text)"],
  ...[`'quote " and back \\ slash'`, "'tab' || char(9) || char(10) || char(13) || char(8)"],
  ...['char(1) || char(31) || char(127) || char(128) || char(8232)', "'ß € 😀'", "'\\u0041\\'"],
  ...[
    "'2024-01-02'",
    "'0000-00-00'",
    "'9999-12-31'",
    "'2024-1-2'",
    "'2024-02-30'",
    "'02024-01-02'",
  ],
  ...["'2024-01-02 03:04:05'", "'2024-01-02T03:04:05'", "'2024-01-02 03:04:05.1'"],
  ...["'2024-01-02 03:04:05.123'", "'2024-01-02T03:04:05.123Z'", "'2024-01-02 03:04:05.123Z'"],
  ...["'2024-01-02 03:04:05Z'", "'2024-01-02 03:04:05.123456'", "'2024-01-02 03:04:05+02'"],
  ...["'2024-01-02 03:04:05.123+02:00'", "'2024-01-02x03:04:05.123'", "'2024-01-02 03:04:05,123'"],
  ...["'0000-01-02 03:04:05.123'", "'2024-01-02 03:04'", "'2024-01-02  3:04:05.123'"],
  ...[
    "'10:30:00'",
    "'10:30:00.5'",
    "'10:30'",
    "'10:30:00+01'",
    "'24:00:00'",
    '2460312',
    '1704164645',
  ],
  ...["'3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'", "'12' || char(0) || 'x'", "x'3100'"],
  ...["'2024-01-02' || char(0)", "'10:30:00' || char(0) || 'x'", "'1.50' || char(0)"],
  ...["'2024-01-02 03:04:05.123' || char(0)", "'2024-01-02 03:04:05.123Z' || char(0) || 'x'"],
  ...["'2024-01-02 03:04:05' || char(0)", "'2024-01-02T03:04:05.123' || char(0) || 'Z'"],
]

const names = Object.keys(types)
const models = names.flatMap((name) =>
  [true, false].map((nullable) =>
    defineModel(`${nullable ? 'May' : 'Must'}${name[0]?.toUpperCase()}${name.slice(1)}Row`, {
      table: 'odds',
      columns: {
        id: { type: 'integer', primaryKey: true },
        ...Object.fromEntries(
          affinities.map((affinity) => [affinity, { ...types[name], nullable } as Column]),
        ),
      },
      meta: {},
    }),
  ),
)
const columns = affinities.map((affinity) => `"${affinity}" ${affinity}`)
const rows = stored.map(
  (value, i) => `insert into odds values (${[i + 1, ...affinities.map(() => value)].join(', ')});`,
)
const odd = world(
  `create table odds (id integer primary key, ${columns.join(', ')});\n${rows.join('\n')}`,
  models,
)

/**
 * The models that read a value from a column: two for each type, one nullable and one not. A usual run has one of the two,
 * alternating between values and columns.
 */
function modelsFor(value: number, affinity: number): readonly AnyModel[] {
  if (extent === 'whole') return models
  return models.filter((_, i) => (value + affinity + i) % 2 === 0)
}

suite('objects written by SQLite, with any stored value', (test) => {
  if (extent === 'usual') {
    notRun('stored forms in both nullable columns and others', 'a usual run has either')
  }
  const plain = odd.valuesApi()
  stored.forEach((value, i) => {
    test(value, async () => {
      // A new API for each value: after one text of an unexpected form, the query reads values for all later requests too.
      const fast = askedTwice(odd.apiOf())
      for (const [k, affinity] of affinities.entries()) {
        for (const { name } of modelsFor(i, k)) {
          const path = `/api/${name.replaceAll(/(?!^)[A-Z]/g, (capital) => `-${capital}`).toLowerCase()}s`
          const request = requestOf(`${path}?id__eq=${i + 1}&fields=id,${affinity}`)
          const answer = await fast.answer(request)
          equal(answer, await plain.answer(request), request.url)
          // A text that is no date or time at all is a 500.
          ok(answer.status === 200 || answer.status === 500, answer.text)
        }
      }
    })
  })
})

const Owner = defineModel('Owner', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string' },
    secret: { type: 'string', hidden: true },
    boss_id: { type: 'integer', nullable: true },
  },
  relations: {
    things: hasMany('Thing', 'owner_id'),
    boss: belongsTo('Owner', 'boss_id'),
    labels: manyToMany('Label', { through: 'owner_labels', from: 'owner_id', to: 'label_key' }),
  },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { key: { type: 'string', primaryKey: true }, note: { type: 'text', nullable: true } },
  relations: {
    owners: manyToMany('Owner', { through: 'owner_labels', from: 'label_key', to: 'owner_id' }),
  },
  meta: {},
})
const Thing = defineModel('Thing', {
  columns: {
    id: { type: 'bigint', primaryKey: true },
    owner_id: { type: 'integer' },
    price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
    seen: { type: 'datetime' },
    live: { type: 'boolean' },
  },
  relations: { owner: belongsTo('Owner', 'owner_id'), parts: hasMany('Part', 'thing_id') },
  meta: {},
})
const Part = defineModel('Part', {
  columns: {
    thing_id: { type: 'bigint', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    weight: { type: 'float' },
  },
  relations: { thing: belongsTo('Thing', 'thing_id') },
  meta: {},
})
const Shown = defineModel('Shown', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    made: { type: 'text' },
    again: { type: 'text' },
  },
  meta: {},
})
const Made = defineModel('Made', { table: 'made', columns: Shown.columns, meta: {} })

const tables = `
  create table owners (id integer primary key, name varchar(80) not null, secret text, boss_id integer);
  create table labels ("key" text primary key, note text);
  create table owner_labels (owner_id integer not null, label_key text not null);
  create table things (id integer primary key, owner_id integer, price decimal(10, 2), seen text, live boolean);
  create table parts (thing_id integer, number integer, weight real, primary key (thing_id, number));
  insert into owners values (1, 'Ada', 'x', null), (2, 'Emil "%s"', 'y', 1), (3, 'Vera', 'z', 2), (4, '', '', 9),
    (5, '},{"id":1,"name":"x"}', '', 1), (6, 'ends with ,', '', 1);
  insert into labels values ('one', 'first'), ('two', null), ('ß%/?', 'far "off"');
  insert into owner_labels values (1, 'one'), (1, 'two'), (2, 'one'), (3, 'ß%/?');
  insert into things values
    (1, 1, 19.9, '2024-01-02 03:04:05.123', 1), (2, 1, null, '2024-01-02 03:04:05', 0),
    (9223372036854775807, 2, -0.05, '2024-01-02T03:04:05.123Z', 1), (4, 9, 3, '2024-01-02 03:04:05.12', 1);
  insert into parts values (1, 1, 0.1), (1, 2, 1e21), (2, 1, 3.0);
  create table made (id integer primary key, made text as (json('"quoted"')), again text as (json_array(id)));
  insert into made (id) values (1);
  create view showns as select id, json('"quoted"') as made, json_quote('a"b') as again from owners;`

const urls = [
  '/api/owners',
  '/api/owners/1',
  '/api/owners/3?dump=json',
  '/api/owners/99',
  '/api/owners?dump=json&order_by=-name',
  ...['none', 'exact', 'capped'].flatMap((count) => [
    `/api/owners?count=${count}&limit=5`,
    `/api/owners?count=${count}&limit=6`,
    `/api/owners?count=${count}&limit=7`,
    `/api/owners?count=${count}&limit=1&page=5`,
    `/api/owners?count=${count}&limit=3&page=2`,
    `/api/owners?count=${count}&limit=4&page=2&boss_id__eq=1&order_by=-name`,
    `/api/owners?count=${count}&limit=3&page=9`,
    `/api/owners?count=${count}&limit=3&boss_id__eq=77`,
    `/api/owners?count=${count}&limit=3&boss_id__eq=77&page=2`,
    `/api/owners?count=${count}&limit=2&boss_id__eq=1&join=boss&join_type=left`,
  ]),
  '/api/owners?dump=json&page=2&limit=1',
  '/api/owners?dump=json&page=2&limit=3&order_by=-boss_id,name',
  '/api/owners?dump_relationships=false&boss_id__isnull=true',
  '/api/owners?name__like=%25m%25&paging=cursor&limit=1',
  '/api/owners?paging=cursor&limit=2&order_by=boss_id',
  '/api/owners?fields=name',
  '/api/owners?fields=name&join=boss&boss.id__eq=1',
  '/api/owners?join=things&order_by=-id',
  '/api/owners?dump=json&things.limit=1',
  '/api/owners?join=boss&join_type=left',
  '/api/owners?join=boss&join_type=right',
  '/api/owners?join=boss&order_by=boss.name',
  '/api/owners?boss_id__in=(1,2)&dump=json',
  '/api/owners?groupby=boss_id&id__count=1',
  '/api/owners/1/things',
  '/api/labels',
  '/api/labels/one',
  '/api/labels?dump=json&key__in=(one,two)',
  '/api/labels?dump_relationships=false',
  '/api/things',
  '/api/things?dump=json&limit=3',
  '/api/things?id__le=2&dump=json',
  '/api/things?id__eq=2',
  '/api/things?join=owner.boss&join_type=left&id__le=2',
  '/api/parts',
  '/api/parts/1,2',
  '/api/parts?fields=number,thing_id',
  '/api/showns',
  '/api/mades',
]

const Node = defineModel('Node', {
  columns: {
    key: { type: 'string', primaryKey: true },
    up_key: { type: 'integer', nullable: true },
    secret_key: { type: 'integer', nullable: true, hidden: true },
  },
  relations: { up: belongsTo('Leaf', 'up_key'), leaves: hasMany('Leaf', 'node_key') },
  meta: {},
})
const Leaf = defineModel('Leaf', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    node_key: { type: 'string', nullable: true },
    hidden_key: { type: 'integer', nullable: true, hidden: true },
  },
  relations: {
    node: belongsTo('Node', 'node_key'),
    hider: belongsTo('Leaf', 'hidden_key'),
    hidden: hasMany('Leaf', 'hidden_key'),
  },
  meta: { endpoint: 'leafs' },
})

suite('links written by SQLite, with any key', (test) => {
  const values = [
    "'null'",
    "'nobody'",
    "''",
    '9e999',
    '1.5',
    '7',
    "'7'",
    'null',
    "'a' || char(0) || 'b'",
  ]
  values.forEach((value) => {
    test(value, async () => {
      const { apiOf } = world(
        `create table nodes ("key" text primary key, up_key integer, secret_key integer);
        create table leaves (id integer primary key, node_key text, hidden_key integer);
        insert into nodes values ('a', null, null), ('a' || char(0) || 'b', null, null), ('x', ${value}, ${value});
        insert or ignore into nodes values (${value}, 1, 1);
        insert into leaves values (1, 'a', null), (2, ${value}, ${value}), (3, 'a' || char(0) || 'b', 1);`,
        [Node, { ...Leaf, table: 'leaves' } as unknown as AnyModel],
      )
      const plain = askedFirst(() => apiOf())
      for (const url of [
        '/api/nodes',
        '/api/nodes?key__eq=a',
        '/api/nodes?dump=json&key__ne=x',
        '/api/nodes?join=up&join_type=left&key__eq=x',
        '/api/leafs',
        '/api/leafs?id__eq=1',
        '/api/leafs?id__eq=2',
        '/api/leafs?id__eq=3',
        '/api/leafs?id__eq=2&join=node&join_type=left',
        '/api/leafs?id__eq=3&join=node.leaves&join_type=left',
        '/api/leafs?id__eq=3&dump=json',
      ]) {
        const fast = askedTwice(apiOf())
        equal(await fast.answer(requestOf(url)), await plain.answer(requestOf(url)), url)
      }
    })
  })
})

suite('columns that SQLite writes as JSON', (test) => {
  const Éx = defineModel('Ex', {
    table: 'éx',
    columns: { id: { type: 'integer', primaryKey: true }, made: { type: 'text' } },
    meta: { endpoint: 'exes' },
  })
  const made = `(id integer primary key, made text as (json('"quoted"')))`
  for (const [title, script] of [
    [
      'names ignore the case of ASCII letters only',
      `create table "Éx" (id integer primary key, made text); create table "éx" ${made};`,
    ],
    [
      'a temporary table hides another',
      `create table "éx" (id integer primary key, made text); create temp table "éx" ${made};`,
    ],
    [
      'a database in UTF-16',
      `pragma encoding = 'UTF-16le'; create table "éx" (id integer primary key, made text); insert into "éx" values (2, cast(x'F8DC' as text));`,
    ],
  ] as const) {
    test(title, async () => {
      const { apiOf } = world(`${script}\ninsert into "éx" (id) values (1);`, [Éx])
      for (const url of ['/api/exes', '/api/exes/1', '/api/exes/2']) {
        const fast = askedTwice(apiOf())
        equal(await fast.answer(requestOf(url)), await apiOf().answer(requestOf(url)))
      }
    })
  }
})

suite('objects written by SQLite, with their relations', (test) => {
  const all = [Owner, Label, Thing, Part, Shown, Made]
  const { apiOf, capture, file } = world(tables, all)
  const plain = askedFirst(() => apiOf())

  for (const url of urls) {
    test(url, async () => {
      const fast = askedTwice(apiOf())
      for (const baseUrl of ['', '', '/mo"unted/%s/ß', '/a.b', '']) {
        const request = requestOf(url, baseUrl)
        const answer = await fast.answer(request)
        equal(answer, await plain.answer(request))
        ok(answer.status === (url.includes('/99') ? 404 : 200), answer.text)
      }
    })
  }

  /** Returns whether each statement of a request reads JSON text or values. */
  const formsIn = async (api: Api, url: string): Promise<string> => {
    await api.ready
    const { statements } = await capture(() => api.answer(requestOf(url)))
    return statements.map(({ sql }) => (sql.includes('"object of row"') ? 'text' : 'values')).join()
  }
  /** The same for a query that was sent before. */
  const textsIn = async (api: Api, url: string): Promise<string> => {
    await api.answer(requestOf(url))
    return formsIn(api, url)
  }

  test('one statement writes records, their links and to-one relations', async () => {
    const fast = apiOf()
    equal(await textsIn(fast, '/api/owners?limit=9'), 'text')
    equal(await textsIn(fast, '/api/owners/1?dump_relationships=false'), 'text')
    equal(await textsIn(fast, '/api/things?join=owner&join_type=left&id__le=2'), 'text')
    equal(await textsIn(fast, '/api/owners?join=things&join_type=left&limit=9'), 'text,text')
    // The key has to be escaped in a path.
    equal(await textsIn(fast, '/api/labels?limit=9'), 'text,values')
    // SQLite writes a float in another form.
    equal(await textsIn(fast, '/api/parts?limit=9'), 'values')
    equal(await textsIn(fast, '/api/parts?fields=number,thing_id&limit=9'), 'text')
    // SQLite may mark a value that a view or the table computes as JSON.
    equal(await textsIn(fast, '/api/showns?limit=9'), 'values')
    equal(await textsIn(fast, '/api/mades?limit=9'), 'values')
  })

  test('the total is counted in the same statement, unless the page gives it', async () => {
    const fast = apiOf()
    await fast.ready
    for (const [query, total] of [
      ['limit=2', 6],
      ['limit=20', 6],
      ['limit=2&page=3', 6],
      ['limit=5&page=3', 6],
      ['limit=2&boss_id__eq=1', 3],
      ['limit=3&boss_id__eq=77', 0],
    ] as const) {
      await fast.answer(requestOf(`/api/owners?${query}`))
      const { result, statements } = await capture(() =>
        fast.answer(requestOf(`/api/owners?${query}`)),
      )
      equal([JSON.parse(result.text ?? '').total_count, statements.length], [total, 1], query)
    }
  })

  test('embedded objects have links below the mount path', async () => {
    const fast = apiOf()
    await fast.ready
    const url = '/api/owners?join=things&join_type=left&limit=9'
    await fast.answer(requestOf(url))
    for (const baseUrl of ['', '/m', '/n', '']) {
      const { result, statements } = await capture(() => fast.answer(requestOf(url, baseUrl)))
      equal(result, await plain.answer(requestOf(url, baseUrl)))
      equal(statements.length, 2)
    }
  })

  test('a query reads values after a row with a value in another form', async () => {
    const fast = apiOf()
    equal(await textsIn(fast, '/api/things?id__eq=1'), 'text')
    equal(await formsIn(fast, '/api/things?id__eq=4'), 'text,values')
    equal(await formsIn(fast, '/api/things?id__eq=1'), 'values')
    equal(await textsIn(fast, '/api/things?id__le=1'), 'text')
  })

  test('a value of another type in an unconstrained column is read unchanged', async () => {
    const fast = askedTwice(apiOf())
    file.exec("insert into owners values (7, 'Zoe', '', 'nobody')")
    const request = requestOf('/api/owners?id__eq=7&join=boss&join_type=left')
    equal(await fast.answer(request), await plain.answer(request))
    file.exec('delete from owners where id = 7')
  })

  test('a page that has to be sorted is limited before its objects are written', async () => {
    const fast = apiOf()
    await fast.ready
    for (const [url, cut] of [
      ['/api/owners?order_by=-name', true],
      ['/api/owners?name__ne=x', true],
      ['/api/owners', false],
      ['/api/owners/1', false],
    ] as const) {
      await fast.answer(requestOf(url))
      const { statements } = await capture(() => fast.answer(requestOf(url)))
      equal(
        / from \(select "owners"\."id" as "id", .* limit /.test(statements[0]?.sql ?? ''),
        cut,
        url,
      )
    }
  })

  test('any string is quoted as by JSON.stringify', async () => {
    const fast = apiOf()
    const insert = file.prepare('insert or replace into labels values (?, ?)')
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        async (key, note) => {
          insert.run('odd', `${key}${note}`)
          const { text } = await fast.answer(requestOf('/api/labels/odd?dump_relationships=false'))
          equal(JSON.parse(text ?? '').value, { key: 'odd', note: `${key}${note}` })
        },
      ),
      { numRuns: 300, seed: 7 },
    )
    equal(await textsIn(fast, '/api/labels/odd?dump_relationships=false'), 'text')
    file.exec("delete from labels where key = 'odd'")
  })

  test('a very long string is read as a value', async () => {
    const fast = apiOf()
    const long = '"\\'.repeat(600_000)
    file.prepare('insert into labels values (?, ?)').run('long', long)
    const { text } = await fast.answer(requestOf('/api/labels/long?dump_relationships=false'))
    equal(JSON.parse(text ?? '').value.note, long)
    equal(await textsIn(fast, '/api/labels/long?dump_relationships=false'), 'values')
    const list = '/api/labels?dump_relationships=false&key__eq=long'
    equal(await textsIn(fast, list), 'text,values')
    equal(await fast.answer(requestOf(list)), await plain.answer(requestOf(list)))
    file.exec("delete from labels where key = 'long'")
  })
})
