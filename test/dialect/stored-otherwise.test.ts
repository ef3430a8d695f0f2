/**
 * Columns that hold something else than their declared type says, as introspection reads them and as a model declares them: what a
 * list shows is found, ordered, paged, grouped and opened. A new kind is a new entry of the table.
 */
import { type AnyModel, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { answerOf, contradictions } from '../support/contradictions.ts'
import type { Engine } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

type Computed = Readonly<
  Record<string, { type: 'text' | 'string'; expression: (eb: Expressions) => Expression<unknown> }>
>
type Expressions = ExpressionBuilder<Record<string, Record<string, unknown>>, string>

interface Kind {
  readonly title: string
  readonly on: readonly Engine[]
  /** Creates and fills the table or view `things`. */
  readonly script: string
  /** Declares the model instead of introspection. */
  readonly columns?: AnyModel['columns']
  readonly computed?: Computed
  /** The types that introspection declares, for the columns that the kind is about. */
  readonly types?: Readonly<Record<string, string>>
  /** The list, by default in the order of the key. */
  readonly shows: readonly Readonly<Record<string, unknown>>[]
  /** Fields that can be neither filtered nor ordered. */
  readonly uncompared?: readonly string[]
  readonly isList?: true
  /** Why introspection makes it a list, where the table declares a key. */
  readonly because?: string
  /** The model declares another type than the database, which the schema check reports; the values are shown all the same. */
  readonly isMistaken?: true
}

const ids = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1)
const maria: readonly Engine[] = ['mysql', 'mariadb']

const tinyints = `create table things (id int primary key, f tinyint(1), g tinyint(1) not null, key of_f (f));
  insert into things values ${ids(12).map((id) => `(${id}, ${id === 12 ? 'null' : id % 10}, ${id % 2})`)};`

