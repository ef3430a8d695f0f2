/** The checker of responses reports what the document does not allow; otherwise its silence would prove nothing. */
import { type ApiConfig, createApi, defineModel, hasMany, type JsonValue } from '@model-api/core'
import { equal, match, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { compileSchema } from '../support/json-schema.ts'
import { checkAnswer } from '../support/openapi-check.ts'
import { suite } from '../support/suite.ts'

type Document = Parameters<typeof checkAnswer>[0]

const Shelf = defineModel('Shelf', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string' },
    price: { type: 'decimal', precision: 8, scale: 2 },
    opened: { type: 'date', nullable: true },
  },
  relations: { parts: hasMany('Shelf', 'id') },
  meta: {},
})

async function documentOf(config: ApiConfig = {}): Promise<Document> {
  const [db] = everyDatabase()
  if (db === undefined) throw new Error('no database')
  return await createApi({ db: db.kysely, models: [Shelf], config }).openapi()
}

const row = { id: 1, name: 'a', price: '1.00', opened: null, parts: '/api/shelves/1/parts' }

const list = (value: JsonValue, members: object = {}): string =>
  JSON.stringify({
    datetime: '2026-01-02T03:04:05.678+00:00',
    api_version: '1.0.0',
    status_code: 200,
    response_ms: 1,
    total_count: 1,
    next_url: null,
    previous_url: null,
    errors: null,
    value,
    ...members,
  })

const failure = (status: number, code: string): string =>
  list(null, { status_code: status, total_count: 0, errors: { error: 'x', reason: 'y', code } })

suite('checking responses against the document', (test) => {
  let served: Document

  test.before(async () => {
    served = await documentOf()
  })

  const ok = (url: string, text: string, status = 200): void =>
    checkAnswer(served, 'GET', url, { status, text })
  const refused = (url: string, text: string, problem: string, status = 200): void => {
    const { message } = throws(() => checkAnswer(served, 'GET', url, { status, text }))
    match(message, problem)
  }

  test('accepts valid responses', () => {
    ok('/api/shelves', list([row]))
    ok('/api/shelf?limit=1', list([{ ...row, opened: '2024-01-01' }]))
    ok('/api/shelves?fields=id', list([{ id: 1 }]))
    ok('/api/shelves?dump=json', list([{ ...row, parts: [row] }]))
    ok('/api/shelves?page=0', failure(400, 'invalid_parameter'), 400)
    ok('/api/nothing', failure(404, 'unknown_path'), 404)
  })

  test('refuses a value of another type', () => {
    refused('/api/shelves', list([{ ...row, price: 1 }]), '$.value[0].price should be string')
    refused('/api/shelves', list([{ ...row, price: '1.0' }]), '$.value[0].price should be')
    refused('/api/shelves', list([{ ...row, name: null }]), '$.value[0].name should be string')
    refused('/api/shelves', list([{ ...row, opened: '1.1.2024' }]), '$.value[0].opened')
  })

  test('refuses a member that is not documented, also deep inside', () => {
    refused('/api/shelves', list([{ ...row, secret: 1 }]), '$.value[0].secret is not documented')
    refused('/api/shelves', list([row], { extra: 1 }), '$.extra is not documented')
    const embedded = [{ ...row, parts: [{ ...row, secret: 1 }] }]
    refused('/api/shelves?dump=json', list(embedded), 'secret is not documented')
  })

  test('refuses an incomplete record without fields= in the request', () => {
    refused('/api/shelves', list([{ id: 1 }]), '$.value[0].name is missing')
  })

  test('refuses an error that the operation cannot return', () => {
    refused('/api/shelves', failure(400, 'empty_body'), '$.errors.code should be one of', 400)
    refused('/api/shelves', failure(400, 'made_up'), '$.errors.code should be one of', 400)
  })

  test('refuses an operation and a success that do not exist', () => {
    refused('/api/nothing', list([]), 'there is no such operation')
    refused('/api/shelves', list([]), 'it has no such status', 206)
  })

  test('checks the results of a batch', async () => {
    const batches = await documentOf({ API_ALLOW_BATCH: true })
    const check = (value: JsonValue, status = 200) =>
      checkAnswer(batches, 'POST', '/api/batch', { status, text: list(value) })
    const result = { id: 'a', status: 200, headers: {}, value: row }
    check([result])
    const { message: extra } = throws(() => check([{ ...result, secret: 1 }]))
    match(extra, '$.value[0].secret is not documented')
    const { message: wrong } = throws(() => check([{ ...result, status: 'ok' }]))
    match(wrong, '$.value[0].status should be integer')
    const text = failure(400, 'made_up')
    const { message } = throws(() =>
      checkAnswer(batches, 'POST', '/api/batch', { status: 400, text }),
    )
    match(message, '$.errors.code should be one of')
  })

  test('throws on keywords that it does not check', () => {
    throws(() => compileSchema({})({ multipleOf: 2 }), 'the keyword "multipleOf" is not known')
  })

  test('accepts any value of members that a callback may change', () => {
    equal(compileSchema({})({ type: 'string', 'x-shaped-by-callback': true })(1), undefined)
  })
})
