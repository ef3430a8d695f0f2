/** What functions of the host do to the values they receive, or keep of what they returned, has no effect but the documented one. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  apiError,
  belongsTo,
  defineModel,
  type HookArgs,
  type HookRecord,
  hasMany,
} from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

/** Any value that a function receives or returns. */
type Any = unknown

const isPlain = (value: Any): value is Record<string, Any> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Changes a value at every depth: members are replaced, added and removed, lists are emptied and filled. */
function wreck(value: Any, seen: Set<Any> = new Set()): void {
  if (seen.has(value) || (!Array.isArray(value) && !isPlain(value))) return
  seen.add(value)
  // The model of a change is the host's own.
  for (const [name, member] of Object.entries(value)) if (name !== 'model') wreck(member, seen)
  if (Array.isArray(value)) {
    value.length = 0
    value.push('wrecked')
    return
  }
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (typeof member === 'string') value[name] = 'wrecked'
    else delete value[name]
  }
  value.wrecked = true
}

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value))

/** How the functions of an API treat what they receive (`given`); returns what they return. */
interface Manners {
  take<T>(hook: string, given: readonly Any[], result: T): T
}

/** Functions that change nothing. */
const polite: Manners = { take: (_hook, _given, result) => result }

/** Functions that change everything that they can reach, also what they returned earlier. */
function rude(): Manners & { readonly called: Set<string>; end(): void } {
  const kept: Any[] = []
  const called = new Set<string>()
  const end = (): void => {
    for (const value of kept) wreck(value)
  }
  return {
    called,
    end,
    take(hook, given, result) {
      end()
      called.add(hook)
      for (const value of given) wreck(value)
      kept.push(result, ...given)
      // Before the next function is called as well.
      queueMicrotask(end)
      setImmediate(end)
      return result
    },
  }
}

const document = () => ({ rev: 1, tags: ['b', 'a'], deep: { list: [{ n: 1 }] } })

function modelsOf(manners: Manners) {
  const given = ({ before }: HookArgs): readonly Any[] => [before]
  const Shelf = defineModel('Shelf', {
    columns: {
      id,
      name: { type: 'string', maxLength: 20, unique: true },
      info: { type: 'json', default: document() },
    },
    relations: { docs: hasMany('Doc', 'shelf_id') },
    meta: {},
  })
  const Doc = defineModel('Doc', {
    columns: {
      id,
      name: {
        type: 'string',
        maxLength: 20,
        unique: true,
        validator: (_value: string, row: HookRecord, args: HookArgs) =>
          manners.take('validator', [row, ...given(args)], true),
      },
      meta: {
        type: 'json',
        default: document(),
        validator: (value: HookRecord) => manners.take('validator of a value', [value], true),
      },
      made: {
        type: 'json',
        nullable: true,
        default: (args: HookArgs) => manners.take('default', given(args), document()),
      },
      checked: {
        type: 'json',
        nullable: true,
        validator: {
          '~standard': {
            version: 1 as const,
            vendor: 'test',
            validate: (value: Any) => manners.take('schema', [value], { value }),
          },
        },
      },
      secret: {
        type: 'text',
        nullable: true,
        writeOnly: true,
        transform: (value: Any, args: HookArgs) =>
          manners.take('transform', [value, ...given(args)], `sealed ${value}`),
      },
      shelf_id: { type: 'integer', nullable: true },
      gone: { type: 'json', nullable: true },
    },
    relations: { shelf: belongsTo('Shelf', 'shelf_id') },
    meta: {
      soft_delete: true,
      soft_delete_attribute: 'gone',
      soft_delete_values: [
        null,
        (args: HookArgs) => manners.take('soft-delete value', given(args), { by: ['x'] }),
      ],
      access_policy: {
        can_read: (object, args) => manners.take('can_read', [object, ...given(args)], true),
        can_create: (data, args) => manners.take('can_create', [data, ...given(args)], true),
        can_update: (object, data, args) =>
          manners.take('can_update', [object, data, ...given(args)], true),
        can_delete: (object, args) => manners.take('can_delete', [object, ...given(args)], true),
      },
    },
  })
  return [Shelf, Doc] as unknown as readonly AnyModel[]
}

