/** What every hook is told: action, user, request, model, the record before a change, and the connection of the request. */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  defineModel,
  type HookArgs,
} from '@model-api/core'
import { CamelCasePlugin, type Kysely } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string', maxLength: 40 },
  shelf: { type: 'string', maxLength: 40, nullable: true },
} as const

const Note = defineModel('Note', { columns, meta: {} })

eachDatabase('what hooks are told', (test, db) => {
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

  /** Which hooks were called, with what is asked of their arguments. */
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

  test('a read: the connection itself', async () => {
    const seen = await hooksOf('GET /api/notes/1', ({ action, model, many, db: given, before }) => [
      action,
      model.name,
      many,
      given === db.kysely,
      before,
    ])
    const all = ['GET_ONE', 'Note', false, true, null]
    equal(seen, { filter: all, scope_query: all, dump: all, return: all })
  })

  test('a write: its transaction; what is checked before it begins gets the connection itself', async () => {
    const look = ({ action, db: given }: HookArgs) => `${action} ${given.isTransaction}`
    equal(await hooksOf('POST /api/notes', look, { title: 'second' }), {
      validator: 'POST false',
      default: 'POST true',
      can_create: 'POST true',
      add: 'POST true',
      filter: 'POST true',
      scope_query: 'POST true',
      dump: 'POST true',
      return: 'POST true',
    })
  })

  test('the record before a change', async () => {
    const title = ({ before }: HookArgs) => before?.title ?? null
    const changed = await hooksOf('PATCH /api/notes/1', title, { title: 'other' })
    equal([changed.can_update, changed.update], ['first', 'first'])
    // It looks at the whole record, so that it waits for the stored one.
    equal(changed.validator, 'first')
    const removed = await hooksOf('DELETE /api/notes/1', title)
    equal([removed.can_delete, removed.remove], ['other', 'other'])
  })

  test('what a hook writes there is rolled back with the request', async () => {
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

  test('so is what a default writes there', async () => {
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

  test('it has the plugins of its author, and is that of the session getter', async () => {
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
    ok(seen[0] === own)
    equal((await get(getter, '/api/notes')).status, 200)
  })
})
