/** api.as: the client in this process as a user, as nobody and as the system, also in a transaction of the host; and `user` of handle. */
import { type AnyModel, type Api, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { send, testApi } from '../support/api.ts'
import { equal, ok, rejects, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Note = defineModel('Note', {
  columns: {
    id,
    text: { type: 'string', maxLength: 20, unique: true },
    owner_id: { type: 'integer' },
    price: { type: 'integer', nullable: true, read: 'clerk', write: 'clerk' },
    secret: { type: 'integer', nullable: true, read: ({ user }) => user?.id === 2 },
  },
  meta: {
    access_policy: {
      scope: { owner_id: { eq: ({ user }) => user?.id ?? 0 } },
      can_create: (note, { user }) => note.owner_id === user?.id,
    },
  },
})
const Ledger = defineModel('Ledger', {
  columns: { id, text: { type: 'string', maxLength: 20 } },
  meta: { role_map: { ALL: 'clerk' } },
})
const models = [Note, Ledger]
type Notes = Api<{ models: [typeof Note, typeof Ledger] }>

const ann = { id: 1, roles: [] }
const bob = { id: 2, roles: ['clerk'] }

/** A user is found by a header; requests without it are refused. */
const config: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['custom'],
  API_CUSTOM_AUTH: ({ headers }) => [ann, bob].find(({ id }) => `${id}` === headers?.['x-user']),
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_UPSERT: true,
}

eachDatabase('api.as', (test, db) => {
  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const { table } of models) await db.kysely.deleteFrom(table as never).execute()
  })
  const api = testApi(db, models as unknown as AnyModel[], config) as Notes
  const system = api.as('system')
  const byHeader = (user: { readonly id: number }) =>
    createClient<Notes>('http://api.test', {
      fetch: api.fetch,
      headers: { 'x-user': `${user.id}` },
    })
  const texts = async (client = system): Promise<string[]> =>
    (await client.notes.list({ fields: ['text'], orderBy: ['text'] }).unwrap()).map(
      ({ text }) => text,
    )

  test('answers each user as over HTTP: policies, roles, rights of columns, validation', async () => {
    await system.notes.createMany([
      { text: 'of ann', owner_id: 1, price: 5 },
      { text: 'of bob', owner_id: 2, price: 6 },
    ])
    const [first] = await api.as(ann).notes.list().unwrap()
    const key = first?.id ?? 0
    const requests = [
      (client: typeof system) => client.notes.list(),
      (client: typeof system) => client.notes.list({ where: { owner_id: 2 } }),
      (client: typeof system) => client.notes.list({ where: { price: { gt: 1 } } }),
      (client: typeof system) => client.notes.get(key),
      (client: typeof system) => client.notes.get(key, { fields: ['price'] }),
      (client: typeof system) => client.notes.create({ text: 'x', owner_id: 3 }),
      (client: typeof system) => client.notes.create({ text: 'x'.repeat(30), owner_id: 1 }),
      (client: typeof system) => client.notes.update(key, { text: 'of bob' }),
      (client: typeof system) => client.notes.update(key, { price: 7 }),
      (client: typeof system) => client.ledgers.list(),
      (client: typeof system) => client.ledgers.create({ text: 'a' }),
      (client: typeof system) => client.notes.removeMany({ owner_id: 1 }, { maxAffected: 0 }),
    ]
    for (const user of [ann, bob]) {
      for (const request of requests) {
        const { ok: isOk, ...sent } = await request(byHeader(user))
        const { ok: isOkHere, ...here } = await request(api.as(user))
        const about = `${request} of ${user.id}`
        // The ledger gives each record a new key.
        const told = (one: typeof sent | typeof here) =>
          'error' in one
            ? { ...one.error, cause: undefined, stack: undefined, message: one.error.message }
            : { ...one, headers: undefined, ...(`${request}`.includes("'a'") && ofNewRecord) }
        equal([isOkHere, told(here)], [isOk, told(sent)], about)
      }
    }
  })
  const ofNewRecord = { value: undefined, etag: undefined }

  test('of nobody, of a user without a record, and nothing else', async () => {
    const nobody = await api.as(null).notes.list()
    equal(
      [nobody.ok, nobody.status, !nobody.ok && nobody.error.code],
      [false, 401, 'authorization_missing'],
    )
    const { status } = await send(api as Api, 'GET', '/api/notes')
    equal(status, 401)
    equal(await api.as(true).notes.list().unwrap(), [])
    for (const user of [undefined, 'ann', 7, false]) throws(() => api.as(user as never))
    for (const on of [{}, null, false, '']) throws(() => api.as(ann, { db: on as never }))
  })

  test('no role restricts the system, rights of columns and policies, and not validation', async () => {
    await system.notes.create({ text: 'of ann', owner_id: 1, price: 5, secret: 6 }).unwrap()
    const [whole] = await system.notes.list({ where: { secret: 6 } }).unwrap()
    equal([whole?.price, whole?.secret], [5, 6])
    equal((await system.ledgers.create({ text: 'a' })).status, 201)
    equal((await system.ledgers.list().unwrap()).length, 1)
    const long = await system.notes.create({ text: 'x'.repeat(30), owner_id: 1 })
    ok(!long.ok)
    equal([long.status, long.error.problems.map(({ path }) => path)], [400, ['text']])
    equal((await system.notes.replace(1, { text: 'x', owner_id: 1 })).status, 405)
    const upserted = await system.notes.create(
      { text: 'of ann', owner_id: 2 },
      { onConflict: 'text' },
    )
    equal(upserted.status, 200)
  })

  test('a plan that was cached for the system never serves a user, and the other way round', async () => {
    await system.notes.createMany([
      { text: 'of ann', owner_id: 1 },
      { text: 'of bob', owner_id: 2 },
    ])
    const all = ['of ann', 'of bob']
    const others = { API_ALLOW_JOIN: true }
    for (const first of ['system', 'user'] as const) {
      const fresh = testApi(db, models as unknown as AnyModel[], { ...config, ...others }) as Notes
      const asked = async (): Promise<readonly string[][]> => [
        await texts(fresh.as('system')),
        await texts(fresh.as('system')),
      ]
      if (first === 'system') equal(await asked(), [all, all])
      for (let i = 0; i < 3; i++) {
        equal(await texts(fresh.as(ann)), ['of ann'])
        equal(await texts(fresh.as(bob)), ['of bob'])
      }
      equal(await asked(), [all, all])
      equal(await texts(fresh.as(ann)), ['of ann'])
    }
    // The plan by which a written record is read.
    for (let i = 0; i < 3; i++) {
      const foreign = { text: `${i}`, owner_id: 9 }
      ok((await system.notes.create(foreign, { fields: ['text'] }).unwrap()) !== null)
      const key = { text: `ann ${i}`, owner_id: 1 }
      const made = await api
        .as(ann)
        .notes.create(key, { fields: ['id', 'text'] })
        .unwrap()
      const patch = { owner_id: 9 }
      const moved = await api.as(ann).notes.update(made?.id ?? 0, patch, { fields: ['text'] })
      equal([moved.status, moved.ok && moved.value], [200, null])
    }
  })

  test('a key of idempotency belongs to the system or to a user', async () => {
    const options = { idempotencyKey: 'the-same-key-for-all' }
    const note = { text: 'once', owner_id: 1 }
    const made = await system.notes.create(note, options)
    equal(made.status, 201)
    const again = await system.notes.create(note, options)
    equal([again.ok && again.headers.get('idempotency-replayed')], ['true'])
    equal((await api.as(ann).notes.create(note, options)).status, 409)
    const open = testApi(db, models as unknown as AnyModel[], { API_ALLOW_BATCH: true }) as Notes
    const shared = { idempotencyKey: 'another-key-for-all' }
    const ledger = { text: 'of the system' }
    const first = await open.as('system').ledgers.create(ledger, shared)
    const other = await open.as('system').notes.create({ text: 'other', owner_id: 0 }, shared)
    equal([first.status, other.status], [201, 201])
    const replays = await open.as(null).notes.create({ text: 'other', owner_id: 0 }, shared)
    // Nobody may create notes; the stored response is not theirs.
    equal([replays.status, !replays.ok && replays.error.code], [403, 'forbidden'])
    const [batch] = await system.batch([system.notes.list({ fields: ['text'] })], options).unwrap()
    equal(batch?.length, 2)
    const ofAnn = api.as(ann)
    const mine = await ofAnn.batch([ofAnn.notes.list({ fields: ['text'] })], options)
    equal([mine.ok && mine.headers.get('idempotency-replayed')], [null])
  })

  test('a batch refuses the calls of another client, whose caller it does not have', async () => {
    await system.notes.create({ text: 'of ann', owner_id: 1 })
    for (const [client, other] of [
      [system, api.as(ann)],
      [api.as(ann), system],
      [api.as(ann), api.as(ann)],
    ] as const) {
      throws(() => client.batch([client.notes.list(), other.notes.list()]), /made with its client/)
      const [found] = await client.batch([client.notes.list()]).unwrap()
      equal(found?.length, 1)
    }
  })

  test('a strategy cannot return the name of the system as its user', async () => {
    const errors: unknown[] = []
    const named = testApi(
      db,
      models as unknown as AnyModel[],
      { ...config, API_CUSTOM_AUTH: () => 'system' },
      { onError: (error) => errors.push(error) },
    )
    const request = { method: 'GET', url: '/', headers: {} }
    await rejects(async () => named.authenticate(request))
    equal((await send(named, 'GET', '/api/notes')).status, 401)
    ok(errors.length === 2 && errors.every((error) => String(error).includes("'system'")))
  })

  test('in a transaction of the host: stored with it, and rolled back with it', async () => {
    const write = async (fails: boolean): Promise<void> => {
      await db.kysely.transaction().execute(async (trx) => {
        const client = api.as(ann, { db: trx })
        await client.notes.create({ text: 'inside', owner_id: 1 }).unwrap()
        equal(await texts(client), ['inside'])
        const rows = await trx
          .selectFrom('notes' as never)
          .selectAll()
          .execute()
        equal(rows.length, 1)
        if (fails) throw new Error('back')
      })
    }
    await write(true).catch(() => {})
    equal(await texts(), [])
    await write(false)
    equal(await texts(), ['inside'])
  })

  test('a write that fails there changes nothing, says why, and the transaction goes on', async () => {
    await system.notes.create({ text: 'taken', owner_id: 9 })
    const mine = { text: 'mine', owner_id: 1 }
    const { id: first } = (await api.as(ann).notes.create(mine).unwrap()) ?? { id: 0 }
    const { id: second } = (await api
      .as(ann)
      .notes.create({ ...mine, text: 'mine 2' })
      .unwrap()) ?? {
      id: 0,
    }
    const told = await db.kysely.transaction().execute(async (trx) => {
      const client = api.as(ann, { db: trx })
      const both = await client.notes.createMany([
        { text: 'new', owner_id: 1 },
        { text: 'taken', owner_id: 1 },
      ])
      const one = await client.notes.create({ text: 'taken', owner_id: 1 })
      const each = await client.notes.updateEach([
        { id: first, text: 'changed' },
        { id: second, owner_id: 1, text: 'taken' },
      ])
      const batch = await client.batch([
        client.notes.create({ text: 'in a batch', owner_id: 1 }),
        client.notes.create({ text: 'taken', owner_id: 1 }),
      ])
      const last = await client.notes.create({ text: 'last', owner_id: 1 })
      return [both, one, each, batch, last].map((result) =>
        result.ok ? result.status : [result.status, result.error.code, result.error.problems],
      )
    })
    const taken = [409, 'unique_violation']
    equal(
      told.map((one) => (Array.isArray(one) ? one.slice(0, 2) : one)),
      [taken, taken, taken, taken, 201],
    )
    equal(
      (told[1] as [number, string, { path: string }[]])[2].map(({ path }) => path),
      ['text'],
    )
    equal(await texts(), ['last', 'mine', 'mine 2', 'taken'])
  })

  test('calls on one transaction take their turns', async () => {
    await system.notes.create({ text: 'taken', owner_id: 9 })
    await db.kysely.transaction().execute(async (trx) => {
      const client = api.as(ann, { db: trx })
      const other = api.as(bob, { db: trx })
      const results = await Promise.all([
        client.notes.create({ text: 'a', owner_id: 1 }),
        client.notes.create({ text: 'taken', owner_id: 1 }),
        other.notes.create({ text: 'b', owner_id: 2 }),
        client.notes.create({ text: 'taken', owner_id: 1 }),
        other.notes.list({ fields: ['text'] }),
      ])
      equal(
        results.map(({ status }) => status),
        [201, 409, 201, 409, 200],
      )
      const last = results[4]
      equal(last.ok && last.value, [{ text: 'b' }])
    })
    equal(await texts(), ['a', 'b', 'taken'])
  })

  test('counts against no limit, has the hooks of the API, and an error with its cause', async () => {
    const seen: unknown[] = []
    const limited = testApi(
      db,
      models as unknown as AnyModel[],
      {
        ...config,
        API_RATE_LIMIT: '1 per minute',
        API_SETUP_CALLBACK: ({ user, headers }) => void seen.push([user, headers?.['x-of']]),
        API_RETURN_CALLBACK: (value) => (Array.isArray(value) ? [...value, 'returned'] : value),
        API_FINAL_CALLBACK: (body) => ({ ...(body as object), value: 'final' }),
        API_REMOVE_CALLBACK: () => {
          throw apiError(409, 'Conflict', { text: ['Kept.'] }, 'kept')
        },
      },
      { onError: () => {} },
    ) as Notes
    const client = limited.as(ann)
    for (let i = 0; i < 3; i++) equal((await client.notes.list()).status, 200)
    const page = await client.notes.list({ headers: { 'X-Of': 'me' } })
    equal(page.ok && page.value, 'final' as never)
    equal(seen.at(-1), [ann, 'me'])
    const made = await client.notes.create({ text: 'a', owner_id: 1 })
    equal(made.status, 201)
    const [{ id: key } = { id: 0 }] = await api.as(ann).notes.list().unwrap()
    const kept = await client.notes.remove(key)
    ok(!kept.ok)
    equal([kept.status, kept.error.code], [409, 'kept'])
    const broken = testApi(
      db,
      models as unknown as AnyModel[],
      {
        ...config,
        API_ADD_CALLBACK: () => {
          throw new Error('a mistake')
        },
      },
      { onError: () => {} },
    ) as Notes
    const failed = await broken.as(ann).notes.create({ text: 'b', owner_id: 1 })
    ok(!failed.ok && failed.error.cause instanceof Error)
    equal([failed.status, failed.error.cause.message.includes('a mistake')], [500, true])
    ok(!failed.error.message.includes('a mistake'))
  })

  test('values are JSON values of its own', async () => {
    const body = { text: 'a', owner_id: 1 }
    const dated = { toJSON: () => 'from toJSON' } as unknown as string
    const { id: key } = (await api.as(ann).notes.create(body).unwrap()) ?? { id: 0 }
    body.text = 'changed later'
    equal((await api.as(ann).notes.get(key).unwrap()).text, 'a')
    equal((await api.as(ann).notes.update(key, { text: dated }).unwrap())?.text, 'from toJSON')
    const circular: Record<string, unknown> = {}
    circular.text = circular
    const refused = await api.as(ann).notes.update(key, circular as never)
    equal([refused.ok, refused.status], [false, 0])
  })

  test('explainAccess says aloud what the system passes', async () => {
    const explained = await api.explainAccess('system', { method: 'POST', url: '/api/notes' })
    equal(
      [explained.allowed, explained.steps.map(({ because }) => because)],
      [
        true,
        [
          'POST /api/notes is POST',
          'custom protects every request; the caller is the system',
          'no role rule speaks of it',
          'no policy restricts the system',
        ],
      ],
    )
    const ledgers = await api.explainAccess('system', { method: 'GET', url: '/api/ledgers' })
    equal(ledgers.steps[2]?.because, 'it takes clerk; no role restricts the system')
    equal((await api.explainAccess(ann, { method: 'GET', url: '/api/ledgers' })).status, 403)
  })

  test('handle and answer with a user answer as that user, whatever the credentials', async () => {
    await system.notes.create({ text: 'of ann', owner_id: 1 })
    const request = { method: 'GET', url: '/api/notes', headers: { 'X-User': '2' } }
    const toldTo = async (user: unknown) => {
      const { status, body } = await api.handle<{ text: string }[]>({ ...request, user })
      return [status, body?.value?.map(({ text }) => text)]
    }
    equal(await toldTo(undefined), [200, []])
    equal(await toldTo(ann), [200, ['of ann']])
    equal(await toldTo(null), [401, undefined])
    for (const falsy of ['', 0, Number.NaN, 0n, false]) equal(await toldTo(falsy), [401, undefined])
    // A name is no authority.
    equal(await toldTo('system'), [200, []])
    const { text } = await api.answer({ method: 'GET', url: '/api/notes', headers: {}, user: ann })
    ok(text?.includes('of ann'), text)
  })
})

