/** SQLite: keys with texts among integers are texts on both sides of a relation; integers beyond the sample are errors, never rounded. */
import { createApi, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase(
  'stored values of SQLite',
  (test, db) => {
    const serve = async () => {
      const found = await introspect(db.kysely)
      const models = found.models.map((model) => ({ ...model, meta: {} }))
      const errors: unknown[] = []
      const onError = (error: unknown): void => void errors.push(error)
      return { ...found, errors, api: createApi({ db: db.kysely, models, onError }) }
    }

    test('relations follow keys with texts among integers', async () => {
      await db.execScript(`
        pragma foreign_keys = off;
        create table systems (code int not null primary key, name text);
        create table points (id integer primary key, system_code int references systems (code), stray int references points (id));
        insert into systems values (4326, 'WGS 84'), ('EARTH', 'Earth');
        insert into points values (1, 4326, 1), (2, 'EARTH', null), (3, null, 'n/a');
        pragma foreign_keys = on;`)
      const { models, api } = await serve()
      const types = models.flatMap(({ columns }) =>
        Object.entries(columns).map(([name, { type }]) => `${name} ${type}`),
      )
      equal(types, ['id integer', 'system_code text', 'stray integer', 'code text', 'name text'])
      const value = async (url: string) => (await api.handle({ method: 'GET', url })).body?.value
      equal(await value('/api/points/2/system?fields=name'), { name: 'Earth' })
      equal(await value('/api/points/1/system?fields=name'), { name: 'WGS 84' })
      equal(await value('/api/systems/EARTH/points?fields=id'), [{ id: 2 }])
      equal(await value('/api/systems/4326/points?fields=id'), [{ id: 1 }])
      const embedded = (await value('/api/systems?dump=json')) as {
        code: string
        points: { id: number }[]
      }[]
      equal(
        embedded.map(({ code, points }) => [code, points.map(({ id }) => id)]),
        [
          ['4326', [1]],
          ['EARTH', [2]],
        ],
      )
    })

    test('an integer beyond the sample that a JSON number would round is an error', async () => {
      await db.execScript(`
        create table counts (id integer primary key, n integer);
        with recursive i(x) as (select 1 union all select x + 1 from i where x < 3000)
        insert into counts select x, x from i;
        update counts set n = 9007199254740993 where id = 1500;
        create table sums (id integer primary key, n integer);
        insert into sums select id, n from counts order by id desc limit 1501 offset 0;`)
      const { models, api, errors } = await serve()
      const type = (table: string) => models.find((model) => model.table === table)?.columns.n?.type
      // The first and last 1,000 rows decide.
      equal([type('counts'), type('sums')], ['integer', 'bigint'])
      const status = async (url: string) => (await api.handle({ method: 'GET', url })).status
      equal(await status('/api/counts/1499'), 200)
      equal(await status('/api/counts/1500'), 500)
      equal(await status('/api/counts?id__ge=1500&limit=2'), 500)
      ok(String(errors[0]).includes("type: 'bigint'"), String(errors[0]))
    })

    test('is an error also where the driver returns integers as bigints', async () => {
      const file = new Database(':memory:')
      file.exec(
        'create table counts (id integer primary key, n integer); insert into counts values (1, 7), (2, 9007199254740993);',
      )
      file.defaultSafeIntegers()
      const Count = defineModel('Count', {
        columns: { id: { type: 'integer', primaryKey: true }, n: { type: 'integer' } },
        meta: {},
      })
      const wrapped = new Kysely<unknown>({ dialect: new SqliteDialect({ database: file }) })
      const api = createApi({
        db: wrapped,
        models: [Count],
        config: { API_SCHEMA_CHECK: 'off' },
        onError() {},
      })
      const status = async (url: string) => (await api.handle({ method: 'GET', url })).status
      equal([await status('/api/counts/1'), await status('/api/counts/2')], [200, 500])
      await wrapped.destroy()
    })
  },
  { only: 'sqlite' },
)
