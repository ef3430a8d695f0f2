/** An Idempotency-Key replays the same request whether its body arrives as text, as bytes, or parsed by the host. */
import { type Api, defineModel } from '@model-api/core'
import { comparableText } from '../../packages/core/src/lib/json/comparable-text.ts'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { steepness } from '../support/growth.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Doc = defineModel('Doc', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'text' },
    data: { type: 'json', nullable: true },
  },
  meta: {},
})

const forms = {
  text: (text: string): unknown => text,
  bytes: (text: string): unknown => new TextEncoder().encode(text),
  parsed: (text: string): unknown => JSON.parse(text),
}

const type = { 'content-type': 'application/json' }

async function post(api: Api, url: string, body: unknown, key: string) {
  const headers = { ...type, 'idempotency-key': key.padEnd(16, '.') }
  const answer = await api.handle({ method: 'POST', url, headers, body })
  return [answer.status, answer.headers['idempotency-replayed']]
}

/** The same value as texts; the last ones differ from the first as JSON texts may. */
const same: readonly (readonly string[])[] = [
  [
    '{"name":"é \u{1f600}","data":{"a":1,"b":[1,2]}}',
    '{"data" : {"b":[1,2],"a":1},"name":"\\u00e9 \\ud83d\\ude00"}',
  ],
  ['{"name":"n","data":{"10":1,"9":2,"x":-0}}', '{"name":"n","data":{"x":0.0,"9":2e0,"10":1}}'],
  ['{"name":"n","data":9007199254740993}', '{"name":"n","data":9007199254740993.0}'],
  ['{"name":"n","data":[0.10000000000000000001,1E2]}', '{"name":"n","data":[0.1,100]}'],
]

eachDatabase('Idempotency-Key: forms of a body', (test, db) => {
  test.before(() => createTables(db, [Doc]))
  const api = testApi(db, [Doc], { API_ALLOW_BATCH: true, API_ALLOW_BULK: true })

  test('text, bytes and a parsed body are one request, in each order', async () => {
    for (const [i, texts] of same.entries()) {
      for (const [first, toFirst] of Object.entries(forms)) {
        const key = `${first}${i}`
        equal(await post(api, '/api/docs', toFirst(texts[0] ?? ''), key), [201, undefined])
        for (const text of texts) {
          for (const [form, toForm] of Object.entries(forms)) {
            const again = await post(api, '/api/docs', toForm(text), key)
            equal(again, [201, 'true'], `${first}, then ${form}: ${text}`)
          }
        }
      }
    }
  })

  test('of a batch, too', async () => {
    const operation = '"id":"a","method":"POST","url":"/api/docs"'
    const text = `{"operations":[{${operation},"body":{"name":"b","data":1.50}}]}`
    for (const [first, toFirst] of Object.entries(forms)) {
      equal(await post(api, '/api/batch', toFirst(text), `batch ${first}`.replace(' ', '-')), [
        200,
        undefined,
      ])
      for (const toForm of Object.values(forms)) {
        const again = await post(api, '/api/batch', toForm(text), `batch-${first}`)
        equal(again, [200, 'true'])
      }
    }
  })

  test('another value is another request', async () => {
    const texts = ['{"name":"1"}', '{"name":"2"}', '{"name":"1","data":null}', '[{"name":"1"}]']
    equal(await post(api, '/api/docs', texts[0], 'other'), [201, undefined])
    for (const text of texts.slice(1)) {
      for (const toForm of Object.values(forms)) {
        equal(await post(api, '/api/docs', toForm(text), 'other'), [422, undefined], text)
      }
    }
  })
})

suite('Idempotency-Key: cost', (test) => {
  test('comparing a body costs in proportion to its size', async () => {
    const found = await steepness(20_000, (n) => {
      const record = (i: number) => ({ name: `name ${i}`, id: i, data: [i, { b: i, a: i }] })
      const body = Array.from({ length: n }, (_, i) => record(i))
      return () => comparableText(body)
    })
    equal(found, undefined)
  })
})
