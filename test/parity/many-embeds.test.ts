/** More to-one relations than a database can join in one statement. */
import { belongsTo, createApi, defineModel } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { askedTwice } from '../support/asked-twice.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
const relations = 65
const columns = 40

const entries = <T>(count: number, entry: (i: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(numbers(count).map(entry))

const Hub = defineModel('Hub', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    ...entries(relations, (i) => [`leaf_${i}_id`, { type: 'integer', nullable: true }]),
  },
  relations: entries(relations, (i) => [`leaf_${i}`, belongsTo(`Leaf${i}`, `leaf_${i}_id`)]),
  meta: {},
})
// Each relation has its own table, because a statement joins a table at most once to the same row.
const leaves = numbers(relations).map((n) =>
  defineModel(`Leaf${n}`, {
    table: `leaf_${n}`,
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...entries(columns, (i) => [`value_${i}`, { type: 'integer', nullable: true }]),
    },
    meta: {},
  }),
)

eachDatabase('many to-one relations', (test, db) => {
  const apiOf = () => {
    const options = {
      db: db.kysely,
      models: [Hub, ...leaves],
      config: { API_SERIALIZATION_DEPTH: 2 },
      clock: frozenClock(),
      onWarning: () => {},
    }
    return createApi(options)
  }

  test.before(() => {
    const values = numbers(columns).map((i) => `value_${i} integer`)
    const keys = numbers(relations).map((i) => `leaf_${i}_id integer`)
    const tables = numbers(relations).map(
      (n) => `create table leaf_${n} (id integer primary key, ${values.join(', ')});`,
    )
    return db.execScript(`
      ${tables.join('\n')}
      create table hubs (id integer primary key, ${keys.join(', ')});
      insert into leaf_0 (id, value_3) values (1, 7);
      insert into leaf_64 (id, value_3) values (1, 8);
      insert into hubs (id, leaf_0_id, leaf_64_id) values (1, 1, 1);`)
  })

  test('are all embedded', async () => {
    for (const url of ['/api/hubs?dump=json', '/api/hubs/1?dump=json']) {
      const request = { method: 'GET', url, headers: { 'x-request-id': 'test' } }
      const answer = await askedTwice(apiOf()).answer(request)
      equal(answer.status, 200)
      equal(answer, await apiOf().answer(request))
    }
  })
})