eachDatabase('api.as, with other paths and bodies', (test, db) => {
  const Order = defineModel('Order', {
    columns: {
      id,
      text: { type: 'string', maxLength: 20 },
      data: { type: 'json', nullable: true },
    },
    meta: { register_canonical_routes: false, endpoint: 'shop/orders' },
  })
  test.before(() => createTables(db, [Order]))
  const api = testApi(db, [Order] as unknown as AnyModel[], {
    API_PREFIX: '/v2',
    API_ENDPOINT_CASE: 'snake',
    API_DUMP_ENVELOPE: false,
    API_ALLOW_BATCH: true,
    API_BATCH_ROUTE: '/several',
    API_ALLOW_AGGREGATION: true,
  }) as Api<{ models: [typeof Order] }>

  test('the client knows the settings of its API', async () => {
    const client = api.as(null)
    const data = { n: 12, list: [1, { deep: null }] }
    const [made] = await client.batch([client.orders.create({ text: 'a', data })]).unwrap()
    equal(made?.data, data)
    const page = await client.orders.list({ limit: 1 })
    equal(page.ok && [page.value, page.total], [[made], 1])
  })

  test('numbers are those of JSON.parse', async () => {
    const text = '{"text":"big","data":{"n":123456789012345678901234567890,"10":1,"9":2}}'
    const headers = { 'content-type': 'application/json' }
    await api.handle({ method: 'POST', url: '/v2/shop/orders', headers, body: text })
    const [big] = await api
      .as(null)
      .orders.list({ where: { text: 'big' } })
      .unwrap()
    const expected = JSON.parse(text).data
    equal([big?.data, JSON.stringify(big?.data)], [expected, JSON.stringify(expected)])
  })
})
