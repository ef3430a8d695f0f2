/** The comparison of models with the database reports every seeded difference, and nothing else. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  clean,
  different,
  relationDifferences,
  relationModels,
  relationTables,
  type Seed,
  textOf,
} from './seeds.ts'

const off = { API_SCHEMA_CHECK: 'off' } as const

const onWarning = (): void => {}

const nameOf = (index: number): string => `Seed${index}`
const tableOf = (index: number): string => `seed_${index}`

eachDatabase('schema check: seeded differences', (test, db) => {
  const seeds: readonly Seed[] = [...different, ...clean]
  const models = seeds.map(({ model }, i) =>
    defineModel(nameOf(i), { ...model, table: tableOf(i) } as never),
  ) as readonly AnyModel[]
  const found = new Map<string, string[]>()
  let messages = ''

  test.before(async () => {
    const tables = seeds.flatMap(({ table, further = '' }, i) =>
      table === undefined
        ? []
        : [
            `create table ${tableOf(i)} ${textOf(table, db)};`,
            further.replaceAll('{t}', tableOf(i)),
          ],
    )
    await db.execScript(tables.join('\n'))
    const api = createApi({ db: db.kysely, models, config: off, onWarning })
    for (const {
      kind,
      model,
      column,
      declared,
      found: seen,
      remedy,
    } of await api.schemaDifferences()) {
      const list = found.get(model) ?? []
      found.set(model, [...list, [kind, ...(column === undefined ? [] : [column])].join(' ')])
      messages += `${declared} | ${seen} | ${remedy}\n`
    }
  })

  test('there are at least 60', () => equal(different.length >= 60, true))

  for (const [i, { title, expected }] of seeds.entries()) {
    test(`${expected.length === 0 ? 'clean' : 'found'}: ${title}`, () =>
      equal(found.get(nameOf(i)) ?? [], expected))
  }

  test('every sentence is complete', () => {
    equal(/undefined|\[object|NaN|\(\)/.exec(messages)?.[0], undefined)
  })

  test('models that were read from a database do not differ from it', async () => {
    const read = await introspect(db.kysely)
    const published = read.models.map((model) => ({ ...model, meta: {} }))
    const api = createApi({ db: db.kysely, models: published, config: off, onWarning })
    equal(await api.schemaDifferences(), [])
  })
})

eachDatabase('schema check: views', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table books (id integer not null primary key, title varchar(80) not null);
      create view titles as select id, title from books;`),
  )

  test('columns of views are compared, their keys and NOT NULL are not', async () => {
    const columns = {
      id: { type: 'integer', primaryKey: true },
      title: { type: 'string', unique: true },
      isbn: { type: 'string' },
    } as const
    const Title = defineModel('Title', { table: 'titles', readOnly: true, columns, meta: {} })
    const api = createApi({ db: db.kysely, models: [Title], config: off, onWarning })
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind, column }) => `${kind} ${column}`),
      ['missing column isbn'],
    )
  })
})

eachDatabase('schema check: relations', (test, db) => {
  test.before(() => db.execScript(relationTables))

  test('foreign keys, unique keys and junction tables that relations need are found', async () => {
    const api = createApi({ db: db.kysely, models: relationModels, config: off, onWarning })
    const differences = await api.schemaDifferences()
    const texts = differences.map(({ kind, model, column }) =>
      [kind, model, ...(column === undefined ? [] : [column])].join(' '),
    )
    equal([...texts].sort(), [...relationDifferences].sort())
  })

  test('a junction table or column that is missing names the option of the relation', async () => {
    const api = createApi({ db: db.kysely, models: relationModels, config: off, onWarning })
    const differences = await api.schemaDifferences()
    const messages = differences.flatMap(({ kind, message }) =>
      kind.startsWith('missing') ? message : [],
    )
    equal([...messages].sort(), [
      "Good.absent (rel_absent): declared with the junction table rel_absent, but the database has no such table, or this user may not see it. Create the table, or name another one with through: '…'.",
      "Good.wrong (rel_links): declared with the column good_id, but the table has no such column. Add the column, or name another one with from: '…'. Did you mean rel_good_id?",
    ])
  })

  test('a foreign key that refers to another table names both', async () => {
    const api = createApi({ db: db.kysely, models: relationModels, config: off, onWarning })
    const differences = await api.schemaDifferences()
    equal(
      differences.find(({ kind, model }) => kind === 'foreign key' && model === 'Elsewhere'),
      {
        kind: 'foreign key',
        model: 'Elsewhere',
        table: 'rel_other',
        column: 'target',
        declared: 'the relation needs a foreign key from rel_other (target_id) to targets (id)',
        found: 'it refers to others (id)',
        remedy: 'Add the foreign key, or change the relation.',
        message:
          'Elsewhere.target (rel_other): the relation needs a foreign key from rel_other (target_id) to targets (id), but it refers to others (id). Add the foreign key, or change the relation.',
      },
    )
  })
})
