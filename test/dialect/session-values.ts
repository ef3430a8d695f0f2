/** Reads and writes of values of each type whose text a session could change. */
import { belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import { get, send } from '../support/api.ts'
import { ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { AnyKysely } from '../support/faults.ts'
import { createTables } from '../support/tables.ts'

const Thing = defineModel('Thing', {
  table: 'things',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40, nullable: true },
    day: { type: 'date' },
    moment: { type: 'datetime' },
    at: { type: 'time' },
    ratio: { type: 'float' },
    amount: { type: 'decimal', precision: 12, scale: 3 },
    bytes: { type: 'binary' },
    thing_id: { type: 'integer', nullable: true },
  },
  relations: { things: hasMany('Thing', 'thing_id'), thing: belongsTo('Thing', 'thing_id') },
  meta: {},
})

const thing = {
  day: '2024-03-04',
  moment: '2024-03-04T05:06:07.080Z',
  at: '05:06:07',
  ratio: 0.1234567890123456,
  amount: '12345.678',
  bytes: 'AP9cJw==',
}

const config = {
  API_SCHEMA_CHECK: 'off',
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_BULK: true,
} as const

/** Creates the table in an empty database. */
export const createThings = (db: TestDatabase, kysely: AnyKysely): Promise<void> =>
  createTables({ ...db, kysely: kysely as never }, [Thing])

/** What several writes and reads of things answer; all of them are successes. */
export async function thingAnswers(db: AnyKysely): Promise<readonly unknown[]> {
  const api = createApi({ db, models: [Thing], config, onWarning: () => {} })
  const answers: unknown[] = []
  const note = (asked: string, { status, value }: { status: number; value: unknown }): void => {
    answers.push([asked, status, value])
    ok(status < 300, JSON.stringify([asked, status, value]))
  }
  await send(api, 'DELETE', '/api/things?id__gt=0')
  for (const body of [
    { id: 1, ...thing, thing_id: null },
    [
      { id: 2, ...thing, name: 'NULL', thing_id: 1 },
      { id: 3, ...thing, name: null, thing_id: null },
      { id: 4, ...thing, name: 'a "quoted" \\ and \'another\'', thing_id: 1 },
    ],
  ]) {
    note('POST', await send(api, 'POST', '/api/things', { body }))
  }
  for (const url of [
    '/api/things/1?dump=json',
    '/api/things?name__isnull=1',
    '/api/things?ratio__eq=0.1234567890123456&day__lte=2024-03-04',
    '/api/things?moment__eq=2024-03-04T05:06:07.080Z&order_by=-moment',
    '/api/things?name__istartswith=NULL',
    '/api/things?id__avg=average&amount__avg=mean&ratio__avg=ratio&amount__sum=sum',
    ...['day', 'moment', 'at', 'ratio', 'name'].map(
      (field) => `/api/things?groupby=${field}&id__count=1&order_by=${field}`,
    ),
  ]) {
    note(url, await get(api, url))
  }
  return answers
}
