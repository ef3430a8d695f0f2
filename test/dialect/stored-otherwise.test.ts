/**
 * Columns that hold something else than their declared type says, as introspection reads them and as a model declares them: what a
 * list shows is found, ordered, paged, grouped and opened. A new kind is a new entry of the table.
 */
import { type AnyModel, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { contradictions } from '../support/contradictions.ts'
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
      const { value } = await get(api, '/api/things?limit=100')
      equal(
        value.map((row: Record<string, unknown>) =>
          Object.fromEntries(Object.keys(shows[0] ?? {}).map((name) => [name, row[name]])),
        ),
        shows,
      )
      for (const [name, type] of Object.entries(types ?? {}))
        equal(model.columns[name]?.type, type, name)
    })

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
        uncompared.some((name) => one.includes(name)) || /boolean|operator_not_for_type/.test(one)
      equal(
        refused.filter((one) => !allowed(one)),
        [],
      )
    })
  })
}