function configOf(manners: Manners, fails: () => boolean): ApiConfig {
  const own = (hook: string, value: Any, { before }: Pick<HookArgs, 'before'>): Any => {
    const result = copyOf(value)
    return manners.take(hook, [value, before], result)
  }
  return {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_ALLOW_JOIN: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_UPSERT: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    API_ADDITIONAL_QUERY_PARAMS: ['kind'],
    API_SETUP_CALLBACK: () => manners.take('setup', [], undefined),
    API_FILTER_CALLBACK: (query, _model, params) => {
      const kind = params.kind ?? 'none'
      manners.take('filter', [params], undefined)
      return kind === 'few' ? query.where('id', '<', 3) : query
    },
    API_ADD_CALLBACK: (object, _model, args) => own('add', object, args) as HookRecord,
    API_UPDATE_CALLBACK: (object, _model, args) => own('update', object, args) as HookRecord,
    API_REMOVE_CALLBACK: (object, _model, args) => own('remove', object, args) as HookRecord,
    API_DUMP_CALLBACK: (data, args) => own('dump', data, args) as HookRecord,
    API_RETURN_CALLBACK: (result, args) => own('return', result, args) as never,
    API_FINAL_CALLBACK: (body, args) => own('final', body, args) as never,
    API_BEFORE_COMMIT_CALLBACK: (changes) => {
      const told = copyOf(changes.map(({ model, ...change }) => ({ ...change, model: model.name })))
      seen.push(['before commit', told])
      manners.take('before commit', [changes], undefined)
      if (fails()) throw refusal()
    },
    API_AFTER_COMMIT_CALLBACK: (changes) => {
      const told = copyOf(changes.map(({ model, ...change }) => ({ ...change, model: model.name })))
      seen.push(['after commit', told])
      manners.take('after commit', [changes], undefined)
    },
    API_ERROR_CALLBACK: (error) => {
      const { body, headers } = error as { body?: Any; headers?: Any }
      manners.take('error', [body, headers], undefined)
    },
  }
}

const refusal = () => apiError(409, 'Conflict', { why: ['Not today.'] }, 'not_today')
let seen: Any[] = []

interface Asked {
  readonly method: string
  readonly url: string
  readonly body?: Any
  /** Whether the callback before COMMIT refuses it. */
  readonly fails?: true
}

const doc = (name: string, more: HookRecord = {}) => ({
  name,
  meta: document(),
  checked: document(),
  ...more,
})

