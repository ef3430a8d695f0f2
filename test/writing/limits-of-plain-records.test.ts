/** A record whose other values were all right was not checked against the smallest and largest numbers and the shortest lengths. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Reading = defineModel('Reading', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    stars: { type: 'integer', minimum: 1, maximum: 5, nullable: true },
    ratio: { type: 'float', exclusiveMinimum: 0, exclusiveMaximum: 1, nullable: true },
    code: { type: 'string', minLength: 3, maxLength: 4, nullable: true },
  },
  meta: { allow_bulk: true },
})

const wrong = [
  ['stars', 0, 'Expected at least 1, got 0.'],
  ['stars', 6, 'Expected at most 5, got 6.'],
  ['ratio', 0, 'Expected more than 0, got 0.'],
  ['ratio', 1, 'Expected less than 1, got 1.'],
  ['code', 'ab', 'Expected at least 3 characters, got 2.'],
  ['code', '😀😀', 'Expected at least 3 characters, got 2.'],
  ['code', 'abcde', 'Expected at most 4 characters, got 5.'],
] as const

eachDatabase('limits of strings and numbers', (test, db) => {
  test.before(() => createTables(db, [Reading]))

  test('are enforced for a record that is valid otherwise', async () => {
    const api = testApi(db, [Reading])
    const first = await send(api, 'POST', '/api/readings', {
      body: { stars: 5, ratio: 0.5, code: '😀😀😀' },
    })
    equal(first.status, 201)
    const { id } = first.value
    for (const [name, value, expected] of wrong) {
      const body = { [name]: value }
      const right = { [name]: first.value[name] }
      for (const [method, url, sent, path] of [
        ['POST', '/api/readings', body, name],
        ['POST', '/api/readings', [right, body], `[1].${name}`],
        ['PATCH', `/api/readings/${id}`, body, name],
        ['PATCH', '/api/readings', [{ id, ...body }], `[0].${name}`],
      ] as const) {
        const { status, errors } = await send(api, method, url, { body: sent })
        equal([status, errors?.reason], [400, { [path]: [expected] }], `${method} ${url} ${value}`)
      }
    }
    const { total } = await send(api, 'GET', '/api/readings')
    equal(total, 1)
  })
})
