/** A unique index over the records that are not deleted satisfies a unique declaration of a model with soft delete. */
import { type AnyModel, type Column, createApi, defineModel } from '@model-api/core'
import { send } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

type DatabaseName = TestDatabase['name']

interface Case {
  readonly title: string
  /** The type of the soft-delete column; default: a nullable datetime. */
  readonly type?: string
  readonly column?: Column
  readonly values?: readonly unknown[]
  /** Predicates of PostgreSQL and SQLite; `{c}` is the soft-delete column. */
  readonly where: readonly string[]
  /** Expressions of a generated column of MariaDB and MySQL. */
  readonly live: readonly string[]
  readonly only?: readonly DatabaseName[]
}

const moment: Column = { type: 'datetime', nullable: true }
const boolean: Column = { type: 'boolean' }
const state: Column = { type: 'string', maxLength: 10 }

const exact: readonly Case[] = [
  {
    title: '[null, now]',
    where: ['{c} is null', '(({c}) IS NULL)', '"{c}" Is Null', '{c} is not distinct from null'],
    live: [
      'if({c} is null, 1, null)',
      'case when {c} is null then true end',
      'case when ({c} is null) then 1 else null end',
      'if({c} is not null, null, 1)',
      'if({c} is null, -1, null)',
      "if({c} is null, 'x', null)",
    ],
  },
  {
    title: '[false, true]',
    type: 'boolean not null',
    column: boolean,
    values: [false, true],
    where: [
      '{c} = false',
      'not {c}',
      '(not ("{c}"))',
      '{c} is false',
      '{c} is not true',
      'false = {c}',
    ],
    live: [
      'if({c}, null, 1)',
      'if({c} = false, 1, null)',
      'case when not {c} then 1 end',
      'if({c} is not true, 1, null)',
    ],
  },
  {
    title: '[false, true] in numbers',
    type: 'boolean not null',
    column: boolean,
    values: [false, true],
    where: ['{c} = 0', '0 == {c}', '{c} <> 1', '{c} is not 1'],
    live: ['if({c} = 0, 1, null)', 'if(0 = {c}, 1, null)', 'if({c} <> 1, 1, null)'],
    only: ['sqlite', 'mysql'],
  },
  {
    title: '[false, true] in a column that may be NULL',
    type: 'boolean',
    column: { type: 'boolean', nullable: true },
    values: [false, true],
    where: ['{c} is not true'],
    live: [
      'if({c} is not true, 1, null)',
      'if({c}, null, 1)',
      'case when {c} is true then null else 1 end',
    ],
  },
  {
    title: "['open', 'gone']",
    type: 'varchar(10) not null',
    column: state,
    values: ['open', 'gone'],
    where: ["{c} <> 'gone'", "'gone' <> {c}", "({c}) != ('gone')"],
    live: ["if({c} <> 'gone', 1, null)", "if('gone' <> {c}, 1, null)"],
  },
  {
    title: "['open', 'gone'] in a column that may be NULL",
    type: 'varchar(10)',
    column: { ...state, nullable: true },
    values: ['open', 'gone'],
    where: ["{c} is distinct from 'gone'"],
    live: ["if({c} = 'gone', null, 1)"],
  },
  {
    title: "['open', 'gone'] of an enum with a third member",
    type: "varchar(10) not null check (state in ('open', 'gone', 'kept'))",
    column: { type: 'enum', enum: ['open', 'gone', 'kept'] },
    values: ['open', 'gone'],
    where: ["{c} <> 'gone'"],
    live: ["if({c} <> 'gone', 1, null)"],
  },
  {
    title: "['it''s', 'gone'] of an enum with these members",
    type: "varchar(10) not null check (state in ('it''s', 'gone'))",
    column: { type: 'enum', enum: ["it's", 'gone'] },
    values: ["it's", 'gone'],
    where: ["{c} = 'it''s'", "'it''s' = {c}", "{c} <> 'gone'"],
    live: ["if({c} = 'it''s', 1, null)", "if({c} <> 'gone', 1, null)"],
  },
  {
    title: '[-1, 0]',
    type: 'integer not null',
    column: { type: 'integer' },
    values: [-1, 0],
    where: ['{c} <> 0'],
    live: ['if({c} <> 0, 1, null)'],
  },
  {
    title: '[0, -1]',
    type: 'integer not null',
    column: { type: 'integer' },
    values: [0, -1],
    where: ['{c} <> -1'],
    live: ['if({c} <> -1, 1, null)'],
  },
]

