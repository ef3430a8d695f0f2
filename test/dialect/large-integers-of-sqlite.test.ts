/** INTEGER of SQLite has 64 bits: keys beyond 2^53 were served with wrong last digits, and no URL found them. */
import { createApi } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase(
  'integers of SQLite beyond 2^53',
  (test, db) => {
    test.before(() =>
      db.execScript(`
        create table people (id integer primary key, age integer, note integer);
        create table posts (id integer primary key, person_id integer references people (id), n int);
        insert into people with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500)
          select i, i, 'text ' || i from n;
        insert into people values (1234567890123456789, 40, null);
        insert into posts values (1, 1234567890123456789, -9007199254740991), (2, null, 9007199254740991);`),
    )

    test('make a column a bigint, a rowid wherever it is, and the columns that refer to it', async () => {
      const { models, notes } = await introspect(db.kysely)
      const types = Object.fromEntries(
        models.flatMap(({ table, columns }) =>
          Object.entries(columns).map(([name, { type }]) => [`${table}.${name}`, type]),
        ),
      )
      equal(types, {
        'people.id': 'bigint',
        'people.age': 'integer',
        'people.note': 'integer',
        'posts.id': 'integer',
        'posts.person_id': 'bigint',
        'posts.n': 'integer',
      })
      equal(notes[0], {
        table: 'people',
        column: 'id',
        note: 'it holds numbers beyond 2^53-1, which JSON readers round, so it is served as bigint',
      })
      const published = models.map((model) => ({ ...model, meta: {} }))
      const api = createApi({ db: db.kysely, models: published })
      const url = '/api/people/1234567890123456789'
      const { body } = await api.handle({ method: 'GET', url: '/api/posts/1/person' })
      equal(body?.value, { id: '1234567890123456789', age: 40, note: null, posts: `${url}/posts` })
      equal((await api.handle({ method: 'GET', url })).status, 200)
    })
  },
  { only: 'sqlite' },
)
