/** ETag, If-Match, If-None-Match and Idempotency-Key. */
import { defineModel } from '@model-api/core'
import { sql } from 'kysely'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, match, notEqual, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

eachDatabase('conditional requests', (test, db) => {
  const api = testApi(db, library, everything)
  let url = ''
  test.before(async () => {
    await createLibrary(db)
    const body = { title: 'Tagged', price: '1' }
    url = (await send(api, 'POST', '/api/books', { body })).headers.location ?? ''
  })
  const etag = async (at: string) => (await get(api, at)).headers.etag ?? ''
  const row = (tag: string) => tag.slice(1).split('.')[0]

  test('the record part of the ETag does not depend on the projection, the other part does', async () => {
    const whole = await etag(url)
    const part = await etag(`${url}?fields=title`)
    match(whole, /^"[\w-]{32}\.[\w-]{32}"$/)
    equal(row(part), row(whole))
    notEqual(part, whole)
  })

  test('every write of one record returns the ETag that GET returns', async () => {
    const patched = await send(api, 'PATCH', url, { body: { price: '2' } })
    equal(patched.headers.etag, await etag(url))
    const created = await send(api, 'POST', '/api/tags', { body: { name: 'tagged' } })
    equal(created.headers.etag, await etag(created.headers.location ?? ''))
  })

  test('If-None-Match returns 304 without a body', async () => {
    const tag = await etag(url)
    for (const condition of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await get(api, url, { 'if-none-match': condition })
      equal([answer.status, answer.body, answer.headers.etag], [304, undefined, tag])
    }
    equal((await get(api, url, { 'if-none-match': '"x.y"' })).status, 200)
    equal((await get(api, `${url}?fields=title`, { 'if-none-match': tag })).status, 200)
  })

  test('If-Match with a stale tag is 412 on PATCH, PUT and DELETE, and nothing changes', async () => {
    const headers = { 'if-match': await etag(`${url}?fields=title`) }
    await send(api, 'PATCH', url, { body: { price: '3' } })
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const body = method === 'DELETE' ? {} : { body: { title: 'Lost' } }
      const { status, errors } = await send(api, method, url, { ...body, headers })
      equal([status, errors.code], [412, 'precondition_failed'])
    }
    const fresh = { 'if-match': await etag(`${url}?dump_relationships=false`) }
    equal((await send(api, 'PATCH', url, { body: { title: 'Kept' }, headers: fresh })).status, 200)
    const any = { 'if-match': '*' }
    equal((await send(api, 'PATCH', url, { body: {}, headers: any })).status, 200)
  })

  test('If-Match with a stale tag is 412 before nested objects are written', async () => {
    const added: unknown[] = []
    const models = withModel('Author', () => ({
      meta: {
        add_callback: (author: object) => {
          added.push(author)
          return author
        },
      },
    }))
    const own = testApi(db, models, everything)
    const headers = { 'if-match': '"stale.stale"' }
    for (const body of [
      { author: { name: 'Nobody' } },
      { author: { name: 'Nobody' }, unknown: 1, id: 77 },
      { author: { id: 999 } },
    ]) {
      const { status } = await send(own, 'PATCH', url, { body, headers })
      equal([status, added.length], [412, 0])
    }
  })

  test('If-Match and If-None-Match without quotes are 400 on writes, and ignored on reads', async () => {
    const tag = await etag(url)
    const names = ['If-Match', 'If-None-Match'] as const
    for (const text of [
      'abc',
      tag.slice(1, -1),
      '',
      ' , ',
      `${tag} x`,
      `${tag}, abc`,
      'w/"a"',
      '*, "a"',
    ]) {
      for (const name of names) {
        for (const method of ['PATCH', 'PUT', 'DELETE']) {
          const body = method === 'DELETE' ? {} : { body: { title: 'Lost' } }
          const headers = { [name.toLowerCase()]: text }
          const { status, errors } = await send(api, method, url, { ...body, headers })
          equal([status, errors.code], [400, 'invalid_entity_tag'], `${method} ${name}: ${text}`)
        }
      }
      equal((await get(api, url, { 'if-none-match': text })).status === 400, false)
    }
    const headers = { 'if-match': 'abc' }
    const { errors } = await send(api, 'PATCH', url, { body: {}, headers })
    equal(
      [errors.reason, errors.at],
      [
        'If-Match: expected * or the value of an ETag header with its quotes, such as "0123456789abcdef.0123456789abcdef", got abc.',
        'abc',
      ],
    )
    for (const text of [`W/${tag}`, `"x" ,, ${tag} ,`, ` ${tag}`]) {
      const given = { 'if-match': text }
      equal((await send(api, 'PATCH', url, { body: {}, headers: given })).status, 200, text)
    }
  })

  test('If-None-Match with the tag of the record, or *, is 412 on PATCH, PUT and DELETE, and nothing changes', async () => {
    const body = { title: 'Only', price: '1.00' }
    const at = (await send(api, 'POST', '/api/books', { body })).headers.location ?? ''
    const tag = await etag(at)
    for (const condition of ['*', await etag(`${at}?fields=title`), `"x.y", W/${tag}`]) {
      const headers = { 'if-none-match': condition }
      for (const method of ['PATCH', 'PUT', 'DELETE']) {
        const sent = method === 'DELETE' ? {} : { body: { title: 'Lost' } }
        const { status, errors } = await send(api, method, at, { ...sent, headers })
        equal([status, errors?.code], [412, 'precondition_failed'], `${method} ${condition}`)
      }
    }
    equal(await etag(at), tag)
    const headers = { 'if-none-match': '"x.y"', 'if-match': tag }
    const changed = await send(api, 'PATCH', at, { body: { title: 'Changed' }, headers })
    equal([changed.status, changed.value.title], [200, 'Changed'])
  })

  test('If-Match and If-None-Match on POST are 400, and nothing is stored', async () => {
    const { total } = await get(api, '/api/tags')
    for (const name of ['if-match', 'if-none-match']) {
      for (const [query, body] of [
        ['', { name: 'conditional' }],
        ['?on_conflict=name', { name: 'conditional' }],
        ['', [{ name: 'conditional' }]],
      ] as const) {
        const headers = { [name]: '*' }
        const { status, errors } = await send(api, 'POST', `/api/tags${query}`, { body, headers })
        equal([status, errors.code], [400, 'precondition_on_many'])
        equal(errors.reason.toLowerCase().startsWith(`${name} names`), true)
      }
    }
    equal((await get(api, '/api/tags')).total, total)
  })

  test('PUT with If-Match replaces as PUT without it does', async () => {
    const body = { title: 'Whole', price: '1.00', in_stock: false }
    const at = (await send(api, 'POST', '/api/books', { body })).headers.location ?? ''
    const headers = { 'if-match': await etag(at) }
    const { status, value } = await send(api, 'PUT', at, { body: { title: 'New' }, headers })
    equal([status, value.title, value.price, value.in_stock], [200, 'New', null, true])
  })

  test('of two changes to the same version the second is 412', async () => {
    const headers = { 'if-match': await etag(url) }
    const answers = await Promise.all(
      ['4', '5'].map((price) => send(api, 'PATCH', url, { body: { price }, headers })),
    )
    equal(answers.map(({ status }) => status).sort(), [200, 412])
  })
})

