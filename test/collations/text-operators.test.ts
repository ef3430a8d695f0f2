/** The operators on text work under every collation of a column, and those that ignore case do so under every one. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { textOperators } from '../support/text-operators.ts'
import { createCollations } from './collated.ts'

/** The types of columns that ignore case, and of those that do not. */
const types = {
  sqlite: {
    ignoring: ['varchar(600) collate nocase'],
    regarding: ['varchar(600)', 'varchar(600) collate rtrim'],
  },
  postgres: {
    ignoring: ['varchar(600) collate case_blind', 'citext', 'text collate accent_blind'],
    regarding: ['varchar(600) collate "en-x-icu"', 'text collate "C"', 'char(600)'],
  },
  mysql: {
    ignoring: [
      'varchar(600) collate utf8mb4_general_ci',
      'varchar(600) collate utf8mb4_unicode_ci',
    ],
    regarding: [
      'varchar(600) collate utf8mb4_bin',
      'varchar(600) character set latin1 collate latin1_bin',
      'varchar(600) character set latin1 collate latin1_general_cs',
      'varchar(600) character set utf8mb3 collate utf8mb3_bin',
    ],
  },
} as const

const long = 'ab'.repeat(100)
const texts = ['Emma', 'EMMA', 'emma', 'Dilemma', 'été', 'ÉTÉ', 'x', `${long}Z`, null]

/** The operators of which this file says what they find. */
const tried = [
  'like',
  'ilike',
  'nlike',
  'nilike',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
]

suite('operators on text', (test) => {
  test('are all tried under every collation', () => {
    const missing = textOperators.filter((one) => !tried.includes(one))
    equal(missing, [], 'try it below for each type of column, and add it to `tried`')
  })
})

eachDatabase('operators on text', (test, db) => {
  const { ignoring, regarding } = types[db.name]
  const all = [...ignoring, ...regarding]
  const name = (i: number): string => `t${i}`
  const Note = defineModel('Note', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...Object.fromEntries(
        all.map((_, i) => [
          name(i),
          { type: 'string', nullable: true, collation: 'database' } as const,
        ]),
      ),
    },
    meta: {},
  })
  const api = testApi(db, [Note])
  const ids = (condition: string) => column(api, `/api/notes?order_by=id&${condition}`)
  test.before(async () => {
    await createCollations(db)
    if (db.name === 'postgres') {
      await db.execScript(`create extension if not exists citext;
        create collation accent_blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`)
    }
    const columns = all.map((type, i) => `${name(i)} ${type}`)
    await db.execScript(`create table notes (id integer primary key, ${columns.join(', ')})`)
    for (const [id, text] of texts.entries()) {
      const values = Object.fromEntries(all.map((_, i) => [name(i), text]))
      await db.kysely
        .insertInto('notes')
        .values({ id, ...values })
        .execute()
    }
  })

  for (const [i, type] of all.entries()) {
    test(`that ignore case, in a column of the type ${type}`, async () => {
      const field = name(i)
      equal(await ids(`${field}__ilike=EMMA`), [0, 1, 2, 3])
      equal(await ids(`${field}__istartswith=eMM`), [0, 1, 2])
      equal(await ids(`${field}__iendswith=EMMA`), [0, 1, 2, 3])
      equal((await ids(`${field}__nilike=EMMA`)).slice(-2), [6, 7])
      equal(await ids(`${field}__ilike=${long.toUpperCase()}`), [7])
      equal(await ids(`${field}__iendswith=${long.toUpperCase()}z`), [7])
    })

    test(`in a column of the type ${type}`, async () => {
      const field = name(i)
      // Under a collation that ignores case, LIKE of some databases ignores it too.
      const ignores = db.name === 'mysql' && i < ignoring.length
      equal(await ids(`${field}__like=Emma`), ignores ? [0, 1, 2, 3] : [0])
      equal(await ids(`${field}__startswith=Emm`), ignores ? [0, 1, 2] : [0])
      equal(await ids(`${field}__endswith=emma`), ignores ? [0, 1, 2, 3] : [2, 3])
      equal(await ids(`${field}__like=${long}`), [7])
      equal(await ids(`${field}__endswith=${long}Z`), [7])
      equal((await ids(`${field}__nlike=Emma`)).slice(-2), [6, 7])
      equal(await ids(`${field}__eq=x`), [6])
      equal(await ids(`${field}__in=(x,y)`), [6])
      equal((await ids(`${field}__gt=a`)).length > 0, true)
    })
  }
})
