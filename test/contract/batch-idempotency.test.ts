/** Batch: an Idempotency-Key on the request covers all of its operations. */
import { type AnyModel, type ApiConfig, defineModel } from '@model-api/core'
import { type Answer, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { getting, posting, sendBatch } from '../support/batch.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const on = { API_ALLOW_BATCH: true } as const
const key = { 'idempotency-key': '0198c1f2-77aa-7c11-batch' }

/** The API key is the id of its user. */
const byKey: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['api_key'],
  API_KEY_AUTH_AND_RETURN_METHOD: (key) => ({ id: key }),
}

const as = (user: string) => ({ authorization: `Api-Key ${user}` })

/** The ids of users who may no longer see any note. */
const closed = new Set<string>()
const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'text' },
  },
  meta: {
    access_policy: {
      scope_query: (query, { user }) =>
        closed.has((user as { id: string }).id) ? query.where('id', '=', -1) : query,
    },
  },
})

const withoutHeaders = ({ value }: Answer): unknown =>
  value.map(({ headers: _, ...rest }: { readonly headers: unknown }) => rest)

eachDatabase('batches: Idempotency-Key', (test, db) => {
  test.before(async () => {
    await createWritableShop(db)
    await createTables(db, [Note])
  })
  const api = testApi(db, shop, on)
  const count = async (table: string): Promise<number> =>
    (await db.kysely.selectFrom(table).select('id').execute()).length

  test('the same key and body return the stored results, and write once', async () => {
    const operations = [
      posting('/api/tags', { name: 'once' }),
      getting('/api/tags/{a.id}'),
      { method: 'PATCH', url: '/api/tags/{a.id}', body: { name: 'once more' } },
      getting('/api/tags?name__startswith=once&fields=name'),
      { method: 'DELETE', url: '/api/order-lines/2024%2F001,2' },
      { method: 'OPTIONS', url: '/api/tags' },
    ]
    const before = await count('tags')
    const first = await sendBatch(api, operations, {}, key)
    const second = await sendBatch(api, operations, {}, key)
    equal([first.status, second.status, await count('tags')], [200, 200, before + 1])
    equal(second.value, first.value)
    equal(
      [first.headers['idempotency-replayed'], second.headers['idempotency-replayed']],
      [undefined, 'true'],
    )
    const other = await sendBatch(api, operations.slice(1), {}, key)
    equal([other.status, other.errors.code], [400, 'validation_failed'])
    const another = await sendBatch(api, [posting('/api/tags', { name: 'x' })], {}, key)
    equal([another.status, another.errors.code], [422, 'idempotency_key_reused'])
  })

  test('a failed batch may be sent again with its key', async () => {
    const own = { 'idempotency-key': 'a-key-of-a-failed-batch' }
    const failing = [posting('/api/tags', { name: 'again' }), getting('/api/tags/999')]
    equal((await sendBatch(api, failing, {}, own)).status, 404)
    equal((await sendBatch(api, failing, {}, own)).status, 404)
    equal((await sendBatch(api, failing.slice(0, 1), {}, own)).status, 200)
  })

  test('concurrent batches: one writes, and all get the same response or 409', async () => {
    const own = { 'idempotency-key': 'many-at-the-same-moment' }
    const operations = [posting('/api/tags', { name: 'concurrent' })]
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => sendBatch(api, operations, {}, own)),
    )
    const done = answers.filter(({ status }) => status === 200)
    ok(done.length >= 1)
    equal(new Set(done.map((one) => JSON.stringify(one.value))).size, 1)
    equal(
      answers.filter(({ status }) => status !== 200).map(({ errors }) => errors.code),
      Array.from({ length: 6 - done.length }, () => 'request_in_progress'),
    )
  })

  test('results longer than a column are replayed completely', async () => {
    const own = { 'idempotency-key': 'a-long-answer-of-a-batch' }
    const text = `é${'x'.repeat(40_000)}`
    const notes = testApi(db, [Note], { ...on, ...byKey })
    const operations = Array.from({ length: 5 }, (_, i) =>
      posting('/api/notes', { text: `${i}${text}` }),
    )
    const headers = { ...own, ...as('ann') }
    const first = await sendBatch(notes, operations, {}, headers)
    const second = await sendBatch(notes, operations, {}, headers)
    equal([first.status, second.headers['idempotency-replayed']], [200, 'true'])
    equal(withoutHeaders(second), withoutHeaders(first))
  })

  test('replayed records that the caller may no longer read are null, and the keys of another user are separate', async () => {
    closed.clear()
    const notes = testApi(db, [Note], { ...on, ...byKey })
    const operations = [posting('/api/notes', { text: 'mine' }), getting('/api/notes/{a.id}')]
    const headers = { 'idempotency-key': 'k1', ...as('bob') }
    const first = await sendBatch(notes, operations, {}, headers)
    equal(first.status, 200)
    equal(withoutHeaders(await sendBatch(notes, operations, {}, headers)), withoutHeaders(first))
    closed.add('bob')
    const later = await sendBatch(notes, operations, {}, headers)
    equal(later.headers['idempotency-replayed'], 'true')
    equal(
      later.value.map(({ value }: { readonly value: unknown }) => value),
      [null, null],
    )
    const before = await count('notes')
    const carol = await sendBatch(notes, operations, {}, { ...headers, ...as('carol') })
    equal([carol.headers['idempotency-replayed'], await count('notes')], [undefined, before + 1])
    const short = await sendBatch(api, [getting('/api/tags/1')], {}, { 'idempotency-key': 'short' })
    equal([short.status, short.errors.code], [400, 'bad_idempotency_key'])
  })

  test('a dry run neither claims a key nor replays its results', async () => {
    const own = { 'idempotency-key': 'a-key-of-a-dry-run-1' }
    const operations = [posting('/api/tags', { name: 'dry' })]
    equal((await sendBatch(api, operations, { dry_run: true }, own)).status, 200)
    const real = await sendBatch(api, operations, {}, own)
    equal([real.status, real.headers['idempotency-replayed']], [200, undefined])
    const refused = await sendBatch(api, operations, { dry_run: true }, own)
    equal([refused.status, refused.errors.code], [409, 'unique_violation'])
  })
})
