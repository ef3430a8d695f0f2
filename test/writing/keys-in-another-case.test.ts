/** Keys that a collation of the database finds in another spelling: lists name stored records by them, as one record does. */
import { type AnyModel, belongsTo, defineModel, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const code = { type: 'string', maxLength: 20, collation: 'database' } as const
const title = { type: 'string', maxLength: 20, nullable: true } as const

const Country = defineModel('Country', {
  columns: { code: { ...code, primaryKey: true }, title },
  meta: { access_policy: { scope: { title: { ne: 'hidden' } } } },
})
const City = defineModel('City', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { ...code, unique: true },
    title,
    country_code: { ...code, nullable: true },
  },
  relations: {
    country: belongsTo('Country', 'country_code'),
    twins: manyToMany('Country', { through: 'twins', from: 'city_id', to: 'country_code' }),
  },
  meta: {},
})
const models: readonly AnyModel[] = [Country, City]

eachDatabase('lists with keys in another spelling', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true })
  const text = {
    sqlite: 'varchar(20) collate nocase',
    postgres: 'varchar(20)',
    mysql: 'varchar(20) collate utf8mb4_general_ci',
  }[db.name]
  const counter = {
    sqlite: 'integer primary key',
    postgres: 'serial primary key',
    mysql: 'integer primary key auto_increment',
  }[db.name]
  const isEqual = db.name !== 'postgres'
  test.before(() =>
    db.execScript(`
      create table countries (code ${text} primary key, title varchar(20));
      create table cities (id ${counter}, name ${text} unique, title varchar(20), country_code ${text});
      create table twins (city_id integer, country_code ${text}, primary key (city_id, country_code))`),
  )
  test.before.each(async () => {
    await db.execScript(`
      delete from twins;
      delete from cities;
      delete from countries;
      insert into countries values ('GB', 'Britain'), ('CZ', 'Czechia'), ('XX', 'hidden');
      insert into cities (name, title) values ('Rome', 'old')`)
  })
  const post = async (url: string, body: unknown): Promise<unknown[]> => {
    const { status, errors } = await send(api, 'POST', url, { body })
    return [status, errors && Object.keys(errors.reason)]
  }
  const cities = async (): Promise<unknown> => {
    const rows = await db.kysely.selectFrom('cities').selectAll().orderBy('id').execute()
    return rows.map((row) => `${row.name} ${row.title} ${row.country_code}`)
  }

  test('upserts change the stored record, and one that the list has created', async () => {
    const url = '/api/cities?on_conflict=name'
    const list = ['Oslo', 'ROME', 'OSLO'].map((name, i) => ({ name, title: `t${i}` }))
    equal(await post(url, list), [201, null])
    equal(
      await cities(),
      isEqual
        ? ['Rome t1 null', 'Oslo t2 null']
        : ['Rome old null', 'Oslo t0 null', 'ROME t1 null', 'OSLO t2 null'],
    )
    equal(await post(url, { name: 'rome', title: 'one' }), [isEqual ? 200 : 201, null])
  })

  test('foreign keys refer to a record that the caller may see', async () => {
    const to = (...codes: string[]) =>
      codes.map((country_code, i) => ({ name: `c${i}`, country_code }))
    equal(
      await post('/api/cities', to('gb', 'cz', 'GB')),
      isEqual ? [201, null] : [422, ['[0].country_code']],
    )
    equal(await post('/api/cities', to('GB', 'xx', 'CZ')), [422, ['[1].country_code']])
  })

  test('nested objects link the stored record', async () => {
    const to = (...codes: string[]) =>
      codes.map((one, i) => ({ name: `n${i}`, country: { code: one, title: 'Britain' } }))
    const [status, paths] = await post('/api/cities', to('GB', 'gb', 'Gb'))
    equal([status, paths], [201, null])
    const rows = await db.kysely.selectFrom('countries').select('code').execute()
    equal(rows.length, isEqual ? 3 : 5)
    const twins = ['CZ', 'gb', 'At'].map((one) => ({
      code: one,
      title: one === 'CZ' ? 'Czechia' : 'Britain',
    }))
    equal(await post('/api/cities', { name: 'm', twins }), [201, null])
    const linked = await db.kysely.selectFrom('twins').select('country_code').execute()
    equal(linked.map((row) => row.country_code).sort(), ['At', 'CZ', isEqual ? 'GB' : 'gb'])
  })
})
