/** The callbacks return and final run before COMMIT: if one fails, or returns a value that is not JSON, nothing of the write is stored. */
import { type AnyModel, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 40, unique: true },
    gone: { type: 'boolean' },
  },
  meta: {},
})

const Shelved = defineModel('Shelved', {
  table: 'notes',
  columns: Note.columns,
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
}) as unknown as AnyModel

const everything: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

type Write = readonly [request: string, body?: unknown, headers?: Record<string, string>]

const writes: readonly Write[] = [
  ['POST /api/notes', { title: 'new', gone: false }],
  [
    'POST /api/notes',
    [
      { title: 'new', gone: false },
      { title: 'newer', gone: false },
    ],
  ],
  ['POST /api/notes?on_conflict=title', { title: 'first', gone: true }],
  ['POST /api/notes', { title: 'new', gone: false }, { 'idempotency-key': 'a-key-that-is-long' }],
  ['PATCH /api/notes/1', { title: 'other' }],
  ['PATCH /api/notes/1', { title: 'other' }, { 'if-match': '*' }],
  ['PUT /api/notes/1', { title: 'other', gone: true }],
  ['PATCH /api/notes?title__eq=first', { title: 'other' }],
  ['DELETE /api/notes/1'],
  ['DELETE /api/notes?title__eq=first'],
  ['DELETE /api/shelveds/1'],
  ['POST /api/shelveds/2/restore'],
]

const circle: { self?: unknown } = {}
circle.self = circle
const noJson: readonly (readonly [given: unknown, reason: string])[] = [
  [undefined, 'returned undefined'],
  [() => 1, 'a function'],
  [Symbol('x'), 'a symbol'],
  [12n, 'a bigint'],
  [{ list: [{ total: 12n }] }, 'a bigint at .list[0].total'],
  [circle, 'an object that contains itself at .self'],
  [
    {
      toJSON: () => {
        throw new Error('of toJSON')
      },
    },
    'of toJSON',
  ],
]

eachDatabase('the callbacks at the end of a write', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [
      { title: 'first', gone: false },
      { title: 'second', gone: true },
    ])
  })

  const stored = async (): Promise<unknown> =>
    db.kysely.selectFrom('notes').selectAll().orderBy('id').execute()
  const ask = (api: ReturnType<typeof testApi>, [request, body, headers]: Write) => {
    const [method = '', url = ''] = request.split(' ')
    return send(api, method, url, {
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    })
  }
  const quiet = { onError: () => {} }

  for (const key of ['API_RETURN_CALLBACK', 'API_FINAL_CALLBACK'] as const) {
    test(`nothing is stored if ${key} refuses`, async () => {
      const before = await stored()
      for (const write of writes) {
        const refuse = (given: unknown) => {
          const failed = (given as { errors?: unknown } | null)?.errors
          if (failed === null || failed === undefined) throw apiError(409, 'Conflict', 'Not now.')
          return given as never
        }
        const api = testApi(db, [Note, Shelved], { ...everything, [key]: refuse }, quiet)
        const { status, errors } = await ask(api, write)
        equal([write[0], status, errors.reason], [write[0], 409, 'Not now.'])
        equal([write[0], await stored()], [write[0], before])
      }
    })
  }

  test('the Idempotency-Key of a refused request is free again, and is replayed once a request succeeds', async () => {
    const before = (await stored()) as unknown[]
    let refuses = true
    const api = testApi(
      db,
      [Note],
      {
        API_FINAL_CALLBACK: (body) => {
          if (refuses) throw apiError(409, 'Conflict', 'Not now.')
          return { ...(body as object), signed: true }
        },
      },
      quiet,
    )
    const write: Write = [
      'POST /api/notes',
      { title: 'kept', gone: false },
      { 'idempotency-key': 'another-long-enough' },
    ]
    equal((await ask(api, write)).status, 409)
    equal(((await stored()) as unknown[]).length, before.length)
    refuses = false
    // In a batch, final signs the body of the batch.
    const signed = way === 'batch' ? undefined : true
    const first = await ask(api, write)
    const again = await ask(api, write)
    equal(
      [first.status, first.body.signed, again.status, again.body.signed],
      [201, signed, 201, signed],
    )
    equal(again.value, first.value)
    equal(((await stored()) as unknown[]).length, before.length + 1)
    await ask(testApi(db, [Note]), [`DELETE ${first.headers.location}`])
  })

  test('they see the write before it is committed', async () => {
    const seen: unknown[] = []
    const api = testApi(db, [Note], {
      API_RETURN_CALLBACK: async (result, args) => {
        const rows = await args.db.selectFrom('notes').select('title').execute()
        seen.push(rows.length, args.db.isTransaction)
        return { ...(result as object), seen: rows.length }
      },
    })
    const before = ((await stored()) as unknown[]).length
    const created = await ask(api, ['POST /api/notes', { title: 'seen', gone: false }])
    equal([created.status, created.value.seen], [201, before + 1])
    equal(seen, [before + 1, true])
    await ask(testApi(db, [Note]), [`DELETE ${created.headers.location}`])
  })

  for (const key of ['API_RETURN_CALLBACK', 'API_FINAL_CALLBACK', 'API_DUMP_CALLBACK'] as const) {
    test(`${key} that returns a value that is not JSON: 500, and nothing is stored`, async () => {
      const before = await stored()
      for (const [given, reason] of noJson) {
        const reported: unknown[] = []
        const options = { onError: (error: unknown) => void reported.push(error) }
        const api = testApi(db, [Note], { [key]: () => given as never }, options)
        for (const write of [
          ['POST /api/notes', { title: 'new', gone: false }],
          ['GET /api/notes/1'],
        ] as const) {
          reported.length = 0
          const { status, errors, text } = await ask(api, write)
          equal([status, errors.reason], [500, 'Request test'], text)
          match((reported[0] as Error).message, reason)
          equal(await stored(), before)
        }
      }
    })
  }

  test('members that JSON omits, and dates, are accepted', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z')
    const twice = { a: 1 }
    const api = testApi(db, [Note], {
      API_RETURN_CALLBACK: () =>
        ({ at, none: undefined, run: () => 1, one: twice, two: twice, list: [undefined] }) as never,
    })
    const { status, value } = await ask(api, ['GET /api/notes/1'])
    const left = { at: at.toISOString(), one: twice, two: twice, list: [null] }
    equal([status, value], [200, left])
  })

  test('an apiError whose reason is not JSON is 500 with the request id', async () => {
    const api = testApi(
      db,
      [Note],
      {
        API_SETUP_CALLBACK: () => {
          throw apiError(409, 'Conflict', { total: 12n } as never)
        },
      },
      quiet,
    )
    const { status, errors } = await ask(api, ['GET /api/notes/1'])
    equal([status, errors.reason], [500, 'Request test'])
  })

  test('an apiError with an invalid status is 500', async () => {
    for (const status of [0, 200, 302, 700, 404.5, '404' as never]) {
      const reported: unknown[] = []
      const options = { onError: (error: unknown) => void reported.push(error) }
      const setup = () => {
        throw apiError(status, 'Teapot')
      }
      const api = testApi(db, [Note], { API_SETUP_CALLBACK: setup }, options)
      equal((await ask(api, ['GET /api/notes/1'])).status, 500)
      match(String(reported[0]), 'expected a status from 400 to 599')
    }
  })
})
