/** args.as: the client that hooks receive, in the transaction of their request, as its caller or as the system. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  apiError,
  defineModel,
  type HookArgs,
  type RequestArgs,
} from '@model-api/core'
import type { Client } from '@model-api/core/client'
import { CamelCasePlugin } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 40 } as const

const Note = defineModel('Note', {
  columns: { id, text, owner_id: { type: 'integer' } },
  meta: { access_policy: { scope: { owner_id: { eq: ({ user }) => user?.id ?? 0 } } } },
})
const Entry = defineModel('Entry', {
  columns: { id, text: { ...text, unique: true } },
  meta: { role_map: { ALL: 'clerk' } },
})
const models = [Note, Entry] as unknown as AnyModel[]
type NotesApi = Api<{ models: [typeof Note, typeof Entry] }>
type Notes = Client<NotesApi>

const ann = { id: 1, roles: [] }

eachDatabase('the clients of hooks', (test, db) => {
  test.before(() => createTables(db, [Note, Entry]))
  test.before.each(async () => {
    for (const { table } of [Note, Entry]) await db.kysely.deleteFrom(table as never).execute()
  })
  const apiWith = (config: ApiConfig, onError = (_: unknown): void => {}) =>
    testApi(
      db,
      models,
      { API_ALLOW_BATCH: true, API_ALLOW_BULK: true, ...config },
      { onError },
    ) as NotesApi
  const post = (api: Api, body: unknown) => send(api, 'POST', '/api/notes', { body, user: ann })
  const plain = apiWith({})
  const entries = async (): Promise<string[]> => {
    const client = plain.as('system')
    const found = await client.entries.list({ orderBy: ['text'], fields: ['text'] }).unwrap()
    return found.map((one) => one.text)
  }
  const note = (one = 'a') => ({ text: one, owner_id: 1 })

  test('user is the caller, and system passes roles and policies', async () => {
    const told: unknown[] = []
    const api = apiWith({
      API_ADD_CALLBACK: async (object, model, { as }) => {
        if (model.name !== 'Note' || object.text === 'foreign') return object
        const user: Notes = as.user
        const system: Notes = as.system
        await system.notes.create({ text: 'foreign', owner_id: 9 })
        told.push((await user.notes.list().unwrap()).length)
        told.push((await system.notes.list().unwrap()).length)
        told.push((await user.entries.list()).status, (await system.entries.list()).status)
        return { ...object, text: 'seen' }
      },
    })
    const { status, value } = await post(api, note())
    equal([status, value.text], [201, 'seen'])
    equal(told, [0, 1, 403, 200])
  })
  /** Writes an entry for each note, by the client. */
  const logged: ApiConfig = {
    API_ADD_CALLBACK: async (object, model, { as }) => {
      if (model.name === 'Note') await as.system.entries.create({ text: object.text }).unwrap()
      return object
    },
  }

  test('their writes are stored and rolled back with those of the request', async () => {
    const api = apiWith(logged)
    equal((await post(api, note('one'))).status, 201)
    equal((await post(api, [note('two'), note('three')])).status, 201)
    equal(await entries(), ['one', 'three', 'two'])
    const failing = apiWith({
      ...logged,
      API_BEFORE_COMMIT_CALLBACK: (_changes, { model }) => {
        if (model.name === 'Note') throw apiError(409, 'Conflict', 'Not today.')
      },
    })
    equal((await post(failing, note('four'))).status, 409)
    equal(await entries(), ['one', 'three', 'two'])
  })

  test('they see what the request has written before', async () => {
    const counts: unknown[] = []
    const api = apiWith({
      API_ADD_CALLBACK: async (object, _model, { as }) => {
        counts.push((await as.user.notes.list()).total)
        return object
      },
    })
    equal((await post(api, [note('a'), note('b'), note('c')])).status, 201)
    equal(counts.slice(-3), [0, 1, 2])
  })

  test('a write that is refused changes nothing, and the request goes on', async () => {
    const told: unknown[] = []
    const api = apiWith({
      API_ADD_CALLBACK: async (object, model, { as }) => {
        if (model.name !== 'Note') return object
        const client: Notes = as.system
        const results = await Promise.all([
          client.entries.createMany([{ text: `${object.text} 1` }, { text: 'taken' }]),
          client.entries.create({ text: `${object.text} 2` }),
          client.batch([
            client.entries.create({ text: `${object.text} 3` }),
            client.entries.create({ text: 'taken' }),
          ]),
          client.entries.create({ text: 'x'.repeat(50) }),
        ])
        told.push(results.map((one) => (one.ok ? one.status : [one.status, one.error.code])))
        return object
      },
    })
    await plain.as('system').entries.create({ text: 'taken' }).unwrap()
    equal((await post(api, note('n'))).status, 201)
    const taken = [409, 'unique_violation']
    equal(told, [[taken, 201, taken, [400, 'validation_failed']]])
    equal(await entries(), ['n 2', 'taken'])
  })

  test('inside a batch, and inside a transaction of the host', async () => {
    const api = apiWith(logged)
    const client = api.as(ann)
    const failed = await client.batch([
      client.notes.create(note('in a batch')),
      client.notes.create({ ...note(), text: 'x'.repeat(50) }),
    ])
    equal([failed.status, await entries()], [400, []])
    equal((await client.batch([client.notes.create(note('in a batch'))])).status, 200)
    await db.kysely.transaction().execute(async (trx) => {
      const inside = api.as(ann, { db: trx })
      await inside.notes.create(note('inside')).unwrap()
      equal((await inside.notes.create(note('inside'))).status, 500)
      const batch = inside.batch([inside.notes.create(note('both')), inside.notes.get(0)])
      equal((await batch).status, 404)
    })
    equal(await entries(), ['in a batch', 'inside'])
    const notes = await client.notes.list({ fields: ['text'] }).unwrap()
    equal(notes, [{ text: 'in a batch' }, { text: 'inside' }])
  })

  test('hooks that call themselves end at a depth of 8, with a 500 that names them', async () => {
    const errors: string[] = []
    let calls = 0
    const api = apiWith(
      {
        API_ADD_CALLBACK: async (object, _model, { as }) => {
          calls++
          await as.user.notes.create(note()).unwrap()
          return object
        },
      },
      (error) => errors.push((error as Error).message),
    )
    const { status } = await post(api, note())
    equal([status, calls], [500, 9])
    const [first = ''] = errors
    ok(first.includes('more than 8'), first)
    equal(first.match(/POST of Note/g)?.length, 9)
    ok(errors.at(-1)?.startsWith('The add callback of Note failed'), errors.at(-1))
    equal(await plain.as('system').notes.list().unwrap(), [])
  })

  test('reads have them in a transaction, at every level, and end at the same depth', async () => {
    const told: unknown[] = []
    const count = async ({ as }: HookArgs): Promise<void> => {
      told.push((await as.user.entries.list()).status, (await as.system.entries.list()).status)
    }
    const reading = testApi(db, models, {
      API_ACCESS_POLICY: {
        can_read: async (_object, args) => {
          if (args.model.name === 'Note') await count(args)
          return true
        },
      },
      API_ADD_CALLBACK: async (object, { name }, { as }) => {
        if (name === 'Note') await as.user.notes.list().unwrap()
        return object
      },
      API_RETURN_CALLBACK: async (value, args) => {
        if (args.model.name === 'Note') await count(args)
        return value
      },
    }) as NotesApi
    await db.kysely.transaction().execute(async (trx) => {
      const client = reading.as(ann, { db: trx })
      equal((await client.notes.list()).status, 200)
      equal(told.splice(0), [403, 200])
      // The list inside the write, and then the write.
      equal((await client.notes.create(note())).status, 201)
      ok(told.length >= 4 && told.splice(0).every((status, i) => status === (i % 2 ? 200 : 403)))
    })
    equal((await post(reading, note())).status, 201)
    let calls = 0
    const errors: string[] = []
    const endless = apiWith(
      {
        API_RETURN_CALLBACK: async (value, { as }) => {
          calls++
          await as.user.notes.list().unwrap()
          return value
        },
      },
      (error) => errors.push((error as Error).message),
    )
    const { status } = await db.kysely
      .transaction()
      .execute(async (trx) => await endless.as(ann, { db: trx }).notes.list())
    equal([status, calls], [500, 9])
    ok(errors[0]?.includes('more than 8'), errors[0])
  })

  test('a client that the host makes on the connection of a hook is one of them', async () => {
    await plain.as('system').entries.create({ text: 'taken' }).unwrap()
    const other = apiWith({})
    const api = apiWith({
      API_ADD_CALLBACK: async (object, { name }, { db: inside }) => {
        if (name === 'Note')
          await other.as('system', { db: inside }).entries.create({ text: 'taken' })
        return object
      },
    })
    const unique = testApi(db, models, {
      API_ALLOW_BULK: true,
      API_RETURN_CALLBACK: refuse,
    }) as NotesApi
    const failing = apiWith({
      API_ADD_CALLBACK: async (object, { name }, { db: inside }) => {
        if (name === 'Note') await unique.as('system', { db: inside }).entries.create({ text: 'x' })
        return object
      },
      API_BEFORE_COMMIT_CALLBACK: (_changes, { model }) => {
        if (model.name === 'Note') throw apiError(409, 'Conflict', 'Not today.')
      },
    })
    await db.kysely.transaction().execute(async (trx) => {
      const inside = { db: trx }
      equal((await api.as(ann, inside).notes.create(note('kept'))).status, 201)
      equal((await failing.as(ann, inside).notes.createMany([note('b'), note('c')])).status, 409)
    })
    const notes = await plain.as(ann).notes.list({ fields: ['text'] })
    equal([notes.ok && notes.value, await entries()], [[{ text: 'kept' }], ['taken']])
    let calls = 0
    const endless: NotesApi = apiWith({
      API_ADD_CALLBACK: async (object, _model, { db: inside }) => {
        calls++
        await endless.as(ann, { db: inside }).notes.create(note()).unwrap()
        return object
      },
    })
    equal([(await post(endless, note())).status, calls], [500, 9])
  })
  test('a client of the host on the transaction of the request, or derived from it, does not wait for the request', async () => {
    let inside: Notes | undefined
    const told: unknown[] = []
    const api = apiWith({
      API_ADD_CALLBACK: async (object, { name }) => {
        if (name !== 'Note' || inside === undefined) return object
        await later()
        told.push((await inside.entries.create({ text: object.text })).status)
        told.push((await inside.notes.list().unwrap()).length)
        await Promise.all([inside.entries.list(), inside.entries.create({ text: 'x'.repeat(50) })])
        return object
      },
      API_RETURN_CALLBACK: async (value, { model }) => {
        if (model.name === 'Note') told.push((await inside?.entries.list().unwrap())?.length)
        return value
      },
    })
    for (const derived of [false, true]) {
      told.length = 0
      await db.kysely.transaction().execute(async (trx) => {
        const client = api.as(ann, { db: trx })
        inside = plain.as('system', { db: derived ? trx.withPlugin(new CamelCasePlugin()) : trx })
        equal((await client.notes.createMany([note('a'), note('b')])).status, 201)
        equal(told.splice(0), [201, 0, 201, 1, 2])
        equal((await client.batch([client.notes.create(note('c'))])).status, 200)
        equal(told.splice(0), [201, 2, 3])
        equal((await client.notes.list()).status, 200)
        equal(told.splice(0), [3])
        // Rolled back with the request.
        equal((await client.notes.createMany([note('d'), note('a'.repeat(41))])).status, 400)
        equal(
          (await client.batch([client.notes.create(note('e')), client.notes.get(0)])).status,
          404,
        )
        const [first, second] = await Promise.all([
          inside.notes.list(),
          client.notes.create(note('f')),
        ])
        equal([first.status, second.status], [200, 201])
      })
      equal(await entries(), ['a', 'b', 'c', 'f'])
      for (const { table } of [Note, Entry]) await db.kysely.deleteFrom(table as never).execute()
    }
  })

  test('requests by instances derived from one transaction take their turns', async () => {
    await plain.as('system').entries.create({ text: 'taken' }).unwrap()
    await db.kysely.transaction().execute(async (trx) => {
      const clients = [trx, trx.withPlugin(new CamelCasePlugin()), trx.withoutPlugins()].map(
        (one) => plain.as('system', { db: one }),
      )
      const statuses = await Promise.all(
        clients.flatMap((client, i) => [
          client.entries.createMany([{ text: `no ${i}` }, { text: 'taken' }]),
          client.entries.create({ text: `yes ${i}` }),
        ]),
      )
      equal(
        statuses.map(({ status }) => status),
        [409, 201, 409, 201, 409, 201],
      )
    })
    equal(await entries(), ['taken', 'yes 0', 'yes 1', 'yes 2'])
    const ended = await db.kysely.startTransaction().execute()
    await ended.commit().execute()
    equal((await plain.as('system', { db: ended }).entries.list()).status, 500)
  })

  test('requests of hooks have the headers of their request, but for those about that one request', async () => {
    const seen: unknown[] = []
    const results: number[] = []
    const api = testApi(db, models, {
      API_ALLOW_BATCH: true,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers }) =>
        headers?.['x-key'] === 'of ann' && { id: 1, roles: ['clerk'] },
      API_CUSTOM_AUTH_SCHEME: { in: 'header', name: 'X-Key' },
      API_ACCESS_POLICY: {
        scope_query: (query, { request, model }) =>
          model.name === 'Entry' ? query.where('text', '=', request.headers?.['x-tenant']) : query,
      },
      API_SETUP_CALLBACK: ({ headers }) => void seen.push(headers),
      API_UPDATE_CALLBACK: async (object, { name }, { as }) => {
        if (name !== 'Note' || object.text === 'inner') return object
        const user: Notes = as.user
        const system: Notes = as.system
        const made = await system.notes.create({ text: 'inner', owner_id: 1 })
        results.push(made.status, made.ok && made.value !== null ? 1 : 0)
        const key = made.ok ? (made.value?.id ?? 0) : 0
        const before = seen.length
        results.push((await user.notes.update(key, { owner_id: 1 })).status)
        results.push((await user.notes.get(key, { headers: { 'X-Tenant': 'own' } })).status)
        results.push((await user.batch([user.notes.get(key)])).status)
        results.push((await user.entries.list().unwrap()).length)
        seen.splice(0, before)
        return object
      },
    }) as NotesApi
    const plainly = await post(plain, note())
    for (const one of ['a', 'b']) await plain.as('system').entries.create({ text: one })
    const headers = {
      Host: 'api.test',
      Origin: 'https://app.test',
      'X-Request-Id': 'r1',
      'X-Forwarded-For': '203.0.113.9',
      'X-Tenant': 'a',
      'Accept-Language': 'de',
      'X-Key': 'of ann',
      Cookie: 'x-key=a',
      Authorization: 'Bearer a',
      Accept: 'application/problem+json',
      'Accept-Encoding': 'gzip',
      'Content-Type': 'application/merge-patch+json',
      'Content-Length': '16',
      'If-Match': plainly.headers.etag ?? '',
      'If-Unmodified-Since': 'Mon, 01 Jan 2029 00:00:00 GMT',
      Prefer: 'return=minimal',
      'X-Write-Position': 'a',
      Range: 'bytes=0-1',
    }
    const url = `/api/notes/${plainly.value.id}`
    const body = '{"text":"outer"}'
    const { status } = await api.handle({ method: 'PATCH', url, headers, body })
    equal([status, ...results], [204, 201, 1, 200, 200, 200, 1])
    const inherited = {
      host: 'api.test',
      origin: 'https://app.test',
      'x-request-id': 'r1',
      'x-forwarded-for': '203.0.113.9',
      'x-tenant': 'a',
      'accept-language': 'de',
    }
    equal(seen.slice(0, 3), [inherited, { ...inherited, 'x-tenant': 'own' }, inherited])
    const adding = apiWith(logged)
    const keyed = { 'idempotency-key': 'the-same-key-for-all' }
    for (let i = 0; i < 2; i++) {
      const sent = await send(adding, 'POST', '/api/notes', {
        headers: keyed,
        body: note('c'),
        user: ann,
      })
      equal(sent.status, 201)
    }
    equal(await entries(), ['a', 'b', 'c'])
  })

  test('hooks that call themselves by a client of the host end at the same depth', async () => {
    const schema = { sqlite: 'main', postgres: 'public', mysql: '' }[db.name]
    const given: ((args: HookArgs, trx: unknown) => unknown)[] = [
      (_, trx) => trx,
      (args) => args.db.withPlugin(new CamelCasePlugin()),
      (args) => args.db.withoutPlugins().withTables(),
      ...(schema === '' ? [] : [(args: HookArgs) => args.db.withSchema(schema)]),
    ]
    for (const connection of given) {
      let calls = 0
      const errors: string[] = []
      let trx: unknown
      const options = { onError: (error: unknown) => errors.push((error as Error).message) }
      const endless = testApi(
        db,
        models,
        {
          API_ADD_CALLBACK: async (object, _model, args) => {
            calls++
            const own = { db: connection(args, trx) as never }
            await endless.as(ann, own).notes.create(note()).unwrap()
            return object
          },
        },
        { ...options, ...(schema === '' ? {} : { schema }) },
      ) as NotesApi
      const status = await db.kysely.transaction().execute(async (outer) => {
        trx = outer
        return (await endless.as(ann, { db: outer }).notes.create(note())).status
      })
      equal([status, calls], [500, 9], `${connection}`)
      if (connection !== given[0]) {
        calls = 0
        equal([(await post(endless, note())).status, calls], [500, 9], `${connection}`)
      }
      ok(errors[0]?.includes('more than 8'), errors[0])
    }
  })
  const later = () => new Promise((resolve) => setTimeout(resolve, 2))
  const refuse = (): never => {
    throw apiError(409, 'Conflict', 'Not shown.')
  }

  test('a request waits for those that its hooks do not await, and no later one is made', async () => {
    const results: Promise<{ readonly status: number }>[] = []
    let kept: Notes | undefined
    const api = (fails: boolean, refuses = '') =>
      apiWith({
        API_ADD_CALLBACK: async (object, { name }, { as }) => {
          if (name === 'Entry') return object
          const client: Notes = as.system
          kept = client
          for (const one of ['a', 'b', 'c'])
            results.push(client.entries.create({ text: one }).send())
          if (fails) throw apiError(409, 'Conflict', 'Not today.')
          return object
        },
        API_BEFORE_COMMIT_CALLBACK: async (changes) => {
          if (changes.some(({ after }) => after?.text === refuses)) {
            await new Promise((resolve) => setTimeout(resolve, 5))
            throw apiError(409, 'Conflict', 'Not today.')
          }
        },
      })
    const statuses = async () => (await Promise.all(results.splice(0))).map(({ status }) => status)
    for (const hosted of [false, true]) {
      const create = (one: NotesApi) =>
        hosted
          ? db.kysely
              .transaction()
              .execute(async (trx) => await one.as(ann, { db: trx }).notes.create(note()))
          : one.as(ann).notes.create(note())
      equal((await create(api(false, 'b'))).status, 201)
      equal(
        [await statuses(), await entries()],
        [
          [201, 409, 201],
          ['a', 'c'],
        ],
      )
      equal((await kept?.entries.create({ text: 'late' }))?.status, 500)
      await db.kysely.deleteFrom('entries' as never).execute()
      equal((await create(api(true))).status, 409)
      equal([await statuses(), await entries()], [[500, 500, 500], []])
    }
    const reading = apiWith({
      API_RETURN_CALLBACK: (value, { as, model }) => {
        if (model.name === 'Note') results.push(as.system.entries.create({ text: 'read' }).send())
        return value
      },
    })
    await db.kysely.transaction().execute(async (trx) => {
      await reading.as(ann, { db: trx }).notes.list().unwrap()
      equal(
        (
          await trx
            .selectFrom('entries' as never)
            .selectAll()
            .execute()
        ).length,
        1,
      )
    })
    equal(await statuses(), [201])
    await db.kysely.deleteFrom('entries' as never).execute()
    const client = api(false, 'b').as(ann)
    equal((await client.batch([client.notes.create(note())])).status, 200)
    equal(
      [await statuses(), await entries()],
      [
        [201, 409, 201],
        ['a', 'c'],
      ],
    )
  })

  test('hooks of reads and of whole requests have them too', async () => {
    const told: unknown[] = []
    const tell = async (hook: string, { as }: HookArgs | RequestArgs): Promise<void> => {
      const client: Notes = as.user
      const found = await client.notes.list({ fields: ['text'] })
      told.push([hook, found.ok ? found.value.length : found.status])
    }
    let isInside = false
    const api = apiWith({
      API_SETUP_CALLBACK: (_request, args) => once('setup', args),
      API_RETURN_CALLBACK: (value, args) => once('return', args).then(() => value),
      API_FINAL_CALLBACK: (body, args) => once('final', args).then(() => body),
      API_ERROR_CALLBACK: (_error, _request, args) => once('error', args),
      API_AFTER_COMMIT_CALLBACK: async (_changes, args) => once('after commit', args),
    })
    const once = async (hook: string, args: HookArgs | RequestArgs): Promise<void> => {
      if (isInside) return
      isInside = true
      await tell(hook, args).finally(() => {
        isInside = false
      })
    }
    await post(plain, note())
    equal((await send(api, 'GET', '/api/notes', { user: ann })).status, 200)
    const ofNobody = ['setup', 0]
    const read = [ofNobody, ['return', 1], ['final', 1]]
    equal(told.splice(0).slice(0, 3), read)
    equal((await send(api, 'GET', '/api/notes/0', { user: ann })).status, 404)
    ok(JSON.stringify(told.splice(0)).includes('["error",1]'))
    equal((await post(api, note('b'))).status, 201)
    await new Promise((resolve) => setTimeout(resolve, 50))
    ok(JSON.stringify(told).includes('["after commit",2]'), JSON.stringify(told))
  })
})

