/**
 * Columns that hold something else than their declared type says, as introspection reads them and as a model declares them: what a
 * list shows is found, ordered, paged, grouped and opened. A new kind is a new entry of the table.
 */
import { type AnyModel, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { contradictions } from '../support/contradictions.ts'
import type { Engine } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

interface Kind {
  readonly title: string
  readonly on: readonly Engine[]
  /** Creates and fills the table or view `things`. */
  readonly script: string
  /** Declares the model instead of introspection. */
  readonly columns?: AnyModel['columns']
  /** The types that introspection declares, for the columns that the kind is about. */
  readonly types?: Readonly<Record<string, string>>
  /** The list, by default in the order of the key. */
  readonly shows: readonly Readonly<Record<string, unknown>>[]
  /** Fields that can be neither filtered nor ordered. */
  readonly uncompared?: readonly string[]
  readonly isList?: true
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
]

for (const { title, on, script, columns, types, shows, uncompared = [], isList } of kinds) {
  eachDatabase(title, (test, db) => {
    if (!on.includes(db.engine)) {
      test('is no kind of this database', () => {})
      return
    }
    const serve = async () => {
      const model =
        columns === undefined
          ? (await introspect(db.kysely)).models.find(({ name }) => name === 'Thing')
          : defineModel('Thing', { columns, meta: {} })
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