const kinds: readonly Kind[] = [
  {
    title: 'tinyint(1) with 0 to 9, introspected',
    on: maria,
    script: tinyints,
    types: { f: 'integer', g: 'boolean' },
    shows: ids(12).map((id) => ({ id, f: id === 12 ? null : id % 10, g: id % 2 === 1 })),
  },
  {
    title: 'tinyint(1) with 0 to 9, declared boolean',
    on: maria,
    script: tinyints,
    columns: {
      id: { type: 'integer', primaryKey: true },
      f: { type: 'boolean', nullable: true },
      g: { type: 'boolean' },
    },
    shows: ids(12).map((id) => ({ id, f: id === 12 ? null : id % 10 !== 0, g: id % 2 === 1 })),
  },
  {
    title: 'numbers and bits, declared boolean',
    on: maria,
    script: `create table things (id int primary key, f decimal(4,2), g bit(1), h bit(8), k double, l bigint unsigned);
      insert into things values (1, 0, 0, 0, 0, 0), (2, 0.5, 1, 2, 0.5, 18446744073709551615), (3, -7, 1, 255, -1e300, 2),
        (4, null, null, null, null, null), (5, 1, 0, 1, 1, 1), (6, 0, 1, 4, 0, 3);`,
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...Object.fromEntries(
        ['f', 'g', 'h', 'k', 'l'].map((name) => [name, { type: 'boolean', nullable: true }]),
      ),
    } as AnyModel['columns'],
    shows: [
      { id: 1, f: false, g: false, h: false, k: false, l: false },
      { id: 2, f: true, g: true, h: true, k: true, l: true },
      { id: 3, f: true, g: true, h: true, k: true, l: true },
      { id: 4, f: null, g: null, h: null, k: null, l: null },
      { id: 5, f: true, g: false, h: true, k: true, l: true },
      { id: 6, f: false, g: true, h: true, k: false, l: true },
    ],
  },
  {
    title: 'texts that JSON functions make, in a view',
    on: ['mariadb'],
    script: `create table docs (id int primary key, doc longtext not null check (json_valid(doc)), plain longtext);
      insert into docs values ${ids(5).map((id) => `(${id}, '{"a": ${id % 2}, "b": "x"}', '[${id}]')`)};
      create view things as select id, json_object('a', json_value(doc, '$.a')) as made, json_extract(doc, '$.b') as b,
        json_array(1, 2) as two, json_compact(plain) as compact, json_unquote(json_extract(doc, '$.b')) as bare from docs;`,
    types: { made: 'text', b: 'text' },
    shows: ids(5).map((id) => ({
      id,
      made: `{"a": "${id % 2}"}`,
      b: '"x"',
      two: '[1, 2]',
      compact: `[${id}]`,
      bare: 'x',
    })),
  },
  {
    title: 'texts that JSON functions make, computed',
    on: maria,
    script: `create table things (id int primary key);
      insert into things values ${ids(5).map((id) => `(${id})`)};`,
    columns: { id: { type: 'integer', primaryKey: true } },
    computed: {
      made: {
        type: 'text',
        expression: ({ fn, ref, val }) => fn('json_array', [ref('id'), val('x')]),
      },
      day: {
        type: 'string',
        expression: ({ fn, ref }) => fn('from_days', [sql`737991 + ${ref('id')}`]),
      },
    },
    shows: ids(5).map((id) => ({ id, made: `[${id}, "x"]`, day: `2020-07-2${id}` })),
  },
  {
    title: 'columns that drivers parse, declared as text',
    on: ['mysql', 'mariadb'],
    script: `create table things (id int primary key, j json, d date, t datetime, n decimal(5,2), b bigint, y double);
      insert into things values ${ids(5).map((id) => `(${id}, '{"a": ${id % 2}}', '2024-05-0${id}', '2024-05-14 10:30:0${id}', ${id}.5, 922337203685477580${id}, 0.${id})`)};`,
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...Object.fromEntries(
        ['j', 'd', 't', 'n', 'b', 'y'].map((name) => [name, { type: 'string', nullable: true }]),
      ),
    } as AnyModel['columns'],
    isMistaken: true,
    shows: ids(5).map((id) => ({
      id,
      j: `{"a": ${id % 2}}`,
      d: `2024-05-0${id}`,
      t: `2024-05-14 10:30:0${id}`,
      n: `${id}.50`,
      b: `922337203685477580${id}`,
      y: `0.${id}`,
    })),
  },
  {
    title: 'columns that drivers parse, declared as text',
    on: ['postgres'],
    script: `create table things (id int primary key, j json, k jsonb, d date, t timestamptz, a int[], n numeric(5,2), y float8, o boolean, p point, i interval);
      insert into things select i, '{"a": 1}', '{"a": 1}', '2024-05-14', '2024-05-14 10:30:00Z', '{1,2}', 1.5, 0.1, true, '(1,2)', '1 day' from generate_series(1, 5) i;`,
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...Object.fromEntries(
        ['j', 'k', 'd', 'a', 'n', 'y', 'o', 'p', 'i'].map((name) => [
          name,
          { type: 'string', nullable: true },
        ]),
      ),
    } as AnyModel['columns'],
    isMistaken: true,
    shows: ids(5).map((id) => ({
      id,
      j: '{"a": 1}',
      k: '{"a": 1}',
      d: '2024-05-14',
      a: '{1,2}',
      n: '1.50',
      y: '0.1',
      o: 'true',
      p: '(1,2)',
      i: '1 day',
    })),
  },
  {
    title: 'domains over enums and over such domains',
    on: ['postgres'],
    script: `create type mood as enum ('sad', 'ok', 'happy'); create domain feeling as mood; create domain deep as feeling check (value::text <> 'happy'); create domain moods as mood[];
      create domain code as uuid; create domain moment as timestamptz; create domain clock as time;
      create domain words as varchar(10); create domain whole as bigint; create domain exact as numeric(8, 2);
      create table things (id deep primary key, m mood, f feeling, l mood[], k feeling[], o moods, u code, t moment, c clock, w words, n whole, x exact);
      insert into things values ('sad', 'happy', 'happy', '{ok,sad}', '{ok,sad}', '{ok,sad}', '00000000-0000-4000-8000-000000000001', '2024-05-14 10:30:00Z', '10:30', 'A', 1, 1.50),
        ('ok', 'ok', 'sad', '{}', '{}', '{}', '00000000-0000-4000-8000-000000000002', '2024-05-15 10:30:00Z', '10:31', 'a', 2, 2.25);`,
    types: { id: 'enum', m: 'enum', f: 'enum', l: 'list', k: 'list', o: 'list' },
    shows: [
      { id: 'sad', m: 'happy', f: 'happy', n: '1', x: '1.50' },
      { id: 'ok', m: 'ok', f: 'sad', n: '2', x: '2.25' },
    ],
  },
  {
    title: 'a parent of tables that inherit it',
    on: ['postgres'],
    script: `create table things (id int primary key, name text); create table more (extra int) inherits (things);
      insert into things values (1, 'a'), (2, 'b'); insert into more values (1, 'c', 1), (3, 'd', 2);`,
    isList: true,
    because: 'its keys do not hold for the rows of tables that inherit it',
    shows: [
      { id: 1, name: 'a' },
      { id: 1, name: 'c' },
      { id: 2, name: 'b' },
      { id: 3, name: 'd' },
    ],
  },
  {
    title: 'uuids as 16 bytes',
    on: ['sqlite'],
    script: `create table things (id guid primary key not null, other uniqueidentifier, n int);
      insert into things values (x'00112233445566778899aabbccddeeff', x'ffeeddccbbaa99887766554433221100', 1),
        (x'10112233445566778899aabbccddeeff', null, 2), (x'20112233445566778899aabbccddee00', x'ff00000000000000000000000000ff00', 3);`,
    types: { id: 'binary', other: 'binary' },
    shows: [
      { id: 'ABEiM0RVZneImaq7zN3u/w==', other: '/+7dzLuqmYh3ZlVEMyIRAA==', n: 1 },
      { id: 'EBEiM0RVZneImaq7zN3u/w==', other: null, n: 2 },
      { id: 'IBEiM0RVZneImaq7zN3uAA==', other: '/wAAAAAAAAAAAAAAAAD/AA==', n: 3 },
    ],
  },
  {
    title: 'bytes among texts',
    on: ['sqlite'],
    script: `create table things (id integer primary key, t text, v varchar(20), j json, k jsonb);
      insert into things values (1, x'ff00fe', x'80', x'ff', x'ff'), (2, 'a', 'b', '{"a": 1}', '1'), (3, x'6162', x'63', x'2264', '2'),
        (4, x'ff00fe', x'81', null, null), (5, '', '', '""', '3');`,
    types: { t: 'opaque', v: 'opaque', j: 'opaque', k: 'opaque' },
    shows: [
      { id: 1, t: "X'FF00FE'", v: "X'80'", j: "X'FF'", k: "X'FF'" },
      { id: 2, t: 'a', v: 'b', j: '{"a": 1}', k: '1' },
      { id: 3, t: "X'6162'", v: "X'63'", j: "X'2264'", k: '2' },
      { id: 4, t: "X'FF00FE'", v: "X'81'", j: null, k: null },
      { id: 5, t: '', v: '', j: '""', k: '3' },
    ],
  },
  {
    title: 'texts alone in a column of bytes',
    on: ['sqlite'],
    script: `create table things (id integer primary key, t blob, m blob);
      insert into things values (1, 'a', 'a'), (2, 'B', x'61'), (3, null, null), (4, '', '');`,
    types: { t: 'text', m: 'binary' },
    shows: [
      { id: 1, t: 'a', m: 'YQ==' },
      { id: 2, t: 'B', m: 'YQ==' },
      { id: 3, t: null, m: null },
      { id: 4, t: '', m: '' },
    ],
  },
  {
    title: 'texts in a key of integers',
    on: ['sqlite'],
    script: `create table things (auth text not null, code integer_or_text not null, n int, primary key (auth, code));
      insert into things values ('EPSG', 4326, 1), ('EPSG', 900913, 2), ('PROJ', 'EARTH', 3), ('PROJ', 'VENUS', 4), ('PROJ', 12, 5);`,
    types: { code: 'text' },
    shows: [
      { auth: 'EPSG', code: '4326', n: 1 },
      { auth: 'EPSG', code: '900913', n: 2 },
      { auth: 'PROJ', code: 'EARTH', n: 3 },
      { auth: 'PROJ', code: 'VENUS', n: 4 },
      { auth: 'PROJ', code: '12', n: 5 },
    ],
  },
  {
    title: 'nulls in a primary key',
    on: ['sqlite'],
    script: `create table things (code text primary key, n int);
      insert into things values ('a', 1), (null, 2), (null, 3), ('b', 4), (null, 5);`,
    shows: [null, null, null, 'a', 'b'].map((code, i) => ({ code, n: [2, 3, 5, 1, 4][i] })),
    types: { rowid: 'integer' },
  },
  {
    title: 'untyped columns of integers and texts',
    on: ['sqlite'],
    script: `create table things (id integer primary key, m, w whatever);
      insert into things values (1, 5, 5), (2, 'x', 'x'), (3, '5', '5'), (4, 10, 10), (5, null, null), (6, '', '');`,
    types: { m: 'opaque', w: 'opaque' },
    shows: ['5', 'x', '5', '10', null, ''].map((m, i) => ({ id: i + 1, m, w: m })),
  },
  {
    title: 'texts among numbers',
    on: ['sqlite'],
    script: `create table things (id integer primary key, i integer, f real, b bigint, d decimal(10, 2));
      insert into things values (1, 5, 1.5, 7, 1.25), (2, 'n/a', 'n/a', 'n/a', 'n/a'), (3, -1, -2.5, -7, -1.25), (4, 0, 0, 0, 0), (5, 'x', '', 'x', 'x'),
        (6, 2, 2, 2, 2);`,
    shows: [
      { id: 1, i: 5, f: 1.5, b: '7', d: '1.25' },
      { id: 2, i: 'n/a', f: 'n/a', b: 'n/a', d: 'n/a' },
      { id: 3, i: -1, f: -2.5, b: '-7', d: '-1.25' },
      { id: 4, i: 0, f: 0, b: '0', d: '0.00' },
      { id: 5, i: 'x', f: '', b: 'x', d: 'x' },
      { id: 6, i: 2, f: 2, b: '2', d: '2.00' },
    ],
  },
  {
    title: 'numbers out of range',
    on: ['sqlite'],
    script: `create table things (id integer primary key, i integer, f real, b bigint, d decimal(10, 2));
      insert into things values (1, 1.5, 1e300, 1e20, 1e20), (2, 1, 1, 1, 1), (3, 2, 9, 9223372036854775807, 1e15), (4, 1e10, -9, -1e19, -1e20),
        (5, 3.5, 2, 2.5, 1.005);`,
    shows: [
      { id: 1, i: 1.5, b: '100000000000000000000', d: '100000000000000000000.00' },
      { id: 2, i: 1, b: '1', d: '1.00' },
      { id: 3, i: 2, b: '9223372036854775807', d: '1000000000000000.00' },
      { id: 4, i: 10_000_000_000, b: '-10000000000000000000', d: '-100000000000000000000.00' },
      { id: 5, i: 3.5, b: '2.5', d: '1.00' },
    ],
  },
  {
    title: 'untyped columns of integers beyond 2^53',
    on: ['sqlite'],
    script: `create table things (id integer primary key, m);
      insert into things values (1, 9007199254740993), (2, 1), (3, -9007199254740993);`,
    types: { m: 'bigint' },
    shows: ['9007199254740993', '1', '-9007199254740993'].map((m, i) => ({ id: i + 1, m })),
  },
  {
    title: 'bytes alone in columns of other types',
    on: ['sqlite'],
    script: `create table things (id integer primary key, t text, d datetime, n integer, j jsonb);
      insert into things values (1, x'ff', x'ff', x'ff', x'ff'), (2, null, null, null, null);`,
    types: { t: 'binary', d: 'binary', n: 'binary', j: 'binary' },
    shows: [
      { id: 1, t: '/w==', d: '/w==', n: '/w==', j: '/w==' },
      { id: 2, t: null, d: null, n: null, j: null },
    ],
  },
  {
    title: 'times in other forms',
    on: ['sqlite'],
    script: `create table things (id integer primary key, t time);
      insert into things values (1, '10:30Z'), (2, '10:30'), (3, '10:30:00'), (4, '10:30+01'), (5, '10:30 Z'), (6, '10:29:59Z'), (7, '10:30:00.5'), (8, '10:31'),
        (9, '10:30:00-05:00'), (10, '10:30z'), (11, '09:00'), (12, '9:00'), (13, '10:30-02'), (14, '10:30:00 +01');`,
    shows: ids(14).map((id) => ({
      id,
      t: { 6: '10:29:59', 8: '10:31:00', 11: '09:00:00', 12: '9:00' }[id] ?? '10:30:00',
    })),
  },
  {
    title: 'views without declared types',
    on: ['sqlite'],
    script: `create table base (id integer primary key, n integer, t text, r real);
      insert into base values (1, 9007199254740993, 'a', 1.5), (2, 1, 'b', 2), (3, 9007199254740995, 'c', 3);
      create view things as with c(id, n, t, r, e) as (select id, n, t, r, n + 0 from base union all select id + 10, n, t, r, n from base) select * from c;`,
    types: { n: 'bigint', e: 'bigint', t: 'text', r: 'float' },
    shows: [1, 2, 3, 11, 12, 13].map((id) => {
      const n = ['9007199254740993', '1', '9007199254740995'][(id - 1) % 10]
      return { id, n, e: n }
    }),
    isList: true,
  },
]

