/** Lists of changes by keys of text: one UPDATE changes exactly the records with these keys, however the column is declared. */
import { type AnyModel, type Column, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { DatabaseName } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

/** How a key is declared, and the values of keys. */
interface Key {
  readonly column: Omit<Column, 'primaryKey'>
  readonly declared: Readonly<Record<DatabaseName, string>>
  readonly textOf: (i: number) => string
  /** Databases where several records take several statements. */
  readonly oneByOne?: readonly DatabaseName[]
}

const same = (type: string): Readonly<Record<DatabaseName, string>> => ({
  sqlite: type,
  postgres: type,
  mysql: type,
})

const uuidOf = (i: number): string => `0000abcd-0000-4000-8000-${String(i).padStart(12, '0')}`

/** Texts with quotes, separators, escapes, letters beyond ASCII, and one of every letter case. */
const oddText = (i: number): string =>
  [`plain-${i}`, `it's "${i}"`, `a,b;${i}`, `ä😀-${i}`, `back\\slash-${i}`, `{${i}}`, `NULL${i}`][
    i % 7
  ] as string

const string = { type: 'string', maxLength: 60 } as const

const keys: Readonly<Record<string, Key>> = {
  varchar: { column: string, declared: same('varchar(60)'), textOf: oddText },
  'varchar of another collation': {
    column: string,
    declared: {
      sqlite: 'varchar(60) collate nocase',
      postgres: 'varchar(60) collate "C"',
      mysql: 'varchar(60) character set utf8mb4 collate utf8mb4_unicode_ci',
    },
    textOf: oddText,
  },
  'varchar of a binary collation': {
    column: string,
    declared: {
      ...same('varchar(60)'),
      mysql: 'varchar(60) character set utf8mb4 collate utf8mb4_bin',
    },
    textOf: oddText,
  },
  'varchar of another character set': {
    column: string,
    declared: { ...same('varchar(60)'), mysql: 'varchar(60) character set latin1' },
    textOf: (i) => `é-${i}`,
  },
  'varchar by the collation of the database': {
    column: { ...string, collation: 'database' },
    declared: {
      sqlite: 'varchar(60) collate nocase',
      postgres: 'varchar(60)',
      mysql: 'varchar(60) character set utf8mb4 collate utf8mb4_general_ci',
    },
    textOf: (i) => `Word-${i}`,
  },
  text: {
    column: { type: 'text', maxLength: 60 },
    declared: { ...same('text'), mysql: 'varchar(60)' },
    textOf: oddText,
  },
  uuid: {
    column: { type: 'uuid' },
    declared: { sqlite: 'text', postgres: 'uuid', mysql: 'char(36)' },
    textOf: uuidOf,
  },
  'uuid, stored in capitals': {
    column: { type: 'uuid' },
    declared: { sqlite: 'text', postgres: 'uuid', mysql: 'char(36)' },
    textOf: (i) => uuidOf(i).toUpperCase(),
  },
  char: {
    column: { type: 'string', maxLength: 36 },
    declared: same('char(36)'),
    textOf: (i) => `key-${i}`.padEnd(36, 'x'),
    // The array of the statement has no form for char(n).
    oneByOne: ['postgres'],
  },
}

for (const [name, { column, declared, textOf, oneByOne = [] }] of Object.entries(keys)) {
  eachDatabase(`lists by a key of text: ${name}`, (test, db) => {
    const Item: AnyModel = defineModel('Item', {
      columns: {
        code: { ...column, primaryKey: true },
        note: { type: 'string', maxLength: 40 },
        other: { type: 'integer', nullable: true },
      },
      meta: { pagination_size_max: 500 },
    })
    const api = testApi(db, [Item], { API_ALLOW_BULK: true })
    const all = Array.from({ length: 300 }, (_, i) => textOf(i))
    const stored = async () => {
      const rows = await db.kysely.selectFrom('items').selectAll().execute()
      return new Map(rows.map(({ code, note, other }) => [String(code).trim(), { note, other }]))
    }
    test.before(async () => {
      await db.execScript(
        `create table items (code ${declared[db.name]} not null primary key, note varchar(40), other integer)`,
      )
      await db.kysely
        .insertInto('items')
        .values(all.map((code) => ({ code, note: 'as before' })))
        .execute()
      await api.ready
    })

    test('each record of the list gets its values, and no other record', async () => {
      const chosen = all.filter((_, i) => i % 2 === 0)
      const body = chosen.map((code, i) => ({ code, note: `note ${i}`, other: i }))
      const answer = await send(api, 'PATCH', '/api/items', { body })
      equal(answer.status, 200, JSON.stringify(answer.errors))
      const rows = await stored()
      equal(rows.size, all.length)
      const isUuid = column.type === 'uuid'
      for (const [i, code] of all.entries()) {
        const key = isUuid && db.name === 'postgres' ? code.toLowerCase() : code
        const expected = i % 2 === 0 ? { note: `note ${i / 2}`, other: i / 2 } : undefined
        equal(rows.get(key), expected ?? { note: 'as before', other: null }, code)
      }
    })

    if (!oneByOne.includes(db.name)) {
      test('one UPDATE changes all records', async () => {
        const body = all.map((code, i) => ({ code, note: `again ${i}` }))
        const { result, statements } = await db.capture(() =>
          send(api, 'PATCH', '/api/items', { body }),
        )
        equal(result.status, 200)
        equal(statements.filter(({ sql }) => /^update/i.test(sql)).length, 1)
      })
    }
  })
}

eachDatabase('lists by a key of text that the database does not know as unique', (test, db) => {
  const Item: AnyModel = defineModel('Item', {
    columns: {
      code: { ...string, primaryKey: true },
      note: { type: 'string', maxLength: 40 },
    },
    meta: {},
  })
  const api = testApi(db, [Item], { API_ALLOW_BULK: true })
  const ignoresCase = {
    sqlite: 'varchar(60) collate nocase',
    postgres: 'varchar(60) collate ignores_case',
    mysql: 'varchar(60) character set utf8mb4 collate utf8mb4_general_ci',
  }
  test.before(async () => {
    if (db.name === 'postgres') {
      await db.execScript(
        `create collation ignores_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      )
    }
    await db.execScript(`create table items (code ${ignoresCase[db.name]} not null, note varchar(40));
      create index items_by_code on items (code);
      insert into items values ('a', 'one'), ('A', 'two'), ('b', 'three'), ('B', 'four')`)
    await api.ready
  })

  test('a key in another letter case is another record', async () => {
    const body = [
      { code: 'a', note: 'changed a' },
      { code: 'B', note: 'changed B' },
    ]
    const answer = await send(api, 'PATCH', '/api/items', { body })
    equal(answer.status, 200, JSON.stringify(answer.errors))
    const rows = await db.kysely.selectFrom('items').selectAll().execute()
    equal(rows.map(({ code, note }) => `${code}: ${note}`).sort(), [
      'A: two',
      'B: changed B',
      'a: changed a',
      'b: three',
    ])
  })
})
