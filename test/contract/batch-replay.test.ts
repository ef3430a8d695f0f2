/** Batch: a repetition with the same Idempotency-Key answers what the batch first answered, to the byte. */
import { type AnyModel, defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    code: { type: 'string', maxLength: 20, unique: true },
    data: { type: 'json', nullable: true },
    deleted: { type: 'boolean', default: false },
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
})
const Plain: AnyModel = defineModel('Plain', {
  columns: { id: { type: 'integer', primaryKey: true }, text: { type: 'string', maxLength: 20 } },
  meta: { soft_delete: false },
})

const config = {
  API_ALLOW_BATCH: true,
  API_ALLOW_BULK: true,
  API_ALLOW_UPSERT: true,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
} as const

const op = (id: string, method: string, url: string, body?: unknown, headers?: object) => ({
  id,
  method,
  url: `/api${url}`,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
})

/** JSON text, because it has numbers that JavaScript would round. */
const documents = '{"10":1,"9":12345678901234567890.10,"a":[-0.0,1.50]}'

const cases: Readonly<Record<string, readonly unknown[]>> = {
  'writes of one record': [
    op('a', 'POST', '/notes', { code: 'a', data: 'DOC' }),
    op('b', 'PATCH', '/notes/{a.id}', { code: 'b' }),
    op('c', 'PUT', '/notes/{a.id}', { code: 'c' }),
    op('d', 'POST', '/notes?on_conflict=code', { code: 'c', data: 'DOC' }),
  ],
  reads: [
    op('a', 'POST', '/notes', { code: 'r', data: 'DOC' }),
    op('b', 'GET', '/notes/{a.id}'),
    op('c', 'GET', '/notes?code__eq=r'),
    op('d', 'HEAD', '/notes/{a.id}'),
    op('e', 'QUERY', '/notes', 'code__eq=r', {
      'content-type': 'application/x-www-form-urlencoded',
    }),
    op('f', 'OPTIONS', '/notes'),
  ],
  'lists and filters': [
    op('a', 'POST', '/notes', [{ code: 'l1', data: 'DOC' }, { code: 'l2' }]),
    op('b', 'PATCH', '/notes', [{ id: { $ref: 'a.0.id' }, code: 'l3' }]),
    op('c', 'PATCH', '/notes?code__in=(l2,l3)', { data: 1 }),
    op('d', 'POST', '/notes?on_conflict=code', [{ code: 'l3', data: 2 }, { code: 'l4' }]),
    op('e', 'POST', '/notes', [{ code: 'l5' }], { prefer: 'return=minimal' }),
  ],
  'records that a later operation deletes': [
    op('a', 'POST', '/plains', { id: 1, text: 'one' }),
    op('b', 'PATCH', '/plains/1', { text: 'two' }),
    op('c', 'POST', '/plains', [
      { id: 2, text: 'x' },
      { id: 3, text: 'y' },
    ]),
    op('d', 'DELETE', '/plains/1'),
    op('e', 'DELETE', '/plains?id__in=(2,3)'),
    op('f', 'POST', '/notes', { code: 's' }),
    op('g', 'DELETE', '/notes/{f.id}'),
    op('h', 'POST', '/notes/{f.id}/restore'),
    op('i', 'DELETE', '/notes/{f.id}'),
  ],
}

eachDatabase('batches: replay', (test, db) => {
  test.before(() => createTables(db, [Note, Plain]))
  const api = testApi(db, [Note, Plain], config)

  for (const [name, operations] of Object.entries(cases)) {
    for (const form of ['text', 'value'] as const) {
      test(`${name}, as ${form}`, async () => {
        await db.kysely.deleteFrom('notes').execute()
        await db.kysely.deleteFrom('plains').execute()
        const body = JSON.stringify({ operations }).replaceAll('"DOC"', documents)
        const headers = {
          'content-type': 'application/json',
          'idempotency-key': `${form} ${name} of a batch`.replaceAll(' ', '-'),
        }
        const request = () => ({ method: 'POST', url: '/api/batch', headers, body })
        const send = async () => {
          if (form === 'value') {
            const { status, headers, body } = await api.handle(request())
            return { status, headers, value: (body as { value?: unknown })?.value ?? body }
          }
          const { status, headers, text } = (await api.answer(request())) as {
            readonly status: number
            readonly headers: Readonly<Record<string, string>>
            readonly text?: string
          }
          return { status, headers, value: text }
        }
        const first = await send()
        equal(first.status, 200, JSON.stringify(first.value))
        const again = await send()
        equal(again.headers['idempotency-replayed'], 'true', print(again.value))
        equal(print(again.value), print(first.value))
      })
    }
  }
})

const print = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 1)
