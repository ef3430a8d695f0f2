/** Numbers with many zeros took quadratic time: two seconds for 40,000 characters, in bodies and in filters. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { steepness } from '../support/growth.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    count: { type: 'integer', nullable: true },
    cost: { type: 'decimal', precision: 12, scale: 2, nullable: true },
    ratio: { type: 'float', nullable: true },
    total: { type: 'bigint', nullable: true },
  },
  meta: {},
})

const zeros = (n: number): string => '0'.repeat(n)

eachDatabase('numbers with many zeros', (test, db) => {
  test.before(() => createTables(db, [Item]))
  const api = testApi(db, [Item], { API_MAX_URL_LENGTH: 1_000_000 })

  const refuses = (method: string, url: string, body?: string) => async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const { status } = await api.handle({ method, url, headers, body })
    equal(status, 400)
  }

  for (const field of ['count', 'cost', 'ratio', 'total']) {
    const bodies: Readonly<Record<string, (n: number) => string>> = {
      'a string': (n) => `"${zeros(n)}x"`,
      'a decimal fraction that ends with another digit': (n) => `1.${zeros(n)}1`,
      'a whole number that ends with another digit': (n) => `1${zeros(n)}1`,
    }
    for (const [what, value] of Object.entries(bodies)) {
      test(`${field} in a body: ${what}`, async () => {
        const body = (n: number) => refuses('POST', '/api/items', `{"${field}":${value(n)}}`)
        equal(await steepness(10_000, body), undefined)
      })
    }
    test(`${field} in a filter`, async () => {
      const filter = (n: number) => refuses('GET', `/api/items?${field}__eq=${zeros(n)}x`)
      equal(await steepness(10_000, filter), undefined)
    })
  }
})
