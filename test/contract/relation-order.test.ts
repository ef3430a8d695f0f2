/** The order_by of a relation: the order of its records, embedded and on their route, where a request asks for none. */
import { belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const
const Race = defineModel('Race', {
  columns: { id },
  relations: {
    laps: hasMany('Lap', 'race_id', { order_by: ['-seconds', 'note.nullsfirst'] }),
    flags: manyToMany('Flag', {
      ...{ through: 'race_flags', from: 'race_id', to: 'flag_id' },
      order_by: 'colour',
    }),
  },
  meta: {},
})
const Lap = defineModel('Lap', {
  columns: {
    id,
    race_id: { type: 'integer' },
    seconds: { type: 'integer', nullable: true },
    note: { type: 'string', nullable: true },
  },
  relations: { race: belongsTo('Race', 'race_id') },
  meta: {},
})
const Flag = defineModel('Flag', { columns: { id, colour: { type: 'string' } }, meta: {} })

const ids = (rows: readonly { readonly id: number }[]): readonly number[] =>
  rows.map(({ id }) => id)

eachDatabase('order_by of a relation', (test, db) => {
  const api = testApi(db, [Race, Lap, Flag], {
    API_SERIALIZATION_DEPTH: 2,
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
  })
  test.before(() =>
    db.execScript(`
      create table races (id integer primary key);
      create table laps (id integer primary key, race_id integer not null, seconds integer, note varchar(40));
      create table flags (id integer primary key, colour varchar(40) not null);
      create table race_flags (race_id integer not null, flag_id integer not null, primary key (race_id, flag_id));
      insert into races values (1), (2), (3);
      insert into laps values (1, 1, 60, 'b'), (2, 1, 70, null), (3, 1, 60, null), (4, 1, null, 'a'), (5, 1, 60, 'a'), (6, 2, 50, null), (7, 2, 90, null);
      insert into flags values (1, 'red'), (2, 'blue'), (3, 'green');
      insert into race_flags values (1, 1), (1, 2), (1, 3), (2, 1), (2, 3);`),
  )
  // Descending has nulls first, unless the term says otherwise.
  const laps = [4, 2, 3, 5, 1]

  test('orders embedded records, of one parent and of several', async () => {
    const one = await get(api, '/api/races/1?dump=json')
    equal([ids(one.value.laps), ids(one.value.flags)], [laps, [2, 3, 1]])
    const all = await get(api, '/api/races?dump=json')
    equal(
      all.value.map((race: Record<string, []>) => [ids(race.laps ?? []), ids(race.flags ?? [])]),
      [
        [laps, [2, 3, 1]],
        [
          [7, 6],
          [3, 1],
        ],
        [[], []],
      ],
    )
    const first = await get(api, '/api/races?dump=json&laps.limit=1&flags.limit=1&limit=2')
    equal(
      first.value.map((race: Record<string, []>) => [ids(race.laps ?? []), ids(race.flags ?? [])]),
      [
        [[4], [2]],
        [[7], [3]],
      ],
    )
  })

  test('gives way to the order of the request', async () => {
    const { value } = await get(api, '/api/races/1?dump=json&laps.order_by=id&flags.order_by=-id')
    equal(
      [ids(value.laps), ids(value.flags)],
      [
        [1, 2, 3, 4, 5],
        [3, 2, 1],
      ],
    )
    equal(ids((await get(api, '/api/races/1/laps?order_by=-id')).value), [5, 4, 3, 2, 1])
  })

  test('orders the route of the relation, page by page', async () => {
    equal(ids((await get(api, '/api/races/1/laps')).value), laps)
    equal(
      (await get(api, '/api/races/1/laps?fields=id')).value,
      laps.map((id) => ({ id })),
    )
    const pages: number[] = []
    let url = '/api/races/1/laps?paging=cursor&limit=2'
    for (let page = 0; page < 3; page += 1) {
      const { value, body } = await get(api, url)
      pages.push(...ids(value))
      url = body.next_url ?? url
    }
    equal(pages, laps)
  })

  test('leaves other lists and groups as they are', async () => {
    equal(ids((await get(api, '/api/laps')).value), [1, 2, 3, 4, 5, 6, 7])
    const groups = await get(api, '/api/races/1/laps?groupby=seconds')
    ok(groups.status === 200, groups.text)
    equal(groups.value.length, 3)
  })
})
