/**
 * API_AFTER_COMMIT_CALLBACK is called once, after COMMIT, with every record that a request has written, and never with one that
 * was rolled back.
 */
import {
  type AfterCommitArgs,
  type AnyModel,
  type Api,
  type ApiConfig,
  apiError,
  type Change,
} from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTeams, fillTeams, modelsWith } from '../writing/link-worlds.ts'
import { countRows, createLibrary, everything, library, withModel } from '../writing/models.ts'

/** The arguments of each call: the changes, and the rest. */
interface Told {
  readonly calls: (readonly Change[])[]
  readonly args: AfterCommitArgs[]
  readonly api: Api
}

function telling(
  db: TestDatabase,
  models: readonly AnyModel[] = library,
  more: ApiConfig = {},
  options: Parameters<typeof testApi>[3] = {},
): Told {
  const calls: (readonly Change[])[] = []
  const args: AfterCommitArgs[] = []
  const config: ApiConfig = {
    ...everything,
    API_AFTER_COMMIT_CALLBACK: (changes, given) => {
      calls.push(changes)
      args.push(given)
    },
    ...more,
  }
  return { calls, args, api: testApi(db, models, config, options) }
}

/** The changes of the only call, as `create Book Emma`. */
function only({ calls }: Told): readonly Change[] {
  equal(calls.length, 1)
  const [changes = []] = calls.splice(0)
  return changes
}

const nameOf = ({ before, after }: Change): unknown => {
  const record = after ?? before
  return record?.name ?? record?.title ?? record?.motto
}
const shown = (change: Change): string => `${change.action} ${change.model.name} ${nameOf(change)}`

