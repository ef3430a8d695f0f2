/**
 * API_BEFORE_COMMIT_CALLBACK is called once, inside the transaction, with every record that a request has written; if it fails,
 * all of them are rolled back.
 */
import { type ApiConfig, apiError, type Change, type HookArgs } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from '../writing/models.ts'

const shown = ({ action, model, key, before, after }: Change): string =>
  `${action} ${model.name} ${key.length} ${before === null ? 'new' : 'old'} ${(after ?? before)?.name ?? (after ?? before)?.title}`

eachDatabase('changes before COMMIT', (test, db) => {
  test.before(() => createLibrary(db))
  const apiWith = (
    callback: NonNullable<ApiConfig['API_BEFORE_COMMIT_CALLBACK']>,
    more: ApiConfig = {},
    onError: (error: unknown) => void = () => {},
  ) =>
    testApi(
      db,
      library,
      { ...everything, API_BEFORE_COMMIT_CALLBACK: callback, ...more },
      { onError },
    )

  test('it receives all records of a nested write, with their keys; its own writes are committed with them', async () => {
    const calls: string[][] = []
    const seen: unknown[] = []
    const api = apiWith(async (changes, args) => {
      calls.push(changes.map(shown))
      seen.push([args.db.isTransaction, args.action, args.model.name, args.user?.id, args.before])
      const [author] = changes
      await args.db
        .insertInto('tags')
        .values({ name: `audit ${author?.after?.id}` })
        .execute()
    })
    const body = { name: 'Ann', books: [{ title: 'Emma' }, { title: 'Persuasion' }] }
    const { status, value } = await send(api, 'POST', '/api/authors', { body, user: { id: 7 } })
    equal(status, 201)
    equal(calls, [
      ['create Author 1 new Ann', 'create Book 1 new Emma', 'create Book 1 new Persuasion'],
    ])
    equal(seen, [[true, 'POST', 'Author', 7, null]])
    equal((await send(api, 'GET', `/api/tags?name__eq=audit%20${value.id}`)).total, 1)
  })

  test('an update and a deletion of one record, which take one statement without the callback', async () => {
    const calls: string[][] = []
    const api = apiWith((changes) => void calls.push(changes.map(shown)))
    const { headers } = await send(api, 'POST', '/api/tags', { body: { name: 'one' } })
    const url = headers.location ?? ''
    await send(api, 'PATCH', url, { body: { name: 'two' } })
    await send(api, 'DELETE', url)
    await send(api, 'GET', '/api/tags')
    equal(calls, [['create Tag 1 new one'], ['update Tag 1 old two'], ['delete Tag 1 old two']])
  })

  test('its error is the response, and nothing is stored', async () => {
    const reported: unknown[] = []
    const failures: readonly [() => Promise<void> | void, number][] = [
      [() => Promise.reject(apiError(409, 'Conflict', 'The month is closed.')), 409],
      [
        () => {
          throw new Error('secret')
        },
        500,
      ],
    ]
    const before = await countRows(db, 'authors', 'books')
    for (const [fail, expected] of failures) {
      const api = apiWith(fail, {}, (error) => void reported.push(error))
      const body = { name: 'Ann', books: [{ title: 'Emma' }] }
      const { status, text } = await send(api, 'POST', '/api/authors', { body })
      equal([status, text.includes('secret')], [expected, false])
    }
    equal(await countRows(db, 'authors', 'books'), before)
    equal(reported.length, 1)
    match(
      String(reported[0]),
      'The before-commit callback of Author (config.API_BEFORE_COMMIT_CALLBACK) failed: secret',
    )
  })

  test('an error names the key of the meta that has the callback', async () => {
    const fail = (): never => {
      throw new Error('secret')
    }
    for (const key of ['before_commit_callback', 'post_before_commit_callback']) {
      const reported: unknown[] = []
      const models = withModel('Tag', ({ meta }) => ({ meta: { ...meta, [key]: fail } }))
      const onError = (error: unknown): void => void reported.push(error)
      const config = { ...everything, API_BEFORE_COMMIT_CALLBACK: () => {} }
      const api = testApi(db, models, config, { onError })
      equal((await send(api, 'POST', '/api/tags', { body: { name: 'x' } })).status, 500)
      match(String(reported[0]), `callback of Tag (models.Tag.meta.${key}) failed: secret`)
    }
  })

  test('it runs before the response is made, and the callback after COMMIT receives the same changes', async () => {
    const order: string[] = []
    const note =
      (name: string) =>
      (changes: readonly Change[], { db: own }: HookArgs): void => {
        order.push(`${name} ${changes.map(shown)} ${own.isTransaction}`)
      }
    const api = apiWith(note('before'), {
      API_RETURN_CALLBACK: (value) => {
        order.push('return')
        return value
      },
      API_AFTER_COMMIT_CALLBACK: note('after'),
    })
    await send(api, 'POST', '/api/tags', { body: { name: 'order' } })
    equal(order, [
      // In a batch the response is made before, too, because later operations may refer to it.
      ...(way === 'batch' ? ['return'] : []),
      'before create Tag 1 new order true',
      'return',
      'after create Tag 1 new order false',
    ])
  })

  test('a list causes one call; a request that changes nothing causes none', async () => {
    const calls: number[] = []
    const api = apiWith((changes) => void calls.push(changes.length))
    const body = ['a', 'b', 'c'].map((name) => ({ name: `list ${name}` }))
    equal((await send(api, 'POST', '/api/tags', { body })).status, 201)
    equal((await send(api, 'PATCH', '/api/tags/999999', { body: { name: 'x' } })).status, 404)
    equal(calls, [3])
  })

  test('the callback of the requested model is called, or the one for its method if there is one', async () => {
    const seen: string[] = []
    const models = withModel('Tag', () => ({
      meta: {
        before_commit_callback: () => void seen.push('model'),
        patch_before_commit_callback: () => void seen.push('PATCH'),
      },
    }))
    const api = testApi(db, models, everything)
    const { headers } = await send(api, 'POST', '/api/tags', { body: { name: 'levels' } })
    await send(api, 'PATCH', headers.location ?? '', { body: { name: 'changed' } })
    equal(seen, ['model', 'PATCH'])
  })

  test('in a batch, a write shows what the callback wrote, a GET what was stored at its place', async () => {
    const api = apiWith(
      async (changes, { db: own }) => {
        const [change] = changes
        const name = `${change?.after?.name} signed`
        await own.updateTable('tags').set({ name }).where('id', '=', change?.key[0]).execute()
      },
      { API_ALLOW_BATCH: true },
    )
    const operations = [
      { id: 'made', method: 'POST', url: '/api/tags', body: { name: 'placed' } },
      { id: 'read', method: 'GET', url: '/api/tags/{made.id}' },
      { id: 'listed', method: 'GET', url: '/api/tags?name__like=placed' },
    ]
    const { status, value } = await send(api, 'POST', '/api/batch', { body: { operations } })
    const [made, read, listed] = value as { value: { name: string } & { name: string }[] }[]
    equal(
      [status, made?.value.name, read?.value.name, listed?.value[0]?.name],
      [200, 'placed signed', 'placed', 'placed'],
    )
    equal((await send(api, 'GET', '/api/tags?name__eq=placed%20signed')).total, 1)
  })

  test('a batch causes one call with the changes of all operations; an error undoes them; a dry run calls it, too', async () => {
    const calls: string[][] = []
    let refuses = false
    const api = apiWith(
      async (changes, args) => {
        calls.push([...changes.map(shown), args.request.url, String(args.db.isTransaction)])
        if (refuses) throw apiError(418, 'Teapot', 'Not today.')
        await args.db.insertInto('tags').values({ name: 'audit of a batch' }).execute()
      },
      { API_ALLOW_BATCH: true },
    )
    const operations = ['first', 'second'].map((name, i) => ({
      id: `o${i}`,
      method: 'POST',
      url: '/api/tags',
      body: { name: `batch ${name}` },
    }))
    const sendBatch = (more = {}) =>
      send(api, 'POST', '/api/batch', { body: { operations, ...more } })
    const before = await countRows(db, 'tags')
    equal((await sendBatch({ dry_run: true })).status, 200)
    refuses = true
    const refused = await sendBatch()
    equal([refused.status, refused.errors?.reason], [418, 'Not today.'])
    equal(await countRows(db, 'tags'), before)
    refuses = false
    equal((await sendBatch()).status, 200)
    const call = [
      'create Tag 1 new batch first',
      'create Tag 1 new batch second',
      '/api/batch',
      'true',
    ]
    equal(calls, [call, call, call])
    equal((await send(api, 'GET', '/api/tags?name__eq=audit%20of%20a%20batch')).total, 1)
  })
})
