/**
 * SQLite: a value that is not of its column's type is compared with the stored record, because the record may hold it. Without such a
 * record, a PATCH with such a value was 404, or 200 if its filters found nothing; beside other problems, the value was not reported.
 */
import { type AnyModel, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Thing = defineModel('Thing', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    code: { type: 'uuid', unique: true },
    name: { type: 'string', maxLength: 10 },
    day: { type: 'date', nullable: true },
    size: { type: 'integer', nullable: true },
  },
  meta: {},
})
const models: readonly AnyModel[] = [Thing]

const code = '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'
const date = 'Expected a date such as 1925-05-14.'
const whole = 'Expected a whole number between -9007199254740991 and 9007199254740991.'
const text = 'Expected a string.'
const uuid = 'Expected a UUID such as 3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01.'

/** The requests, and their problems by path. */
const cases: Readonly<Record<string, readonly [string, string, unknown, object]>> = {
  'of a record that does not exist': [
    'PATCH',
    '/api/things/9',
    { day: 'soon', size: 1.5 },
    { day: [date], size: [whole] },
  ],
  'of a record whose key is no number': [
    'PATCH',
    '/api/things/x',
    { day: 'soon' },
    { day: [date] },
  ],
  'of records that filters do not find': [
    'PATCH',
    '/api/things?id__eq=9',
    { day: 'soon', name: 'a' },
    { day: [date] },
  ],
  'of a list whose record does not exist': [
    'PATCH',
    '/api/things',
    [{ id: 1 }, { id: 9, day: 'soon' }],
    { '[1].day': [date] },
  ],
  'of a list with other problems': [
    'PATCH',
    '/api/things',
    [
      { id: 1, day: 'soon' },
      { id: 9, name: 5 },
    ],
    { '[1].name': [text], '[0].day': [date] },
  ],
  'of a filter with other problems': [
    'PATCH',
    '/api/things?id__eq=1',
    { day: 'soon', name: 5 },
    { name: [text], day: [date] },
  ],
  'as a key in a list': [
    'PATCH',
    '/api/things',
    [{ id: '1', day: '2024-05-14' }],
    { '[0].id': [whole, 'The key of the record to change is needed.'] },
  ],
  'of an upsert with other problems': [
    'POST',
    '/api/things?on_conflict=id',
    { id: 1, day: 'soon', name: 5 },
    { name: [text], day: [date] },
  ],
  'as a key of an upsert': [
    'POST',
    '/api/things?on_conflict=code',
    { id: 2, code: 'none' },
    { code: [uuid] },
  ],
}

eachDatabase('a value of no type', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Thing, [{ id: 1, code, name: 'a', day: null, size: null }])
  })
  for (const [title, [method, url, body, problems]] of Object.entries(cases)) {
    test(`${title} is a problem`, async () => {
      const api = testApi(db, models, { API_ALLOW_BULK: true })
      const { status, errors } = await send(api, method, url, { body })
      equal([status, errors?.code, errors?.reason], [400, 'validation_failed', problems])
    })
  }
  if (db.name !== 'sqlite') return
  test('that the record holds may be sent back', async () => {
    await db.execScript("update things set day = 'soon', size = 'big'")
    const api = testApi(db, models, { API_ALLOW_BULK: true })
    const body = { day: 'soon', size: 'big', name: 'b' }
    const answers = [
      await send(api, 'PATCH', '/api/things/1?fields=name', { body }),
      await send(api, 'PATCH', '/api/things?id__eq=1&fields=name', { body }),
      await send(api, 'PATCH', '/api/things?fields=name', { body: [{ id: 1, ...body }] }),
      await send(api, 'POST', '/api/things?on_conflict=id&fields=name', {
        body: { id: 1, ...body },
      }),
    ]
    equal(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
  })
})
