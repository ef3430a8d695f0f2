/** A number that a float column would store as another one is a problem of its field. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Reading = defineModel('Reading', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    value: { type: 'float' },
  },
  meta: {},
})

const kept = [
  '0.1',
  '0.10',
  '1E2',
  '1e+2',
  '100.00e-2',
  '-0',
  '0e99999',
  '9007199254740992',
  '9007199254740994.0',
  '1e22',
  '123456789012345680',
  '1.7976931348623157e308',
  '5e-324',
  '0.30000000000000004',
]
const lost: Readonly<Record<string, string>> = {
  '9007199254740993': '9007199254740992',
  '9007199254740993.0': '9007199254740992',
  '-9007199254740993': '-9007199254740992',
  '0.10000000000000001': '0.1',
  '1e-400': '0',
  '12345678901234567e10': '1.2345678901234568e+26',
  '100000000000000000000000001': '1e+26',
}

eachDatabase('floats that lose digits', (test, db) => {
  test.before(() => createTables(db, [Reading]))
  const api = testApi(db, [Reading], { API_ALLOW_BULK: true })
  const headers = { 'content-type': 'application/json' }
  const post = (body: unknown) => send(api, 'POST', '/api/readings', { headers, body })

  test('are problems that name the field and the number that would be stored', async () => {
    for (const [number, nearest] of Object.entries(lost)) {
      const expected = [`Expected a number that a 64-bit float holds, such as ${nearest}.`]
      const text = `{"value":${number}}`
      for (const body of [text, new TextEncoder().encode(text)]) {
        const { status, errors } = await post(body)
        equal([number, status, errors?.reason], [number, 400, { value: expected }])
      }
      const { errors } = await post(`[{"value":1},{"value":${number}}]`)
      equal(errors.reason, { '[1].value': expected })
    }
  })

  test('other numbers are stored as sent', async () => {
    for (const number of kept) {
      const { status, value } = await post(`{"value":${number}}`)
      equal([number, status, value?.value], [number, 201, Number(number) + 0])
    }
  })
})
