/** All hooks of one attempt of a write get one and the same `args.db`: alone, in a batch, and in a transaction of the host. */
import {
  type AnyModel,
  type ApiConfig,
  defineModel,
  type HookArgs,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { CompiledQuery, type Kysely } from 'kysely'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { type Operation, sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: any tables
type Instance = Kysely<any>

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 40 } as const

eachDatabase('one args.db per attempt', (test, db) => {
  const told: { readonly hook: string; readonly args: HookArgs }[] = []
  const tell = <T>(hook: string, args: HookArgs, answer: T): T => {
    told.push({ hook, args })
    return answer
  }
  /** A hook that sends a statement, so that the earlier records of a list are stored first. */
  const ask = async <T>(hook: string, args: HookArgs, answer: T): Promise<T> => {
    tell(hook, args, answer)
    await args.db.executeQuery(CompiledQuery.raw('select 1'))
    return answer
  }

  const Shelf = defineModel('Shelf', {
    columns: { id, name: text },
    relations: {
      notes: hasMany('Note', 'shelf_id'),
      labels: manyToMany('Label', { through: 'shelf_labels', from: 'shelf_id', to: 'label_id' }),
    },
    meta: {
      allow_cascade_delete: true,
      access_policy: { scope_query: (query, args) => tell('scope_query', args, query) },
    },
  }) as unknown as AnyModel
  const Label = defineModel('Label', { columns: { id, name: text }, meta: {} }) as AnyModel
  const Note = defineModel('Note', {
    columns: {
      id,
      text: { ...text, validator: (_value, _row, args) => tell('validator', args, true) },
      code: { ...text, unique: true, nullable: true },
      shelf_id: { type: 'integer', nullable: true },
      kind: { ...text, default: (args) => tell('default', args, 'plain') },
      gone: { ...text, nullable: true },
    },
    unique: [['code']],
    meta: {
      soft_delete: true,
      soft_delete_attribute: 'gone',
      soft_delete_values: [null, (args) => tell('soft-delete value', args, 'gone')],
      access_policy: {
        scope_query: (query, args) => tell('scope_query', args, query),
        can_read: (_object, args) => tell('can_read', args, true),
        can_create: (_data, args) => tell('can_create', args, true),
        can_update: (_object, _data, args) => tell('can_update', args, true),
        can_delete: (_object, args) => tell('can_delete', args, true),
      },
    },
  }) as unknown as AnyModel
  const models = [Shelf, Label, Note]

  const config: ApiConfig = {
    API_ALLOW_BATCH: true,
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    API_FILTER_CALLBACK: (query, _model, _params, args) => tell('filter', args, query),
    API_ADD_CALLBACK: (object, _model, args) => ask('add', args, object),
    API_UPDATE_CALLBACK: (object, _model, args) => ask('update', args, object),
    API_REMOVE_CALLBACK: (object, _model, args) => ask('remove', args, object),
    API_DUMP_CALLBACK: (data, args) => tell('dump', args, data),
    API_RETURN_CALLBACK: (result, args) => tell('return', args, result),
    API_BEFORE_COMMIT_CALLBACK: (_changes, args) => ask('before commit', args, undefined),
    API_AFTER_COMMIT_CALLBACK: (_changes, args) => tell('after commit', args, undefined),
  }
  const api = testApi(db, models, config)
  let host: Instance = db.kysely
  const hosted = testApi(db, models, { ...config, API_SESSION_GETTER: () => host })

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of ['shelf_labels', 'notes', 'shelves', 'labels'])
      await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Shelf, [
      { id: 1001, name: 'a' },
      { id: 1002, name: 'b' },
      { id: 1003, name: 'c' },
    ])
    await insertRows(db, Label, [{ id: 1001, name: 'l' }])
    const note = (key: number) => ({
      id: key,
      text: 'n',
      code: `c${key}`,
      shelf_id: 1001,
      kind: 'k',
    })
    await insertRows(db, Note, [1001, 1002, 1003, 1004].map(note))
    await insertRows(db, Note, [{ ...note(1005), gone: 'gone' }])
    await insertRows(db, Note, [{ ...note(1006), shelf_id: 1003 }])
    told.length = 0
  })

  const writes: Readonly<Record<string, readonly [method: string, url: string, body?: unknown]>> = {
    POST: ['POST', '/api/notes', { text: 'x' }],
    'POST of a list': ['POST', '/api/notes', [{ text: 'x' }, { text: 'y' }]],
    'POST with nested records': [
      'POST',
      '/api/shelves',
      { name: 'c', notes: [{ text: 'x' }, { text: 'y' }], labels: [{ id: 1001 }, { name: 'm' }] },
    ],
    'POST of a list with nested records': [
      'POST',
      '/api/shelves',
      [
        { name: 'c', notes: [{ text: 'x' }] },
        { name: 'd', notes: [{ text: 'y' }] },
      ],
    ],
    upsert: ['POST', '/api/notes?on_conflict=code', { code: 'c1001', text: 'u' }],
    'upsert of a list': [
      'POST',
      '/api/notes?on_conflict=code',
      [
        { code: 'c1002', text: 'u' },
        { code: 'new', text: 'v' },
      ],
    ],
    PATCH: ['PATCH', '/api/notes/1001', { text: 'z' }],
    'PATCH of a list': [
      'PATCH',
      '/api/notes',
      [
        { id: 1001, text: 'w' },
        { id: 1002, text: 'w' },
      ],
    ],
    'PATCH by filters': ['PATCH', '/api/notes?id__in=(1001,1002)', { text: 'v' }],
    'PATCH with nested records': [
      'PATCH',
      '/api/shelves/1002',
      { labels: [{ id: 1001 }, { name: 'm' }, { name: 'n' }] },
    ],
    PUT: ['PUT', '/api/notes/1001', { text: 'u' }],
    DELETE: ['DELETE', '/api/notes/1003'],
    'DELETE by filters': ['DELETE', '/api/notes?id__in=(1003,1004)'],
    'DELETE with a cascade': ['DELETE', '/api/shelves/1003?cascade_delete=1'],
    restore: ['POST', '/api/notes/1005/restore'],
  }
  const operationOf = (name: string): Operation => {
    const [method, url, body] = writes[name] as readonly [string, string, unknown?]
    return body === undefined ? { method, url } : { method, url, body }
  }

  /** The connections that hooks got, without those after COMMIT, each with the hooks that got it. */
  const connections = (): ReadonlyMap<object, ReadonlySet<string>> => {
    const found = new Map<object, Set<string>>()
    for (const { hook, args } of told) {
      if (hook === 'after commit') continue
      found.set(args.db, (found.get(args.db) ?? new Set()).add(hook))
    }
    return found
  }
  const namesOf = (hooks: ReadonlySet<string> | undefined) => [...(hooks ?? [])].sort().join(', ')

  /** The hooks that may run before the transaction of a single request. */
  const early = /^(?:validator|filter|scope_query)$/
  /** The hooks that got the connection outside must be early ones; all hooks that got a transaction, the same one. */
  function isOneTransaction(
    outside: object,
    { isBatch }: { readonly isBatch: boolean },
  ): object | undefined {
    const found = new Map(connections())
    if (!isBatch) {
      const before = [...(found.get(outside) ?? [])]
      equal(
        before.filter((hook) => !early.test(hook)),
        [],
      )
      found.delete(outside)
    }
    equal([...found.values()].map(namesOf), [namesOf([...found.values()][0])])
    const [connection] = found.keys()
    ok(connection !== outside)
    ok((connection as Instance).isTransaction)
    const last = told.filter(({ hook }) => hook === 'after commit')
    equal(
      last.map(({ args }) => (args.db as unknown) === outside),
      [true],
    )
    return connection
  }

  /** Runs requests in a transaction of the host, which is rolled back. */
  async function inside(run: () => Promise<void>): Promise<void> {
    const transaction = await db.kysely.startTransaction().execute()
    host = transaction
    try {
      await run()
    } finally {
      host = db.kysely
      await transaction.rollback().execute()
    }
  }

  const succeeded = ({ status, text: answered }: Answer): void => ok(status < 300, answered)
  const sendTo = (to: typeof api, name: string): Promise<Answer> => {
    const { method, url, body } = operationOf(name)
    return send(to, method, url, body === undefined ? {} : { body })
  }

  for (const name of Object.keys(writes)) {
    test(`${name}, alone`, async () => {
      succeeded(await sendTo(api, name))
      isOneTransaction(db.kysely, { isBatch: false })
    })

    test(`${name}, in a transaction of the host`, () =>
      inside(async () => {
        succeeded(await sendTo(hosted, name))
        const first = isOneTransaction(host, { isBatch: false })
        // The host may have written in between, so the next request has another one.
        told.length = 0
        succeeded(await sendTo(hosted, 'POST'))
        ok(isOneTransaction(host, { isBatch: false }) !== first)
      }))

    test(`${name}, in a batch between others`, async () => {
      const operations = [
        { method: 'GET', url: '/api/notes?id__eq=1001' },
        operationOf('POST'),
        operationOf(name),
        operationOf('PATCH of a list'),
        { method: 'PATCH', url: '/api/notes/{b.id}', body: { text: 'last' } },
        { method: 'GET', url: '/api/notes/{b.id}' },
      ]
      succeeded(await sendBatch(api, operations))
      isOneTransaction(db.kysely, { isBatch: true })
    })
  }

  const inOrder = Object.keys(writes).map(operationOf)
  test('a batch of all writes', async () => {
    succeeded(await sendBatch(api, inOrder))
    isOneTransaction(db.kysely, { isBatch: true })
  })

  test('a batch of all writes, in a transaction of the host', () =>
    inside(async () => {
      succeeded(await sendBatch(hosted, inOrder))
      isOneTransaction(host, { isBatch: true })
    }))

  test('a batch that repeats after a refusal has one for each attempt', async () => {
    const { status } = await sendBatch(api, [
      operationOf('PATCH of a list'),
      operationOf('POST'),
      { method: 'POST', url: '/api/notes', body: [{ text: 'x', code: 'c1001' }, { text: 'y' }] },
    ])
    equal(status, 409)
    const attempts = [...connections().values()]
    equal(attempts.length, 2)
    for (const hooks of attempts) ok(hooks.has('update') && hooks.has('add'))
  })

  test('hooks number records once in a batch, whatever its operations are', async () => {
    const last = new WeakMap<object, number>()
    const next = async ({ db: own }: HookArgs): Promise<string> => {
      const before =
        last.get(own) ??
        Number(
          (await own.selectFrom('notes').select(own.fn.countAll().as('n')).executeTakeFirst())?.n,
        )
      last.set(own, before + 1)
      return `number ${before + 1}`
    }
    const numbered = testApi(db, models, {
      API_ALLOW_BATCH: true,
      API_ALLOW_BULK: true,
      API_ADD_CALLBACK: async (object, _model, args) => ({ ...object, code: await next(args) }),
      API_UPDATE_CALLBACK: async (object, _model, args) => ({ ...object, code: await next(args) }),
    })
    succeeded(
      await sendBatch(numbered, [
        operationOf('POST'),
        operationOf('PATCH by filters'),
        operationOf('POST of a list'),
        operationOf('PATCH of a list'),
        operationOf('POST'),
      ]),
    )
    const rows = await db.kysely
      .selectFrom('notes')
      .select('code')
      .where('code', 'like', 'number %')
      .execute()
    equal(
      rows.map(({ code }) => code).sort(),
      // The second PATCH replaces the numbers 8 and 9 of the first one.
      [10, 11, 12, 13, 14, 7].map((number) => `number ${number}`),
    )
  })

  test('the work before a statement of a hook is that of the operation that runs', async () => {
    const counts: number[] = []
    const counting = testApi(db, models, {
      API_ALLOW_BATCH: true,
      API_ALLOW_BULK: true,
      API_ADD_CALLBACK: async (object, _model, { db: own }) => {
        const rows = await own
          .selectFrom('notes')
          .select('id')
          .where('text', '=', 'counted')
          .execute()
        counts.push(rows.length)
        return object
      },
    })
    const counted = { text: 'counted' }
    const operations = [[counted, counted, counted], counted, [counted, counted]]
    succeeded(
      await sendBatch(
        counting,
        operations.map((body) => ({ method: 'POST', url: '/api/notes', body })),
      ),
    )
    equal(counts, [0, 1, 2, 3, 4, 5])
  })
})