for (const {
  title,
  on,
  script,
  columns,
  computed = {},
  types,
  shows,
  uncompared = [],
  isList,
  because,
  isMistaken,
} of kinds) {
  eachDatabase(title, (test, db) => {
    if (!on.includes(db.engine)) {
      test('is no kind of this database', () => {})
      return
    }
    const serve = async () => {
      const model =
        columns === undefined
          ? (await introspect(db.kysely)).models.find(({ name }) => name === 'Thing')
          : defineModel('Thing', { columns, computed, meta: {} })
      if (model === undefined) throw new Error('introspection has no model')
      const config = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
      return { model, api: testApi(db, [{ ...model, meta: {} }], config) }
    }
    test.before(() => db.execScript(script))

    test('is shown as it is', async () => {
      const { model, api } = await serve()
      const { value } = await answerOf(api, '/api/things?limit=100')
      const shown = value.map((row: Record<string, unknown>) =>
        Object.fromEntries(Object.keys(shows[0] ?? {}).map((name) => [name, row[name]])),
      )
      const inOrder = (rows: readonly unknown[]): readonly unknown[] =>
        rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      equal(inOrder(shown), inOrder(shows))
      for (const [name, type] of Object.entries(types ?? {}))
        equal(model.columns[name]?.type, type, name)
    })

    if (because !== undefined) {
      test('is a list, for the reason that introspection names', async () => {
        const { listOnly } = await introspect(db.kysely, { only: ['things'] })
        equal(listOnly, [{ table: 'things', reason: because }])
      })
    }

    if (isMistaken) return
    test('is found as it is shown', async () => {
      const { model, api } = await serve()
      const fields = Object.keys(model.columns)
      const key = fields.filter((name) => model.columns[name]?.primaryKey === true)
      equal(key.length === 0, isList === true)
      const refused: string[] = []
      const all = { path: '/api/things', fields, key }
      equal(await contradictions(api, all, refused), [])
      const allowed = (one: string): boolean =>
        uncompared.some((name) => one.includes(name)) ||
        /boolean|operator_not_for_type|invalid_value|have no key that a cursor/.test(one)
      equal(
        refused.filter((one) => !allowed(one)),
        [],
      )
    })
  })
}