const other: readonly Case[] = [
  {
    title: '[null, now]',
    where: ['{c} is not null', 'note is null', '{c} is null and note is null', "note = 'x'"],
    live: [
      'if({c} is null, null, 1)',
      'if(note is null, 1, null)',
      'if({c} is null and note is null, 1, null)',
      'if({c} is null, 1, 2)',
    ],
  },
  {
    title: '[false, true]',
    type: 'boolean not null',
    column: boolean,
    values: [false, true],
    where: ['{c} = true', '{c}', '{c} is null', 'coalesce({c}, false) = false or id = 1'],
    live: [
      'if({c}, 1, null)',
      'if({c} = true, 1, null)',
      'if({c} is true, 1, null)',
      'if({c} is not false, 1, null)',
      'if((id <> {c}) is not true, 1, null)',
      'if((0 <> {c} + 1) is not true, 1, null)',
    ],
  },
  {
    title: '[false, true] in a column that may be NULL, which counts as active',
    type: 'boolean',
    column: { type: 'boolean', nullable: true },
    values: [false, true],
    where: ['{c} = false', 'not {c}'],
    live: ['if({c} = false, 1, null)'],
  },
  {
    title: "['open', 'gone'] of a text, of which every other value counts as active",
    type: 'varchar(10) not null',
    column: state,
    values: ['open', 'gone'],
    where: ["{c} = 'open'"],
    live: ["if({c} = 'open', 1, null)"],
  },
  {
    title: '[1, 0] of a number, of which every other value counts as active',
    type: 'integer not null',
    column: { type: 'integer' },
    values: [1, 0],
    where: ['{c} = 1'],
    live: ['if({c} = 1, 1, null)'],
  },
  {
    title: "['open', 'gone'] of an enum with a third member, which counts as active",
    type: "varchar(10) not null check (state in ('open', 'gone', 'kept'))",
    column: { type: 'enum', enum: ['open', 'gone', 'kept'] },
    values: ['open', 'gone'],
    where: ["{c} = 'open'", "{c} = 'gone'", "lower({c}) = 'open'"],
    live: ["if({c} = 'open', 1, null)"],
  },
  {
    title: '[-1, 0]',
    type: 'integer not null',
    column: { type: 'integer' },
    values: [-1, 0],
    where: ['{c} = 1', '{c} = 0', '{c} <> -1'],
    live: [
      'if({c} = 1, 1, null)',
      'if({c} <> -1, 1, null)',
      'if({c} is true, 1, null)',
      'if({c} = -(1 + 1), 1, null)',
    ],
  },
]

const nameOf = ({ column = moment }: Case): string =>
  column.type === 'datetime' ? 'deleted_at' : column.type === 'boolean' ? 'deleted' : 'state'

/** The statements that create the table and its index over `(organisation_id, name)`. */
function tableText(db: TestDatabase, one: Case, condition: string, table: string): string {
  const moments = { sqlite: 'datetime', postgres: 'timestamptz', mysql: 'datetime(3)' }
  const column = nameOf(one)
  const text = condition.replaceAll('{c}', column)
  const live = db.name === 'mysql' ? `, live integer as (${text})` : ''
  const key = db.name === 'mysql' ? '(organisation_id, name, live)' : '(organisation_id, name)'
  return `
    create table ${table} (id integer not null primary key, organisation_id integer not null,
      name varchar(40) not null, note varchar(40), ${column} ${one.type ?? moments[db.name]}${live});
    create unique index ${table}_name on ${table} ${key}${db.name === 'mysql' ? '' : ` where ${text}`};`
}

