/** SQLite refused long groups and lists of datetimes, because the depth of their expressions grew with their length: 500. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Moment = defineModel('Moment', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime' },
    daily: { type: 'time' },
    parent_id: { type: 'integer', nullable: true },
  },
  relations: { parent: belongsTo('Moment', 'parent_id'), parts: hasMany('Moment', 'parent_id') },
  meta: {},
})

eachDatabase('long lists of values', (test, db) => {
  const instant = (i: number): string => new Date(Date.UTC(2024, 0, 1) + i).toISOString()
  const time = (i: number): string =>
    new Date(Date.UTC(2024, 0, 1) + 1000 * i).toISOString().slice(11, 19)

  test.before(async () => {
    await createTables(db, [Moment])
    const rows = [0, 500, 999, 5000].map((i) => ({
      id: i + 1,
      at: instant(i),
      daily: time(i),
      parent_id: i === 0 ? null : 1,
    }))
    await insertRows(db, Moment, rows)
  })
  const api = testApi(db, [Moment], {
    API_ALLOW_AGGREGATION: true,
    API_MAX_URL_LENGTH: 1_000_000,
    API_MAX_CONDITIONS: 1000,
  })
  const many = (item: (i: number) => string): string =>
    Array.from({ length: 1000 }, (_, i) => item(i)).join(',')

  test('a thousand datetimes', async () => {
    equal(await column(api, `/api/moments?at__in=(${many(instant)})`), [1, 501, 1000])
    equal(await column(api, `/api/moments?at__nin=(${many(instant)})`), [5001])
  })

  test('a thousand times', async () => {
    equal(await column(api, `/api/moments?daily__in=(${many(time)})`), [1, 501, 1000])
    equal(await column(api, `/api/moments?daily__nin=(${many(time)})`), [5001])
  })

  test('a thousand conditions keep their meaning', async () => {
    equal(await column(api, `/api/moments?or[${many((i) => `id__eq=${i}`)}]`), [1, 501])
    equal(await column(api, `/api/moments?and[${many((i) => `id__ne=${i}`)}]`), [1000, 5001])
    equal(await column(api, `/api/moments?not[${many((i) => `id__ne=${i}`)}]`), [1, 501])
    // The aggregate and the relation filter are conditions, too.
    const conditions = Array.from({ length: 999 }, (_, i) => `id__ne=${i}`).join(',')
    equal(await column(api, `/api/moments?missing(parts,${conditions})`), [501, 1000, 5001])
    equal(await column(api, `/api/moments?exists(parent.parts,${conditions})`), [501, 1000, 5001])
    equal(await column(api, `/api/moments?fields=count(parts[${conditions}])|n`, 'n'), [2, 0, 0, 0])
  })
})
