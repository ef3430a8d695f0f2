/** The arguments of hooks: action, user, request, model, the record before a change, and the connection of the request. */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  defineModel,
  type HookArgs,
  hasMany,
} from '@model-api/core'
import { CamelCasePlugin, type Kysely } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string', maxLength: 40 },
  shelf: { type: 'string', maxLength: 40, nullable: true },
} as const

const Note = defineModel('Note', { columns, meta: {} })

eachDatabase('the arguments of hooks', (test, db) => {
  const told: { hook: string; args: HookArgs }[] = []
  const tell = (hook: string, args: HookArgs): void => void told.push({ hook, args })

  const Told = defineModel('Note', {
    columns: {
      ...columns,
      title: {
        ...columns.title,
        validator: (_value: string, _row: object, args) => {
          tell('validator', args)
          return true
        },
      },
      shelf: {
        ...columns.shelf,
        default: (args) => {
          tell('default', args)
          return 'of the default'
        },
      },
    },
    meta: {
      allow_bulk: true,
      access_policy: {
        scope_query: (query, args) => {
          tell('scope_query', args)
          return query
        },
        can_create: (_data, args) => {
          tell('can_create', args)
          return true
        },
        can_update: (_object, _data, args) => {
          tell('can_update', args)
          return true
        },
        can_delete: (_object, args) => {
          tell('can_delete', args)
          return true
        },
      },
    },
  }) as unknown as AnyModel

  const config: ApiConfig = {
    API_FILTER_CALLBACK: (query, _model, _params, args) => {
      tell('filter', args)
      return query
    },
    API_ADD_CALLBACK: (object, _model, args) => {
      tell('add', args)
      return object
    },
    API_UPDATE_CALLBACK: (object, _model, args) => {
      tell('update', args)
      return object
    },
    API_REMOVE_CALLBACK: (object, _model, args) => {
      tell('remove', args)
      return object
    },
    API_DUMP_CALLBACK: (data, args) => {
      tell('dump', args)
      return data
    },
    API_RETURN_CALLBACK: (result, args) => {
      tell('return', args)
      return result
    },
  }
  const api = testApi(db, [Told], config)

  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ title: 'first', shelf: 'a' }])
  })

  /** Returns what `look` returns for the arguments of each hook that the request called. */
  async function hooksOf<T>(
    request: string,
    look: (args: HookArgs) => T,
    body?: unknown,
  ): Promise<Record<string, T>> {
    const [method = '', url = ''] = request.split(' ')
    told.length = 0
    const { status } = await send(api, method, url, body === undefined ? {} : { body })
    ok(status < 300, `${request}: ${status}`)
    return Object.fromEntries(told.map(({ hook, args }) => [hook, look(args)]))
  }

  test('a read: args.db is the connection itself', async () => {
    const seen = await hooksOf('GET /api/notes/1', ({ action, model, many, db: given, before }) => [
      action,
      model.name,
      many,
      given === db.kysely,
      before,
    ])
    // A read of a batch is in its transaction.
    const all = ['GET_ONE', 'Note', false, way !== 'batch', null]
    equal(seen, { filter: all, scope_query: all, dump: all, return: all })
  })

  test('a write: args.db is its transaction; checks before it begins get the connection itself', async () => {
    const look = ({ action, db: given }: HookArgs) => `${action} ${given.isTransaction}`
    equal(await hooksOf('POST /api/notes', look, { title: 'second' }), {
      // The validator takes the whole record, of which a function makes a default.
      validator: 'POST true',
      default: 'POST true',
      can_create: 'POST true',
      add: 'POST true',
      filter: 'POST true',
      scope_query: 'POST true',
      dump: 'POST true',
      return: 'POST true',
    })
  })

  test('a write: all of its hooks get the same args.db, for one record and for a list', async () => {
    for (const body of [{ title: 'one' }, [{ title: 'two' }, { title: 'three' }]]) {
      const given = Object.values(await hooksOf('POST /api/notes', (args) => args, body))
        .map((args) => args.db)
        .filter(({ isTransaction }) => isTransaction)
      ok(given.length > 2)
      equal(new Set(given).size, 1)
      ok(given[0] !== (db.kysely as unknown))
    }
  })

  test('the record before a change', async () => {
    const title = ({ before }: HookArgs) => before?.title ?? null
    const changed = await hooksOf('PATCH /api/notes/1', title, { title: 'other' })
    equal([changed.can_update, changed.update], ['first', 'first'])
    // The validator takes the whole record, so it runs after the stored one has been read.
    equal(changed.validator, 'first')
    const removed = await hooksOf('DELETE /api/notes/1', title)
    equal([removed.can_delete, removed.remove], ['other', 'other'])
  })

  test('what a hook writes with args.db is rolled back with the request', async () => {
    const count = async () => (await db.kysely.selectFrom('notes').select('id').execute()).length
    const before = await count()
    const writing = testApi(db, [Note], {
      API_ADD_CALLBACK: async (object, _model, { db: own }) => {
        await own.insertInto('notes').values({ title: 'of the callback' }).execute()
        if (object.title === 'refused') throw apiError(409, 'Conflict', 'Not this one.')
        return object
      },
    })
    const body = (title: string) => ({ body: { title } })
    equal((await send(writing, 'POST', '/api/notes', body('refused'))).status, 409)
    equal(await count(), before)
    equal((await send(writing, 'POST', '/api/notes', body('kept'))).status, 201)
    equal(await count(), before + 2)
  })

  test('what a default writes with args.db is rolled back with the request', async () => {
    const count = async () => (await db.kysely.selectFrom('notes').select('id').execute()).length
    const before = await count()
    const Counting = defineModel('Note', {
      columns: {
        ...columns,
        shelf: {
          ...columns.shelf,
          default: async ({ db: own }) => {
            await own.insertInto('notes').values({ title: 'of the default' }).execute()
            return 'x'.repeat(41)
          },
        },
      },
      meta: {},
    })
    const answer = await send(testApi(db, [Counting]), 'POST', '/api/notes', {
      body: { title: 'x' },
    })
    ok(answer.status >= 400 || db.name === 'sqlite', String(answer.status))
    equal(await count(), db.name === 'sqlite' ? before + 2 : before)
  })

  test('a column rule, a policy and a callback get the user, the request and the relation', async () => {
    const seen: unknown[] = []
    const look = (hook: string, { user, request, model, relation_name, db: own }: HookArgs) => {
      const to = relation_name ?? ''
      seen.push([hook, user?.name, request.method, model.name, to, own.isTransaction])
      return true
    }
    const Shelf = defineModel('Shelf', {
      columns: { id: columns.id, name: { type: 'string', maxLength: 40 } },
      relations: { notes: hasMany('Memo', 'shelf_id') },
      meta: { allow_nested_writes: true },
    })
    const Memo = defineModel('Memo', {
      columns: {
        id: columns.id,
        text: {
          type: 'string',
          maxLength: 40,
          read: (args: HookArgs) => look('read', args),
          write: (args: HookArgs) => look('write', args),
        },
        shelf_id: { type: 'integer' },
      },
      meta: {
        access_policy: () => ({
          can_read: (_memo, args) => look('can_read', args),
          can_create: (_memo, args) => look('can_create', args),
        }),
        add_callback: (object, _model, args) => {
          look('add', args)
          return object
        },
      },
    })
    await createTables(db, [Shelf, Memo])
    const own = testApi(db, [Shelf, Memo], { API_SERIALIZATION_TYPE: 'json' })
    const user = { id: 1, name: 'Ann' }
    const body = { name: 'top', notes: [{ text: 'nested' }] }
    const { status, value } = await send(own, 'POST', '/api/shelves', { body, user })
    equal([status, value.notes.length], [201, 1])
    const of = (hook: string) => seen.filter((one) => (one as unknown[])[0] === hook)
    equal(of('write')[0], ['write', 'Ann', 'POST', 'Memo', '', way === 'batch'])
    equal(of('can_create'), [['can_create', 'Ann', 'POST', 'Memo', '', true]])
    equal(of('add'), [['add', 'Ann', 'POST', 'Memo', '', true]])
    equal(of('can_read'), [['can_read', 'Ann', 'POST', 'Memo', 'notes', true]])
    seen.length = 0
    await send(own, 'GET', `/api/shelves/${value.id}/notes`, { user })
    equal(of('read')[0], ['read', 'Ann', 'GET', 'Memo', 'notes', way === 'batch'])
  })

  test('what a callback sets is stored, also columns that clients may not write', async () => {
    const Ticket = defineModel('Ticket', {
      columns: {
        id: columns.id,
        title: { type: 'string', maxLength: 40 },
        number: { type: 'integer', readOnly: true, nullable: true, unique: true },
        author: { type: 'string', maxLength: 40, readOnly: true, nullable: true },
        tenant: { type: 'integer', hidden: true, nullable: true },
        changes: { type: 'integer', readOnly: true, nullable: true },
      },
      meta: {
        allow_bulk: true,
        add_callback: async (object, _model, { db: own, user }) => {
          const rows = await own.selectFrom('tickets').select('number').execute()
          const number = Math.max(0, ...rows.map((row) => Number(row.number))) + 1
          return { ...object, number, author: user.name, tenant: user.tenant, changes: 0 }
        },
        update_callback: (object, _model, { before, user }) => ({
          ...object,
          changes: Number(before?.changes) + 1,
          author: user.name,
        }),
      },
    })
    await createTables(db, [Ticket])
    const own = testApi(db, [Ticket])
    const user = { name: 'Ann', tenant: 7 }
    const post = (body: unknown) => send(own, 'POST', '/api/tickets', { body, user })
    const refused = await post({ title: 'own', number: 9 })
    equal([refused.status, Object.keys(refused.errors.reason)], [400, ['number']])
    const one = await post({ title: 'one' })
    const list = await post([{ title: 'two' }, { title: 'three' }])
    equal(
      [one.value.number, list.value.map(({ number }: { number: number }) => number)],
      [1, [2, 3]],
    )
    const url = one.headers.location ?? ''
    const bob = { name: 'Bob', tenant: 8 }
    const patched = await send(own, 'PATCH', url, { body: { title: 'changed' }, user: bob })
    equal([patched.value.changes, patched.value.author], [1, 'Bob'])
    const stored = db.kysely.selectFrom('tickets').select(['number', 'author', 'tenant'])
    equal(await stored.orderBy('number').execute(), [
      { number: 1, author: 'Bob', tenant: 7 },
      { number: 2, author: 'Ann', tenant: 7 },
      { number: 3, author: 'Ann', tenant: 7 },
    ])
  })

  test('args.db has the plugins of the host’s instance, and is the instance of the session getter', async () => {
    const own = db.kysely.withPlugin(new CamelCasePlugin())
    const seen: Kysely<object>[] = []
    const models = [
      defineModel('Note', {
        columns: {
          ...columns,
          title: {
            ...columns.title,
            validator: (_value: string, _row: object, args) => {
              seen.push(args.db)
              return true
            },
          },
        },
        meta: {},
      }) as unknown as AnyModel,
    ]
    const getter = testApi(db, models, { API_SESSION_GETTER: async () => own })
    equal((await send(getter, 'POST', '/api/notes', { body: { title: 'x' } })).status, 201)
    equal(seen.length, 1)
    if (way === 'batch') ok(seen[0]?.isTransaction)
    else ok(seen[0] === own)
    equal((await get(getter, '/api/notes')).status, 200)
  })
})