const post = (
  api: Api,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => send(api, 'POST', url, { body, headers })

eachDatabase('changes after COMMIT', (test, db) => {
  /** An error like that of a transaction which the database has rolled back and which may be repeated. */
  const conflict = (): Error => {
    const codes = { sqlite: 'SQLITE_BUSY_SNAPSHOT', postgres: '40001', mysql: 'ER_LOCK_DEADLOCK' }
    const cause = { code: codes[db.name], errno: db.name === 'mysql' ? 1213 : undefined }
    return Object.assign(apiError(503, 'Service Unavailable', 'again'), { cause })
  }
  test.before(() => createLibrary(db))
  const plain = testApi(db, library, everything)

  test('one record, with what the database and the callbacks have filled in; before is null', async () => {
    const told = telling(db, library, {
      API_ADD_CALLBACK: (object) => ({ ...object, secret: 'hidden', shelf: 'A1' }),
    })
    const { value } = await post(told.api, '/api/authors', { name: 'Ann' })
    const [change, ...others] = only(told)
    equal([others, change?.action, change?.model.name], [[], 'create', 'Author'])
    equal([change?.key, change?.before], [[value.id], null])
    const { id, name, secret, shelf, email, deleted, createdAt } = change?.after ?? {}
    equal(
      [id, name, secret, shelf, email, deleted, createdAt],
      [value.id, 'Ann', 'hidden', 'A1', null, false, value.createdAt],
    )
    equal(change?.links, undefined)
  })

  test('the arguments: the connection itself, after COMMIT', async () => {
    const told = telling(db)
    await send(told.api, 'POST', '/api/tags', { body: { name: 'args' }, user: { id: 7 } })
    const [args] = told.args
    equal(
      [args?.committed, args?.action, args?.model.name, args?.many, args?.before, args?.user?.id],
      [true, 'POST', 'Tag', false, null, 7],
    )
    ok(args?.db === db.kysely)
  })

  test('it is called after the record is committed', async () => {
    let seen: Promise<unknown> | undefined
    const told = telling(db, library, {
      API_AFTER_COMMIT_CALLBACK: ([change], { db: own }) => {
        seen = own.selectFrom('tags').select('name').where('id', '=', change?.key[0]).execute()
      },
    })
    await post(told.api, '/api/tags', { name: 'seen' })
    equal(await seen, [{ name: 'seen' }])
  })

  test('PATCH, PUT, DELETE of a row, with before and after', async () => {
    const told = telling(db)
    const { headers, value } = await post(plain, '/api/books', {
      title: 'Emma',
      sold: '9007199254740993',
    })
    const url = headers.location ?? ''
    await send(told.api, 'PATCH', url, { body: { title: 'Persuasion' } })
    const [patched] = only(told)
    equal(
      [patched?.action, patched?.key, patched?.before?.title, patched?.after?.title],
      ['update', [value.id], 'Emma', 'Persuasion'],
    )
    equal([patched?.before?.sold, patched?.after?.sold], ['9007199254740993', '9007199254740993'])
    await send(told.api, 'PUT', url, { body: { title: 'Sanditon' } })
    const [put] = only(told)
    equal([put?.action, put?.after?.title, put?.after?.sold], ['update', 'Sanditon', null])
    await send(told.api, 'DELETE', url)
    const [removed] = only(told)
    equal(
      [removed?.action, removed?.key, removed?.before?.title, removed?.after],
      ['delete', [value.id], 'Sanditon', null],
    )
  })

  test('a soft delete is a delete, undoing it a restore; the row stays', async () => {
    const told = telling(db)
    const { headers } = await post(plain, '/api/authors', { name: 'Soft' })
    const url = headers.location ?? ''
    await send(told.api, 'DELETE', url)
    const [removed] = only(told)
    equal(
      [removed?.action, removed?.before?.deleted, removed?.after?.deleted],
      ['delete', false, true],
    )
    await send(told.api, 'POST', `${url}/restore`)
    const [restored] = only(told)
    equal(
      [restored?.action, restored?.before?.deleted, restored?.after?.deleted],
      ['restore', true, false],
    )
  })

  test('nested records of every kind, in one call; links of an unpublished junction with their record', async () => {
    const told = telling(db)
    const { value: known } = await post(plain, '/api/tags', { name: 'known' })
    const { value } = await post(told.api, '/api/books', {
      title: 'Nested',
      author: { name: 'Parent', profile: { motto: 'Child' } },
      tags: [{ id: known.id }, { name: 'made' }],
      copies: [{ branch: 'north', number: 1 }],
    })
    const changes = only(told)
    equal(changes.map(shown).sort(), [
      'create Author Parent',
      'create Book Nested',
      'create Copy undefined',
      'create Profile Child',
      'create Tag made',
    ])
    const made = changes.find(({ model }) => model.name === 'Tag')
    const book = changes.find(({ model }) => model.name === 'Book')
    equal(book?.links, { tags: { added: [[known.id], made?.key], removed: [] } })
    equal(changes.find(({ model }) => model.name === 'Copy')?.key, ['north', 1])
    // The list replaces the links and changes no column.
    await send(told.api, 'PATCH', `/api/books/${value.id}`, { body: { tags: [{ id: known.id }] } })
    const [changed, ...others] = only(told)
    equal(others, [])
    equal(
      [changed?.action, changed?.before, changed?.before?.title],
      ['update', changed?.after, 'Nested'],
    )
    equal(changed?.links, { tags: { added: [], removed: [made?.key] } })
    // The same list again changes nothing.
    await send(told.api, 'PATCH', `/api/books/${value.id}`, { body: { tags: [{ id: known.id }] } })
    equal(told.calls, [])
    await send(plain, 'DELETE', '/api/copies/north,1')
    // Deleting a record deletes its links.
    await send(told.api, 'DELETE', `/api/books/${value.id}`)
    equal(only(told).map(shown), ['delete Book Nested'])
  })

  test('a child that moves to another parent is an update', async () => {
    const told = telling(db)
    const { value: book } = await post(plain, '/api/books', { title: 'Mover' })
    const { value } = await post(told.api, '/api/authors', {
      name: 'Taker',
      books: [{ id: book.id }],
    })
    const changes = only(told)
    equal(changes.map(shown), ['create Author Taker', 'update Book Mover'])
    equal([changes[1]?.before?.author_id, changes[1]?.after?.author_id], [null, value.id])
  })

  test('lists: POST, upsert, PATCH and DELETE of a collection, each one call', async () => {
    const told = telling(db)
    await post(told.api, '/api/tags', [{ name: 'list a' }, { name: 'list b' }])
    equal(only(told).map(shown), ['create Tag list a', 'create Tag list b'])
    await post(told.api, '/api/tags?on_conflict=name', [{ name: 'list b' }, { name: 'list c' }])
    const upserted = only(told).map(shown)
    ok(upserted.includes('create Tag list c') && !upserted.includes('create Tag list b'))
    await post(plain, '/api/books', [
      { title: 'list 1', sold: '1' },
      { title: 'list 2', sold: '2' },
    ])
    await send(told.api, 'PATCH', '/api/books?title__like=list', { body: { kind: 'poems' } })
    const patched = only(told)
    equal(patched.map(shown), ['update Book list 1', 'update Book list 2'])
    equal(
      patched.map(({ before, after }) => [before?.kind, after?.kind]),
      [
        ['novel', 'poems'],
        ['novel', 'poems'],
      ],
    )
    const byKey = patched.map(({ key: [key] }, i) => ({ id: key, title: `list ${i} by key` }))
    equal((await send(told.api, 'PATCH', '/api/books', { body: byKey })).status, 200)
    equal(
      only(told).map(({ action, before, after }) => [action, before?.title, after?.title]),
      [
        ['update', 'list 1', 'list 0 by key'],
        ['update', 'list 2', 'list 1 by key'],
      ],
    )
    await send(told.api, 'DELETE', '/api/books?title__like=list')
    equal(only(told).map(shown), ['delete Book list 0 by key', 'delete Book list 1 by key'])
  })

  test('a cascade: every deleted record', async () => {
    const told = telling(db)
    const { value } = await post(plain, '/api/books', {
      title: 'Cascade',
      copies: [
        { branch: 'east', number: 1 },
        { branch: 'east', number: 2 },
      ],
    })
    await send(told.api, 'DELETE', `/api/books/${value.id}?cascade_delete=1`)
    equal(
      only(told).map(({ action, model, key }) => [action, model.name, key]),
      [
        ['delete', 'Copy', ['east', 1]],
        ['delete', 'Copy', ['east', 2]],
        ['delete', 'Book', [value.id]],
      ],
    )
  })

  test('it is not called for reads, refused writes and writes that change nothing', async () => {
    const refuse = () => {
      throw apiError(409, 'Conflict', 'Not now.')
    }
    const told = telling(db)
    await post(plain, '/api/tags', { name: 'taken' })
    const before = await countRows(db, 'tags', 'authors', 'books')
    equal((await send(told.api, 'GET', '/api/tags')).status, 200)
    equal((await post(told.api, '/api/tags', { name: 'taken' })).status, 409)
    equal((await post(told.api, '/api/tags', [{ name: 'free' }, { name: 'taken' }])).status, 409)
    equal((await post(told.api, '/api/authors', { name: 'A', email: 'none' })).status, 400)
    equal((await send(told.api, 'DELETE', '/api/tags?name__eq=nobody')).status, 200)
    equal((await send(told.api, 'PATCH', '/api/tags/999999', { body: { name: 'x' } })).status, 404)
    equal(told.calls, [])
    // The errors occur after statements have run: in the callback of a nested record, and in the last callbacks before COMMIT.
    const nested = telling(
      db,
      withModel('Book', () => ({ meta: { add_callback: refuse } })),
    )
    equal(
      (await post(nested.api, '/api/authors', { name: 'A', books: [{ title: 'x' }] })).status,
      409,
    )
    for (const key of ['API_RETURN_CALLBACK', 'API_FINAL_CALLBACK'] as const) {
      const late = telling(db, library, { [key]: refuse }, { onError: () => {} })
      equal((await post(late.api, '/api/tags', { name: 'late' })).status, 409)
      equal(late.calls, [])
    }
    equal(nested.calls, [])
    equal(await countRows(db, 'tags', 'authors', 'books'), before)
  })

  test('after a conflict: the changes of the attempt that was committed', async () => {
    let attempts = 0
    const told = telling(db, library, {
      API_ADD_CALLBACK: (object, model) => {
        if (model.name !== 'Book') return object
        attempts += 1
        if (attempts === 1) throw conflict()
        return object
      },
    })
    const { status, value } = await post(told.api, '/api/authors', {
      name: 'Twice',
      books: [{ title: 'Retried' }],
    })
    equal([status, attempts], [201, 2])
    const changes = only(told)
    equal(changes.map(shown), ['create Author Twice', 'create Book Retried'])
    equal(changes[0]?.key, [value.id])
  })

  test('after a conflict: links are reported once', async () => {
    let attempts = 0
    const told = telling(db, library, {
      API_RETURN_CALLBACK: (result) => {
        attempts += 1
        if (attempts === 1) throw conflict()
        return result
      },
    })
    const { value: tag } = await post(plain, '/api/tags', { name: 'linked again' })
    const { value: book } = await post(plain, '/api/books', { title: 'Linked' })
    const url = `/api/books/${book.id}`
    const { status } = await send(told.api, 'PATCH', url, { body: { tags: [{ id: tag.id }] } })
    equal([status, attempts], [200, 2])
    equal(only(told)[0]?.links, { tags: { added: [[tag.id]], removed: [] } })
  })

  test('after a conflict: links that only the first attempt has removed are not reported', async () => {
    let attempts = 0
    const told = telling(db, library, {
      // Somebody else removes the old link between the attempts.
      API_UPDATE_CALLBACK: async (object, _model, { db: own }) => {
        attempts += 1
        if (attempts === 2) await own.deleteFrom('book_tags').execute()
        return object
      },
      API_RETURN_CALLBACK: (result) => {
        if (attempts === 1) throw conflict()
        return result
      },
    })
    const [{ value: old }, { value: tag }] = [
      await post(plain, '/api/tags', { name: 'linked before' }),
      await post(plain, '/api/tags', { name: 'linked after' }),
    ]
    const tags = [{ id: old.id }]
    const { value: book } = await post(plain, '/api/books', { title: 'Relinked', tags })
    const { status } = await send(told.api, 'PATCH', `/api/books/${book.id}`, {
      body: { title: 'Relinked again', tags: [{ id: tag.id }] },
    })
    equal([status, attempts], [200, 2])
    equal(only(told)[0]?.links, { tags: { added: [[tag.id]], removed: [] } })
  })

  test('a replayed response does not call it again', async () => {
    const told = telling(db)
    const headers = { 'idempotency-key': 'a-key-of-enough-letters' }
    const first = await post(told.api, '/api/tags', { name: 'idempotent' }, headers)
    const again = await post(told.api, '/api/tags', { name: 'idempotent' }, headers)
    equal([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true'])
    equal(only(told).map(shown), ['create Tag idempotent'])
  })

  test('inside a transaction of the host: called before the host commits, with committed false', async () => {
    await db.kysely
      .transaction()
      .execute(async (transaction) => {
        const told = telling(db, library, { API_SESSION_GETTER: () => transaction })
        await post(told.api, '/api/tags', { name: 'hosted' })
        equal(only(told).map(shown), ['create Tag hosted'])
        equal(
          told.args.map(({ committed, db: own }) => [committed, own.isTransaction]),
          [[false, true]],
        )
        throw new Error('the host rolls back')
      })
      .catch((error: Error) => equal(error.message, 'the host rolls back'))
  })

  test('it is not awaited, and its errors go to onError alone', async () => {
    const reported: unknown[] = []
    const options = { onError: (error: unknown) => void reported.push(error) }
    let end = (): void => {}
    const pending = new Promise<void>((resolve) => {
      end = resolve
    })
    const slow = telling(db, library, { API_AFTER_COMMIT_CALLBACK: () => pending }, options)
    equal((await post(slow.api, '/api/tags', { name: 'slow' })).status, 201)
    end()
    const failures: readonly (() => Promise<void> | void)[] = [
      () => {
        throw new Error('thrown')
      },
      () => Promise.reject(new Error('rejected')),
      () => {
        throw apiError(409, 'Conflict', 'too late')
      },
    ]
    for (const [i, fail] of failures.entries()) {
      const failing = telling(db, library, { API_AFTER_COMMIT_CALLBACK: fail }, options)
      equal((await post(failing.api, '/api/tags', { name: `failing ${i}` })).status, 201)
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
    equal(reported.length, 3)
    match(
      String(reported[0]),
      'after-commit callback of Tag (config.API_AFTER_COMMIT_CALLBACK) failed: thrown',
    )
    match(String(reported[1]), 'API_AFTER_COMMIT_CALLBACK) failed: rejected')
    equal((await send(plain, 'GET', '/api/tags?name__like=failing')).total, 3)
  })

  test('the callback of the requested model is called, or the one for its method if there is one', async () => {
    const seen: string[] = []
    const models = withModel('Tag', () => ({
      meta: {
        after_commit_callback: () => void seen.push('model'),
        patch_after_commit_callback: () => void seen.push('PATCH'),
      },
    }))
    const told = telling(db, models)
    const { headers } = await post(told.api, '/api/tags', { name: 'of its own' })
    await send(told.api, 'PATCH', headers.location ?? '', { body: { name: 'changed' } })
    await send(told.api, 'DELETE', headers.location ?? '')
    equal([seen, told.calls], [['model', 'PATCH', 'model'], []])
  })
})

eachDatabase('changes of a published junction', (test, db) => {
  test.before(() => createTeams(db))
  test.before.each(() => fillTeams(db))

  test('links are records: created, deleted, restored', async () => {
    const told = telling(db, modelsWith({ Membership: { soft_delete: false } }))
    const { status } = await send(told.api, 'PATCH', '/api/people/1', {
      body: { teams: [{ id: 1 }, { id: 6 }] },
    })
    equal(status, 200)
    const hard = only(told)
    equal(
      hard.map(({ action, model, before, after }) => [
        action,
        model.name,
        (after ?? before)?.team_id,
      ]),
      [
        ['delete', 'Membership', 2],
        ['delete', 'Membership', 3],
        ['delete', 'Membership', 5],
        ['create', 'Membership', 6],
      ],
    )
    // The key is generated by the database, and a value is a default of the model.
    const made = hard.at(-1)
    equal([made?.key, made?.after?.rank], [[made?.after?.id], 'member'])
    ok(typeof made?.after?.id === 'number')
  })

  test('links that are marked as deleted, and restored', async () => {
    const told = telling(db, modelsWith())
    await send(told.api, 'PATCH', '/api/people/1', { body: { teams: [{ id: 1 }, { id: 5 }] } })
    equal(
      only(told).map(({ action, before, after }) => [
        action,
        before?.deleted,
        after?.deleted,
        after?.team_id,
      ]),
      [
        ['delete', false, true, 2],
        ['delete', false, true, 3],
        ['restore', true, false, 5],
      ],
    )
  })
})