eachDatabase('the clients of hooks of other callers', (test, db) => {
  const Owned = defineModel('Owned', {
    columns: { id, text, owner_id: { type: 'integer' } },
    meta: {
      access_policy: {
        scope: { owner_id: { eq: ({ user }) => user?.id ?? 0 } },
        can_create: (_, { user }) => user !== null,
      },
    },
  })
  const Vault = defineModel('Vault', {
    columns: { id, text },
    meta: { authenticate_method: ['api_key'] },
  })
  const all = [Owned, Vault] as unknown as AnyModel[]
  test.before(() => createTables(db, [Owned, Vault]))
  test.before.each(async () => {
    for (const { table } of [Owned, Vault]) await db.kysely.deleteFrom(table as never).execute()
  })
  type OwnedApi = Api<{ models: [typeof Owned, typeof Vault] }>

  test('in a request of the system, user is nobody until the caller is known, and then the system', async () => {
    const told: unknown[] = []
    let isInside = false
    const ask = async (hook: string, { as }: HookArgs | RequestArgs): Promise<void> => {
      if (isInside) return
      isInside = true
      const user: Client<OwnedApi> = as.user
      const found = await user.owneds.list()
      const made = await user.owneds.create({ text: hook, owner_id: 9 })
      told.push([hook, found.ok && found.value.length, made.status])
      isInside = false
    }
    const owned = [Owned] as unknown as AnyModel[]
    const api = testApi(
      db,
      owned,
      {
        API_SETUP_CALLBACK: (_request, args) => ask('setup', args),
        API_RETURN_CALLBACK: (value, args) => ask('return', args).then(() => value),
        API_ERROR_CALLBACK: (_error, _request, args) => ask('error', args),
      },
      { onError: () => {} },
    ) as OwnedApi
    const { owneds } = (testApi(db, owned, {}) as OwnedApi).as('system')
    await owneds.create({ text: 'of bob', owner_id: 2 }).unwrap()
    await api.as('system').owneds.list().unwrap()
    equal((await api.as('system').owneds.get(0)).status, 404)
    equal(told, [
      ['setup', 0, 403],
      ['return', 1, 201],
      ['setup', 0, 403],
      ['error', 2, 201],
    ])
  })

  test('a caller is nobody where another strategy is required, as over HTTP', async () => {
    const told: unknown[] = []
    const api = testApi(db, all, {
      API_AUTHENTICATE_METHOD: ['custom', 'api_key'],
      API_CUSTOM_AUTH: ({ headers }) => headers?.['x-weak'] && ann,
      API_KEY_AUTH_AND_RETURN_METHOD: (key) => (key === 'strong' ? ann : undefined),
      API_RETURN_CALLBACK: async (value, { as, model }) => {
        if (model.name !== 'Owned') return value
        told.push((await as.user.vaults.list()).status)
        told.push((await as.user.vaults.create({ text: 'a' })).status)
        return value
      },
    }) as OwnedApi
    const asked = async (headers: Record<string, string>) => {
      const { status } = await api.handle({ method: 'GET', url: '/api/owneds', headers })
      return [status, ...told.splice(0)]
    }
    equal(await asked({ 'x-weak': '1' }), [200, 401, 401])
    equal(await asked({ authorization: 'Api-Key strong' }), [200, 200, 201])
  })
})