const requests: readonly Asked[] = [
  { method: 'POST', url: '/api/shelves', body: { name: 'one' } },
  { method: 'POST', url: '/api/shelves', body: { name: 'two', info: document() } },
  { method: 'POST', url: '/api/docs', body: { name: 'a', secret: 'open' } },
  { method: 'POST', url: '/api/docs', body: doc('b', { shelf_id: 1, made: document() }) },
  { method: 'POST', url: '/api/docs', body: [doc('c'), { name: 'd' }, { name: 'e' }] },
  {
    method: 'POST',
    url: '/api/shelves?dump=json',
    body: [
      { name: 'three', docs: [doc('f'), { name: 'g' }] },
      { name: 'four', docs: [{ name: 'h' }] },
    ],
  },
  { method: 'POST', url: '/api/docs', body: { name: 'i', shelf: { name: 'five' } } },
  // Refused, so that the transaction of the list is repeated record by record.
  { method: 'POST', url: '/api/shelves', body: [{ name: 'six', docs: [doc('a')] }] },
  {
    method: 'POST',
    url: '/api/shelves',
    body: [
      { name: 'seven', docs: [doc('s1')] },
      { name: 'eight', docs: [doc('s1')] },
    ],
  },
  { method: 'PATCH', url: '/api/docs/1', body: { meta: { rev: 2, tags: ['z', 'y'] } } },
  { method: 'PATCH', url: '/api/docs/1', body: { name: 'a1' } },
  { method: 'PUT', url: '/api/docs/2', body: { name: 'b1', checked: document() } },
  { method: 'PATCH', url: '/api/docs?id__in=(3,4)', body: { meta: document() } },
  {
    method: 'PATCH',
    url: '/api/docs',
    body: [
      { id: 3, meta: { x: [1] } },
      { id: 4, name: 'd1' },
    ],
  },
  { method: 'POST', url: '/api/docs?on_conflict=name', body: [doc('a1'), doc('new')] },
  { method: 'POST', url: '/api/docs?on_conflict=name', body: doc('a1', { meta: { y: [2] } }) },
  { method: 'PATCH', url: '/api/docs/1', body: { name: 'refused' }, fails: true },
  { method: 'POST', url: '/api/docs', body: doc('refused'), fails: true },
  { method: 'POST', url: '/api/docs', body: { name: 5, meta: document() } },
  {
    method: 'POST',
    url: '/api/batch',
    body: {
      operations: [
        {
          id: 'x',
          method: 'POST',
          url: '/api/shelves',
          body: { name: 'batched', info: document() },
        },
        { method: 'POST', url: '/api/docs', body: doc('batched', { shelf_id: { $ref: 'x.id' } }) },
        { method: 'PATCH', url: '/api/docs/1', body: { meta: { batched: [true] } } },
        { method: 'GET', url: '/api/docs/1' },
      ],
    },
  },
  { method: 'DELETE', url: '/api/docs/2' },
  { method: 'POST', url: '/api/docs/2/restore' },
  { method: 'DELETE', url: '/api/docs?id__in=(3,4)' },
  { method: 'GET', url: '/api/docs?kind=few' },
  { method: 'GET', url: '/api/docs?order_by=id&join=shelf' },
  { method: 'GET', url: '/api/shelves?dump=json&order_by=id' },
  { method: 'GET', url: '/api/docs/1' },
  { method: 'GET', url: '/api/docs/999' },
  { method: 'GET', url: '/api/docs?nonsense__eq=1' },
]

const shown = ({ status, text, headers: { etag } }: Answer) => ({ status, text, etag })