eachDatabase('Idempotency-Key', (test, db) => {
  const clock = frozenClock()
  const api = testApi(db, library, everything, { clock })
  test.before(() => createLibrary(db))
  const key = (text: string) => ({ 'idempotency-key': text.padEnd(16, '.') })
  const post = (body: unknown, headers: Record<string, string>) =>
    send(api, 'POST', '/api/tags', { body, headers })

  test('the same key and body return the stored response, and nothing is written again', async () => {
    const first = await post({ name: 'once' }, key('one'))
    const second = await post({ name: 'once' }, key('one'))
    equal([first.status, second.status], [201, 201])
    const told = ({ value, headers }: typeof first) => [value, headers.location, headers.etag]
    ok(first.headers.etag !== undefined)
    equal(told(second), told(first))
    equal(second.headers['idempotency-replayed'], 'true')
    equal(await countRows(db, 'tags'), [1])
  })

  test('the ETag of a repetition is that of its value, not of the record as it is now', async () => {
    const created = await post({ name: 'versioned' }, key('version'))
    const url = `/api/tags/${created.value.id}`
    equal((await send(api, 'PATCH', url, { body: { name: 'changed' } })).status, 200)
    const again = await post({ name: 'versioned' }, key('version'))
    equal([again.value, again.headers.etag], [created.value, created.headers.etag])
    const headers = { 'if-match': String(again.headers.etag) }
    equal((await send(api, 'PATCH', url, { body: { name: 'stale' }, headers })).status, 412)
    equal((await send(api, 'DELETE', url)).status, 200)
  })

  test('another body is 422', async () => {
    const { status, errors } = await post({ name: 'twice' }, key('one'))
    equal([status, errors.code], [422, 'idempotency_key_reused'])
  })

  test('a failed request may be repeated with the same key', async () => {
    equal((await post({ name: 'once' }, key('two'))).status, 409)
    equal((await post({ name: 5 }, key('three'))).status, 400)
    await db.kysely.deleteFrom('tags').where('name', '=', 'once').execute()
    equal((await post({ name: 'once' }, key('two'))).status, 201)
  })

  test('of many concurrent requests one is executed, and the others are refused or get the same response', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post({ name: 'parallel' }, key('many'))),
    )
    const created = answers.filter(({ status }) => status === 201)
    equal(new Set(created.map(({ value }) => value.id)).size, 1)
    equal(
      answers.every(({ status }) => status === 201 || status === 409),
      true,
    )
    const rows = db.kysely.selectFrom('tags').selectAll().where('name', '=', 'parallel')
    equal((await rows.execute()).length, 1)
  })

  test('a record that was deleted since is replayed as null', async () => {
    const { headers } = await post({ name: 'brief' }, key('brief'))
    await send(api, 'DELETE', headers.location ?? '')
    const again = await post({ name: 'brief' }, key('brief'))
    equal([again.status, again.value], [201, null])
  })

  test('a parsed body that is no JSON is 400, as without the key', async () => {
    const without = await post({ name: 5n }, {})
    const { status, errors } = await post({ name: 5n }, key('bigint'))
    equal([status, errors], [400, without.errors])
    equal((await post({ name: 'text' }, key('bigint'))).status, 201)
  })

  test('callers without a user need a key that is hard to guess', async () => {
    const { errors } = await post({ name: 'x' }, { 'idempotency-key': 'short' })
    equal(errors.code, 'bad_idempotency_key')
  })

  test('is refused on other writes, which run each time they are sent', async () => {
    const { value } = await post({ name: 'unrepeated' }, key('first'))
    const one = `/api/tags/${value.id}`
    for (const [method, url, body] of [
      ['PATCH', one, { name: 'changed' }],
      ['DELETE', one, undefined],
      ['PATCH', '/api/tags', [{ id: value.id, name: 'changed' }]],
      ['PATCH', `/api/tags?id__eq=${value.id}`, { name: 'changed' }],
      ['DELETE', `/api/tags?id__eq=${value.id}`, undefined],
    ] as const) {
      const sent = { headers: key('x'), ...(body === undefined ? {} : { body }) }
      const { status, errors } = await send(api, method, url, sent)
      equal([method, url, status, errors?.code], [method, url, 400, 'idempotency_key_not_here'])
      ok(errors.reason.includes(`; ${method} runs each time`), errors.reason)
    }
    equal((await get(api, one)).value.name, 'unrepeated')
  })

  test('a key is the same for every spelling of a path', async () => {
    const models = withModel('Tag', () => ({ meta: { endpoint: 'library/tags' } }))
    const own = testApi(db, models, everything, { clock })
    const spellings: readonly (readonly [url: string, mountedAt?: string])[] = [
      ['/api/tags'],
      ['/api/tag'],
      ['/api/library/tags'],
      ['/api/t%61gs'],
      ['/%61pi/tags'],
      ['http://localhost/api/tags'],
      ['/api/tag', '/mounted'],
    ]
    const answers = []
    for (const [url, baseUrl = ''] of spellings) {
      const body = { name: 'spelt' }
      const request = { method: 'POST', url, baseUrl, headers: key('spelt'), body }
      answers.push(await own.handle<{ id: number }>(request))
    }
    equal(
      answers.map(({ status, headers }) => [status, headers['idempotency-replayed']]),
      [[201, undefined], ...Array.from({ length: 6 }, () => [201, 'true'])],
    )
    equal(new Set(answers.map(({ body }) => body?.value?.id)).size, 1)
  })

  test('a key at another endpoint is another key', async () => {
    const name = { name: 'elsewhere' }
    equal((await post(name, key('elsewhere'))).status, 201)
    const author = await send(api, 'POST', '/api/authors', {
      body: name,
      headers: key('elsewhere'),
    })
    equal([author.status, author.headers['idempotency-replayed']], [201, undefined])
  })

  test('each user has keys of its own', async () => {
    const own = testApi(
      db,
      library,
      {
        ...everything,
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: ({ headers }) => ({ id: String(headers?.['x-user']) }),
      },
      { clock },
    )
    const create = (user: string) =>
      send(own, 'POST', '/api/authors', {
        body: { name: 'Same' },
        headers: { ...key('one of each'.replaceAll(' ', '-')), 'x-user': user },
      })
    const [ann, ben, again] = [await create('ann'), await create('ben'), await create('ann')]
    equal([ann.status, ben.status, again.status], [201, 201, 201])
    equal(ben.headers['idempotency-replayed'], undefined)
    equal(ann.value.id === ben.value.id, false)
    equal([again.headers['idempotency-replayed'], again.value], ['true', ann.value])
  })

  /** Users that the host passes; `named`: with a user model. */
  const asUsers = (named: boolean) => {
    const User = defineModel('User', { columns: { id: { type: 'integer', primaryKey: true } } })
    const models = named ? [...library, User] : library
    const more = named ? { API_USER_MODEL: User } : {}
    const own = testApi(db, models, { ...everything, ...more }, { clock })
    return async (user: unknown, name: string) => {
      const headers = key(name)
      const answer = await send(own, 'POST', '/api/authors', { body: { name }, headers, user })
      const replayed = answer.headers['idempotency-replayed'] !== undefined
      return replayed ? 'replayed' : (answer.errors?.code ?? answer.status)
    }
  }

  test('keys of users that cannot be distinguished are refused', async () => {
    class Opaque {
      readonly #id: number
      constructor(id: number) {
        this.#id = id
      }
      toString(): string {
        return String(this.#id)
      }
    }
    const cyclic: { id: number; self?: unknown } = { id: 1 }
    cyclic.self = cyclic
    const unknown: readonly (readonly [named: boolean, users: readonly unknown[]])[] = [
      [true, [{ name: 'ann' }, { name: 'ben' }, { id: null }, { id: {} }, { id: 'x' }, 'ann', {}]],
      [false, [new Opaque(1), new Opaque(2), { roles: ['a'] }, {}, [], new Map([[1, 2]]), cyclic]],
    ]
    for (const [named, users] of unknown) {
      const post = asUsers(named)
      for (const user of users) equal(await post(user, 'opaque'), 'user_without_key')
    }
  })

  test('a user is recognised with other roles, and with its key in any type', async () => {
    const told: readonly (readonly [named: boolean, one: readonly unknown[], other: unknown])[] = [
      [true, [{ id: 7, roles: ['a'], name: 'x' }, { id: '7' }, { id: 7n }], { id: 8 }],
      [false, [{ id: 7, roles: ['a'] }, { id: 7, roles: [] }, { id: 7 }], { id: 8 }],
      [false, [{ id: 7n, kind: 'staff' }], { id: 7n, kind: 'guest' }],
      [false, ['ann', 'ann'], 'ben'],
    ]
    for (const [i, [named, [first, ...again], other]] of told.entries()) {
      const post = asUsers(named)
      equal(await post(first, `told-${i}`), 201)
      for (const user of again) equal(await post(user, `told-${i}`), 'replayed')
      equal(await post(other, `told-${i}`), 201)
    }
  })

  test('a key is forgotten after a day', async () => {
    const day = 24 * 60 * 60 * 1000 + 1
    // Servers use their own clock, SQLite that of the process.
    await sql`update idempotency_keys set claimed_at = claimed_at - ${day}, expires_at = expires_at - ${day}`.execute(
      db.kysely,
    )
    clock.tick(day)
    equal((await post({ name: 'new day' }, key('one'))).status, 201)
    equal(await countRows(db, 'idempotency_keys'), [1])
  })
})
