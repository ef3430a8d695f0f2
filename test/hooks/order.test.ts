/** The order in which a request meets the functions of the host: what is refused early calls nothing that comes later. */
import { type AnyModel, apiError, defineModel, type HookArgs } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { way } from '../support/path.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const title = { type: 'string', maxLength: 20 } as const

suite('hooks in order', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  let calls: string[] = []
  /** Refuses at this point. */
  let refuses: string | undefined
  const call = <T>(name: string, result: T): T => {
    calls.push(name)
    if (name === refuses) throw apiError(418, 'Teapot', name)
    return result
  }
  /** Notes also how many records the transaction has. */
  const counted = async <T>(name: string, { db: own }: HookArgs, result: T): Promise<T> => {
    const rows = await own.selectFrom('notes').select('id').execute()
    return call(`${name} (${rows.length} stored)`, result)
  }

  const Note = defineModel('Note', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      title: { ...title, validator: () => call('validator', true) },
      by: { ...title, read: () => call('right of a column', true) },
    },
    meta: {
      access_policy: {
        scope_query: (query) => call('scope', query),
        can_read: () => call('can_read', true),
        can_create: (_data, args) => counted('can_create', args, true),
        can_update: () => call('can_update', true),
        can_delete: () => call('can_delete', true),
      },
    },
  }) as unknown as AnyModel
  const User = {
    get roles() {
      return call('roles', ['editor'])
    },
  }
  const api = testApi(db, [Note], {
    API_AUTHENTICATE_METHOD: ['custom'],
    API_CUSTOM_AUTH: () => call('authenticate', User),
    API_ROLE_MAP: { ALL: 'editor' },
    API_SETUP_CALLBACK: () => call('setup', undefined),
    API_FILTER_CALLBACK: (query) => call('filter', query),
    API_ADD_CALLBACK: (object, _model, args) => counted('add', args, object),
    API_UPDATE_CALLBACK: (object) => call('update', object),
    API_REMOVE_CALLBACK: (object) => call('remove', object),
    API_DUMP_CALLBACK: (data) => call('dump', data),
    API_RETURN_CALLBACK: (result, args) => counted('return', args, result),
    API_FINAL_CALLBACK: (body) => call('final', body),
    API_BEFORE_COMMIT_CALLBACK: () => call('before commit', undefined),
    API_AFTER_COMMIT_CALLBACK: () => call('after commit', undefined),
    API_ERROR_CALLBACK: () => call('error', undefined),
  })
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ title: 'first', by: 'a' }])
  })
  test.after(() => db.close())

  const admitted = ['setup', 'authenticate', 'roles', 'right of a column']
  const read = [...admitted, 'filter', 'scope', 'can_read', 'dump']
  const echo = ['filter', 'scope', 'can_read', 'dump']
  const stored = ['after commit']
  const told = 'before commit'
  const created = [
    ...admitted,
    'validator',
    'can_create (1 stored)',
    'add (1 stored)',
    told,
    ...echo,
  ]
  const changed = [...admitted, 'validator', 'scope', 'can_update', 'update', told, ...echo]
  const removed = [...admitted, 'scope', 'can_delete', 'remove', told]
  /** In a batch the response is made before the callback, because later operations may refer to it, and anew after it. */
  const sent = (calls: readonly string[]): readonly string[] => {
    const at = calls.indexOf(told)
    if (way !== 'batch' || at === -1) return calls
    const shown = calls.slice(at + 1).filter((name) => name !== 'after commit')
    return [...calls.slice(0, at), ...shown, ...calls.slice(at)]
  }
  const one = 'return (1 stored)'
  const requests: readonly (readonly [
    request: string,
    body: object | undefined,
    status: number,
    calls: readonly string[],
  ])[] = [
    ['GET /api/notes/1', undefined, 200, [...read, one, 'final']],
    [
      'GET /api/notes',
      undefined,
      200,
      [...read.filter((name) => name !== 'can_read'), one, 'final'],
    ],
    ['GET /api/notes/9', undefined, 404, [...read.slice(0, 6), 'error', 'final']],
    ['GET /api/notes?titel__eq=x', undefined, 400, [...admitted, 'error', 'final']],
    ['GET /api/nothing', undefined, 404, ['error', 'final']],
    ['PATCH /api/notes/1', { title: 'next' }, 200, [...changed, one, 'final', ...stored]],
    ['PATCH /api/notes/1', { titel: 'x' }, 400, [...admitted, 'error', 'final']],
    [
      'POST /api/notes',
      { title: 'x', by: 'b' },
      201,
      [...created, 'return (2 stored)', 'final', ...stored],
    ],
    ['POST /api/notes', { title: 7, by: 'b' }, 400, [...admitted, 'error', 'final']],
    ['DELETE /api/notes/2', undefined, 200, [...removed, one, 'final', ...stored]],
  ]
  const ask = async (request: string, body: object | undefined) => {
    calls = []
    const [method = '', url = ''] = request.split(' ')
    const { status } = await send(api, method, url, body === undefined ? {} : { body })
    await new Promise((resolve) => setImmediate(resolve))
    return status
  }

  for (const [request, body, status, expected] of requests) {
    test(`${request} ${JSON.stringify(body) ?? ''}`, async () => {
      refuses = undefined
      // A batch that succeeds has a body of its own.
      const ofBatch = way === 'batch' && status < 300 ? ['final'] : []
      equal([await ask(request, body), calls], [status, [...sent(expected), ...ofBatch]])
    })
  }

  test('an error in any hook ends the request there, stores nothing, and is passed to error and final', async () => {
    const change = ['PATCH /api/notes/1', { title: 'never' }] as const
    const points = sent([...changed, one])
    for (const [i, point] of points.entries()) {
      // These are called a second time.
      if (points.indexOf(point) !== i) continue
      refuses = point
      equal([point, await ask(...change)], [point, 418])
      equal([point, calls.slice(-2)], [point, ['error', 'final']])
      // final has been called for the response already.
      const before = calls.slice(0, -2).filter((name) => name !== 'final')
      equal([point, before], [point, points.slice(0, i + 1)])
      const rows = await db.kysely.selectFrom('notes').select('title').execute()
      equal([point, rows], [point, [{ title: 'next' }]])
    }
  })
})
