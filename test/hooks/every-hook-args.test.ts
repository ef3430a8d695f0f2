/** Every function of the host that concerns a record gets the same members, whatever the request. */
import {
  type AnyModel,
  type ApiConfig,
  defineModel,
  type HookArgs,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const members = [
  'action',
  'as',
  'before',
  'db',
  'lock',
  'many',
  'model',
  'relation_name',
  'request',
  'toColumn',
  'toRecord',
  'toRow',
  'user',
] as const

const id = { type: 'integer', primaryKey: true, generated: true } as const

eachDatabase('the arguments of every hook', (test, db) => {
  const told: { readonly hook: string; readonly args: HookArgs }[] = []
  const tell = <T>(hook: string, args: HookArgs, answer: T): T => {
    told.push({ hook, args })
    return answer
  }

  const Shelf = defineModel('Shelf', {
    columns: { id, name: { type: 'string', maxLength: 20 } },
    relations: {
      notes: hasMany('Note', 'shelf_id'),
      labels: manyToMany('Label', { through: 'shelf_labels', from: 'shelf_id', to: 'label_id' }),
    },
    meta: {
      access_policy: {
        scope: { name: { ne: (args: HookArgs) => tell('value of scope', args, 'zzz') } },
      },
    },
  }) as unknown as AnyModel
  const Label = defineModel('Label', {
    columns: { id, name: { type: 'string', maxLength: 20 } },
    meta: { access_policy: { scope: (args) => tell('scope', args, true) } },
  }) as unknown as AnyModel
  const Note = defineModel('Note', {
    columns: {
      id,
      text: {
        type: 'string',
        maxLength: 20,
        validator: (_value: string, _row: object, args: HookArgs) => tell('validator', args, true),
      },
      shelf_id: { type: 'integer', nullable: true },
      kind: {
        type: 'string',
        maxLength: 20,
        default: (args: HookArgs) => tell('default', args, 'plain'),
        read: (args: HookArgs) => tell('read', args, true),
        write: (args: HookArgs) => tell('write', args, true),
      },
      gone: { type: 'string', maxLength: 40, nullable: true },
    },
    meta: {
      soft_delete: true,
      soft_delete_attribute: 'gone',
      soft_delete_values: [null, (args: HookArgs) => tell('soft-delete value', args, 'gone')],
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
    API_ALLOW_BULK: true,
    API_ALLOW_JOIN: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    API_FILTER_CALLBACK: (query, _model, _params, args) => tell('filter', args, query),
    API_ADD_CALLBACK: (object, _model, args) => tell('add', args, object),
    API_UPDATE_CALLBACK: (object, _model, args) => tell('update', args, object),
    API_REMOVE_CALLBACK: (object, _model, args) => tell('remove', args, object),
    API_DUMP_CALLBACK: (data, args) => tell('dump', args, data),
    API_RETURN_CALLBACK: (result, args) => tell('return', args, result),
    API_BEFORE_COMMIT_CALLBACK: (_changes, args) => tell('before commit', args, undefined),
    API_AFTER_COMMIT_CALLBACK: (_changes, args) => tell('after commit', args, undefined),
  }
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Shelf, [{ name: 'a' }])
    await insertRows(db, Label, [{ name: 'l' }])
    await insertLinks(db, 'shelf_labels', [{ shelf_id: 1, label_id: 1 }])
    await insertRows(
      db,
      Note,
      [1, 2, 3].map(() => ({ text: 'n', shelf_id: 1, kind: 'k' })),
    )
  })

  const user = { id: 7, name: 'Ann' }
  const requests: readonly (readonly [method: string, url: string, body?: unknown])[] = [
    ['GET', '/api/notes'],
    ['GET', '/api/notes/1'],
    ['GET', '/api/shelves?dump=json'],
    ['GET', '/api/shelves/1/notes'],
    ['GET', '/api/shelves?join=labels&exists(notes)'],
    ['POST', '/api/notes', { text: 'x', kind: 'y' }],
    ['POST', '/api/notes', [{ text: 'x' }, { text: 'y' }]],
    ['POST', '/api/shelves', { name: 'b', notes: [{ text: 'x' }], labels: [{ id: 1 }] }],
    ['PATCH', '/api/notes/1', { text: 'z' }],
    ['PATCH', '/api/notes', [{ id: 1, text: 'w' }]],
    ['PATCH', '/api/notes?id__eq=1', { text: 'v' }],
    ['PUT', '/api/notes/1', { text: 'u' }],
    ['POST', '/api/notes?on_conflict=id', { id: 1, text: 't' }],
    ['POST', '/api/notes?on_conflict=id', [{ id: 1, text: 's' }]],
    ['POST', '/api/shelves', [{ name: 'c', notes: [{ text: 'x' }], labels: [{ id: 1 }] }]],
    ['DELETE', '/api/notes/1'],
    ['POST', '/api/notes/1/restore'],
    ['DELETE', '/api/notes?id__in=(2,3)'],
  ]
  const seen = new Set<string>()

  for (const [method, url, body] of requests) {
    test(`${method} ${url} ${JSON.stringify(body) ?? ''}`, async () => {
      told.length = 0
      // can_read is asked about each record of the response.
      const isBulk = Array.isArray(body) || (method !== 'POST' && url.includes('?'))
      const { status, text } = await send(api, method, url, {
        user,
        ...(body === undefined ? {} : { body }),
      })
      ok(status < 300, text)
      await new Promise((resolve) => setImmediate(resolve))
      ok(told.length > 0)
      for (const { hook, args } of told) {
        if (method !== 'GET') equal([hook, args.many], [hook, isBulk && hook !== 'can_read'])
        seen.add(hook)
        const { committed: _, ...own } = args as HookArgs & { committed?: boolean }
        equal(Object.keys(own).sort(), [...members], hook)
        equal([hook, args.user], [hook, user])
        ok(models.includes(args.model as AnyModel), hook)
        ok(typeof args.db.selectFrom === 'function', hook)
        equal([hook, typeof args.many], [hook, 'boolean'])
        const isChange = /^(?:update|remove|can_update|can_delete|soft-delete value)$/.test(hook)
        // A validator that takes the whole record runs after the stored record has been read.
        if (hook !== 'validator') equal([hook, args.before !== null], [hook, isChange])
        if (isChange || /^(?:add|can_create|default|before commit)$/.test(hook)) {
          equal([hook, args.db.isTransaction], [hook, true])
        }
        if (way !== 'batch') equal([hook, args.request.method], [hook, method])
      }
    })
  }

  test('every hook was called', () => {
    equal([...seen].sort(), [
      'add',
      'after commit',
      'before commit',
      'can_create',
      'can_delete',
      'can_read',
      'can_update',
      'default',
      'dump',
      'filter',
      'read',
      'remove',
      'return',
      'scope',
      'scope_query',
      'soft-delete value',
      'update',
      'validator',
      'value of scope',
      'write',
    ])
  })
})