const modelOf = (one: Case, table: string, meta: object): AnyModel =>
  defineModel('Label', {
    table,
    columns: {
      id: { type: 'integer', primaryKey: true },
      organisation_id: { type: 'integer' },
      name: { type: 'string', maxLength: 40 },
      note: { type: 'string', maxLength: 40, nullable: true },
      [nameOf(one)]: one.column ?? moment,
    },
    unique: [['organisation_id', 'name']],
    meta: meta as never,
  }) as unknown as AnyModel

const softDelete = (one: Case) => ({
  soft_delete: true,
  soft_delete_attribute: nameOf(one),
  soft_delete_values: one.values ?? [null, 'now'],
})

eachDatabase('schema check: partial unique indexes', (test, db) => {
  let tables = 0
  const differences = async (one: Case, condition: string, meta: object) => {
    const table = `labels_${++tables}`
    await db.execScript(tableText(db, one, condition, table))
    const model = modelOf(one, table, meta)
    const config = { API_SCHEMA_CHECK: 'off' } as const
    const api = createApi({ db: db.kysely, models: [model], config, onWarning() {} })
    return { table, found: await api.schemaDifferences() }
  }
  const conditions = ({ only, live, where }: Case): readonly string[] => {
    if (only?.includes(db.name) === false) return []
    return db.name === 'mysql' ? live : where
  }

  for (const one of exact) {
    for (const condition of conditions(one)) {
      test(`${one.title}: accepted: ${condition}`, async () =>
        equal((await differences(one, condition, softDelete(one))).found, []))
    }
    const [condition] = conditions(one)
    if (condition === undefined) continue
    test(`${one.title}: not accepted without soft delete: ${condition}`, async () => {
      const { found } = await differences(one, condition, {})
      equal(
        found.map(({ kind, column }) => `${kind} ${column}`),
        ['unique organisation_id, name'],
      )
    })
  }

  for (const one of other) {
    for (const condition of conditions(one)) {
      test(`${one.title}: not accepted: ${condition}`, async () => {
        const { found } = await differences(one, condition, softDelete(one))
        equal(
          found.map(({ kind, column }) => `${kind} ${column}`),
          ['unique organisation_id, name'],
        )
      })
    }
  }

  for (const one of exact) {
    const [condition] = conditions(one)
    const values = JSON.stringify(one.values ?? [null, 'now'])
    const usual = ['[null,"now"]', '[false,true]', '[true,false]']
    if (condition === undefined || !usual.includes(values)) continue
    test(`${one.title}: the soft delete that the message advises is accepted`, async () => {
      const { found } = await differences(one, condition, {})
      const [, advice = ''] = /records, declare (.*)\./.exec(String(found[0]?.message)) ?? []
      const meta = new Function(`return { ${advice} }`)() as object
      equal(Object.keys(meta).slice(0, 2), ['soft_delete', 'soft_delete_attribute'])
      equal((await differences(one, condition, meta)).found, [])
    })
  }

  for (const one of exact) {
    test(`${one.title}: the index that the message advises is accepted`, async () => {
      const inOther = db.name === 'mysql' ? 'if(note is null, 1, null)' : 'note is null'
      const { found } = await differences(one, inOther, softDelete(one))
      const advised =
        db.name === 'mysql'
          ? / live boolean as \((.*)\) and a unique/
          : /Add .* where (.*), so that new/
      const [, condition = ''] = advised.exec(String(found[0]?.message)) ?? []
      equal((await differences(one, condition, softDelete(one))).found, [])
    })
  }

  const dated = other[0] as Case

  test('the message names the partial index, and the one to add', async () => {
    const condition = db.name === 'mysql' ? 'if(note is null, 1, null)' : 'note is null'
    const { table, found } = await differences(dated, condition, softDelete(dated))
    const advice =
      db.name === 'mysql'
        ? 'a generated column such as live boolean as (if(deleted_at is null, true, null)) and a unique index on (organisation_id, name, live)'
        : 'a unique index on (organisation_id, name) where deleted_at is null'
    equal(
      found.map(({ message }) => message),
      [
        `Label.organisation_id, name (${table}): declared as unique, but no unique constraint covers (organisation_id, name), only a partial one (${table}_name, where note is null). Add ${advice}, so that new records may have the values of deleted ones, or a unique constraint on (organisation_id, name), so that these values stay taken; or remove the declaration.`,
      ],
    )
  })

  test('without soft delete it names the partial index, and advises a whole one', async () => {
    const condition = db.name === 'mysql' ? 'if(deleted_at is null, 1, null)' : 'deleted_at is null'
    const { table, found } = await differences(dated, condition, {})
    equal(
      found.map(({ message }) => message),
      [
        `Label.organisation_id, name (${table}): declared as unique, but no unique constraint covers (organisation_id, name), only a partial one (${table}_name, where deleted_at is null). Add a unique constraint or a unique index on (organisation_id, name), or remove the declaration. If the index leaves out deleted records, declare soft_delete: true, soft_delete_attribute: 'deleted_at', soft_delete_values: [null, 'now'].`,
      ],
    )
    const meta = {
      soft_delete: true,
      soft_delete_attribute: 'deleted_at',
      soft_delete_values: [null, 'now'],
    }
    equal((await differences(dated, condition, meta)).found, [])
  })

  test('without soft delete, a condition on a column that marks no deleted records is no reason to advise it', async () => {
    const condition = db.name === 'mysql' ? 'if(note is null, 1, null)' : 'note is null'
    const { found } = await differences(dated, condition, {})
    equal(found.length, 1)
    equal(found[0]?.message.includes('soft_delete'), false)
  })

  test('a generated column that replaces the name covers it, on MariaDB and MySQL', async () => {
    if (db.name !== 'mysql') return
    await db.execScript(`
      create table renamed (id integer not null primary key, organisation_id integer not null,
        name varchar(40) not null, note varchar(40), deleted_at datetime(3),
        live_name varchar(40) as (if(deleted_at is null, name, null)) stored,
        unique (organisation_id, live_name))`)
    const models = [modelOf(dated, 'renamed', softDelete(dated))]
    const config = { API_SCHEMA_CHECK: 'error' } as const
    await createApi({ db: db.kysely, models, config }).ready
  })

  test('with API_SCHEMA_CHECK: error the service starts, and a deleted record can be created again', async () => {
    const condition = db.name === 'mysql' ? 'if(deleted_at is null, 1, null)' : 'deleted_at is null'
    await db.execScript(tableText(db, dated, condition, 'labels'))
    const models = [modelOf(dated, 'labels', softDelete(dated))]
    const config = { API_SCHEMA_CHECK: 'error' } as const
    const api = createApi({ db: db.kysely, models, config, onWarning() {} })
    await api.ready
    const label = { organisation_id: 1, name: 'red' }
    const upsert = async (body: unknown): Promise<readonly unknown[]> => {
      const url = '/api/labels?on_conflict=organisation_id,name'
      const { status, value } = await send(api, 'POST', url, { body })
      return [status, value?.id]
    }
    equal(await upsert({ ...label, id: 1 }), [201, 1])
    equal((await send(api, 'POST', '/api/labels', { body: { ...label, id: 2 } })).status, 409)
    equal((await send(api, 'DELETE', '/api/labels/1')).status, 200)
    equal(await upsert({ ...label, id: 2 }), [201, 2])
    equal(await upsert({ ...label, note: 'again' }), [200, 2])
    equal((await send(api, 'POST', '/api/labels/1/restore')).status, 409)
  })
})