eachDatabase('the values of functions of the host', (test, db) => {
  let fails = false
  const isRefused = () => fails
  const tables = ['docs', 'shelves'] as const
  const stored = async () => {
    const rows = await Promise.all(
      tables.map((table) => db.kysely.selectFrom(table).selectAll().orderBy('id').execute()),
    )
    return JSON.stringify(rows)
  }
  const ask = async (api: Api, { method, url, body, fails: isToFail }: Asked) => {
    fails = isToFail === true
    const answer = await send(api, method, url, body === undefined ? {} : { body: copyOf(body) })
    fails = false
    await new Promise((resolve) => setImmediate(resolve))
    return answer
  }

  test('functions that change everything they can reach change nothing', async () => {
    const runs: Record<'polite' | 'rude', Any[]> = { polite: [], rude: [] }
    const vandal = rude()
    for (const [name, manners] of [
      ['polite', polite],
      ['rude', vandal],
    ] as const) {
      for (const table of tables) await db.kysely.schema.dropTable(table).ifExists().execute()
      const models = modelsOf(manners)
      await createTables(db, models)
      const api = testApi(db, models, configOf(manners, isRefused))
      for (const asked of requests) {
        seen = []
        const answer = shown(await ask(api, asked))
        runs[name].push({ asked, answer, seen, stored: await stored() })
      }
    }
    for (const [i, run] of runs.rude.entries()) equal(run, runs.polite[i])
    equal(
      [...vandal.called].sort(),
      [
        'add',
        'after commit',
        'before commit',
        'can_create',
        'can_delete',
        'can_read',
        'can_update',
        'default',
        'dump',
        'error',
        'filter',
        'final',
        'remove',
        'return',
        'schema',
        'setup',
        'soft-delete value',
        'transform',
        'update',
        'validator',
        'validator of a value',
      ].sort(),
    )
  })

  test('a record that add and update change in place is stored as it then is', async () => {
    const Note = defineModel('Note', {
      columns: {
        id,
        meta: { type: 'json', default: { tags: [] } },
        owned: { type: 'integer', nullable: true },
      },
      meta: {
        add_callback: (object: HookRecord) => {
          object.meta.tags.push('added')
          return object
        },
        update_callback: (object: HookRecord, _model, { before }: HookArgs) => {
          before?.meta.tags.sort()
          object.meta.rev = (object.meta.rev ?? 0) + 1
          object.meta.owner = object.id
          return object
        },
      },
    }) as unknown as AnyModel
    await createTables(db, [Note])
    const config: ApiConfig = { API_ALLOW_BULK: true, API_ALLOW_UPSERT: true }
    const api = testApi(db, [Note], config)
    const metas = async (one = api) =>
      (await send(one, 'GET', '/api/notes?order_by=id')).value.map(({ meta }: HookRecord) => meta)
    await send(api, 'POST', '/api/notes', { body: [{}, {}] })
    await send(testApi(db, [Note], config), 'POST', '/api/notes', { body: {} })
    equal(await metas(), [{ tags: ['added'] }, { tags: ['added'] }, { tags: ['added'] }])
    const { value } = await send(api, 'PATCH', '/api/notes/1', { body: { owned: 1 } })
    equal(value.meta, { owner: 1, rev: 1, tags: ['added'] })
    equal((await metas())[0], { owner: 1, rev: 1, tags: ['added'] })
    const body = { meta: { tags: ['b', 'a'] } }
    await send(api, 'PATCH', '/api/notes?id__in=(2,3)', { body })
    const tags = ['b', 'a']
    equal((await metas()).slice(1), [
      { owner: 2, rev: 1, tags },
      { owner: 3, rev: 1, tags },
    ])
  })

  test('a repeated transaction begins with the values that were sent', async () => {
    let attempts = 0
    const Item = defineModel('Item', {
      columns: {
        id,
        name: { type: 'string', maxLength: 20, unique: true },
        meta: { type: 'json' },
      },
      meta: {
        access_policy: {
          can_create: (data: HookRecord) => {
            delete data.meta.admin
            return true
          },
        },
        add_callback: async (object: HookRecord, _model, { db: own }) => {
          object.meta.rev += 1
          attempts += 1
          // Rolled back with the attempt, which it makes fail.
          if (attempts === 1)
            await own.insertInto('items').values({ name: 'a', meta: '{}' }).execute()
          return object
        },
      },
    }) as unknown as AnyModel
    await createTables(db, [Item])
    const api = testApi(db, [Item], { API_ALLOW_UPSERT: true })
    const body = { name: 'a', meta: { rev: 1, admin: true } }
    const { status, value } = await send(api, 'POST', '/api/items?on_conflict=name', { body })
    if (way === 'batch') return
    equal([attempts, status, value.meta], [2, 201, { admin: true, rev: 2 }])
  })

  test('what a callback returns is taken as JSON, dates and all', async () => {
    const date = new Date(0)
    let deep: HookRecord = { end: date }
    for (let i = 0; i < 20_000; i++) deep = { in: deep }
    const Page = defineModel('Page', {
      columns: { id, meta: { type: 'json' } },
      meta: {
        add_callback: (object: HookRecord) => {
          const { meta } = object
          if (meta.deep === true) return { ...object, meta: deep }
          return { ...object, meta: { date, list: [date, undefined], none: undefined } }
        },
      },
    }) as unknown as AnyModel
    await createTables(db, [Page])
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const api = testApi(db, [Page], {}, { onError })
    const { value } = await send(api, 'POST', '/api/pages', { body: { meta: {} } })
    equal(value.meta, { date: date.toISOString(), list: [date.toISOString(), null] })
    const loop: HookRecord = {}
    loop.self = loop
    deep = loop
    const { status } = await send(api, 'POST', '/api/pages', { body: { meta: { deep: true } } })
    equal(status, 500)
    ok(/add callback of Page/.test(String(errors[0])), String(errors[0]))
  })
})
