/** Nested objects with new keys took quadratic time if a callback or a collation may change keys: each of them looked up all later ones. */
import { type AnyModel, defineModel, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows } from '../writing/models.ts'

const text = { type: 'string', maxLength: 20 } as const
const Lang = defineModel('Lang', {
  columns: { code: { ...text, primaryKey: true }, title: { ...text, nullable: true } },
  meta: {},
})

const Country = defineModel('Country', {
  columns: { code: { ...text, primaryKey: true } },
  relations: {
    langs: manyToMany('Lang', { through: 'country_langs', from: 'country_code', to: 'lang_code' }),
  },
  meta: {},
})

const withCallback: AnyModel = {
  ...Lang,
  meta: { add_callback: (lang: object) => lang },
}
const withCollation: AnyModel = {
  ...Lang,
  columns: { ...Lang.columns, code: { ...Lang.columns.code, collation: 'database' } },
}

eachDatabase('nested objects with new keys', (test, db) => {
  const key = {
    sqlite: 'varchar(20) collate nocase',
    postgres: 'varchar(20)',
    mysql: 'varchar(20) collate utf8mb4_general_ci',
  }[db.name]
  test.before(() =>
    db.execScript(`
      create table countries (code varchar(20) primary key);
      create table langs (code ${key} primary key, title varchar(20));
      create table country_langs (country_code varchar(20), lang_code ${key}, primary key (country_code, lang_code))`),
  )
  test.before.each(async () => {
    for (const table of ['country_langs', 'langs', 'countries']) {
      await db.kysely.deleteFrom(table).execute()
    }
  })
  for (const [title, lang] of [
    ['a callback', withCallback],
    ['a collation', withCollation],
  ] as const) {
    const api = testApi(db, [Country, lang], {
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
    })

    test(`are looked up once each, with ${title}`, async () => {
      const langs = (n: number) => Array.from({ length: n }, (_, i) => ({ code: `${n}-${i}` }))
      const parameters: number[] = []
      for (const n of [20, 80]) {
        const { result, statements } = await db.capture(() =>
          send(api, 'POST', '/api/countries', { body: { code: `c${n}`, langs: langs(n) } }),
        )
        equal(result.status, 201)
        // A list of keys may be a single parameter.
        parameters.push(JSON.stringify(statements.map((one) => one.parameters)).length)
      }
      const [few = 0, many = 0] = parameters
      ok(many <= 6 * few, `${few} characters of parameters for 20 objects, ${many} for 80`)
      equal(await countRows(db, 'langs', 'country_langs'), [100, 100])
    })
  }

  test('link a stored record by two spellings of its key, where the collation makes them equal', async () => {
    if (db.name === 'postgres') return
    const api = testApi(db, [Country, withCollation], { API_ALLOW_NESTED_WRITES: true })
    await db.kysely.insertInto('langs').values({ code: 'en' }).execute()
    const langs = [{ code: 'en' }, { code: 'EN' }, { code: 'cs' }, { code: 'CS' }]
    const { status } = await send(api, 'POST', '/api/countries', { body: { code: 'x', langs } })
    equal(status, 201)
    equal(await countRows(db, 'langs', 'country_langs'), [2, 2])
  })
})
