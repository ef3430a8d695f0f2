/** The authentication endpoints with every form of request, on every database (specification: Authentication endpoints). */
import { defineModel } from '@model-api/core'
import { get, send } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  apiKey,
  apiKeys,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  post,
  refresh,
  User,
  userKeys,
} from './people.ts'

eachDatabase('authentication endpoints', (test, db) => {
  test.before(() => createPeople(db))

  test('login with name and password returns a pair of tokens and the key of the user', async () => {
    const { api } = peopleApi(db)
    const answer = await login(api, 'ann')
    equal(answer.status, 200)
    equal(Object.keys(answer.value), ['access_token', 'refresh_token', 'user_pk'])
    equal([answer.value.user_pk, answer.total], [1, 1])
    equal(answer.headers['cache-control'], 'no-store')
    const books = await get(api, '/api/books', bearer(answer.value.access_token))
    equal([books.status, books.value[0].title], [200, 'Emma'])
    equal(books.headers['cache-control'], 'private, no-cache')
    match(books.headers.vary ?? '', 'Authorization')
  })

  test('refresh returns a new pair; a leading "Bearer " is ignored', async () => {
    const { api } = peopleApi(db)
    const first = (await login(api, 'bob')).value
    const second = await refresh(api, `Bearer ${first.refresh_token}`)
    equal(second.status, 200)
    equal(Object.keys(second.value), ['access_token', 'refresh_token', 'user_pk'])
    equal(second.value.user_pk, 2)
    ok(second.value.refresh_token !== first.refresh_token)
    const me = await get(api, '/auth/me', bearer(second.value.access_token))
    equal([me.status, me.value.name], [200, 'bob'])
  })

  test('logout returns null, needs no header and revokes nothing', async () => {
    const { api } = peopleApi(db)
    const { refresh_token } = (await login(api, 'ann')).value
    const answer = await post(api, '/auth/logout')
    equal([answer.status, answer.value, answer.total], [200, null, 0])
    equal(answer.headers['cache-control'], 'no-store')
    equal(answer.cookies, [])
    equal((await refresh(api, refresh_token)).status, 200)
  })

  test('the current user has the visible columns of the model, not the password', async () => {
    const { api } = peopleApi(db, { ...jwtKeys, API_CREDENTIAL_CHECK_METHOD: 'plain' })
    const { access_token } = (await login(api, 'ann')).value
    const me = await get(api, '/auth/me', bearer(access_token))
    equal(me.status, 200)
    const { key_hash, ...value } = me.value
    equal(value, { id: 1, name: 'ann', roles: ['admin'], active: true })
    equal(me.headers['cache-control'], 'no-store')
    equal((await get(api, '/auth/me?fields=name', bearer(access_token))).value, { name: 'ann' })
  })

  test('columns of credentials are refused like unknown ones unless the model declares them visible', async () => {
    const config = {
      ...jwtKeys,
      API_CREDENTIAL_CHECK_METHOD: 'plain',
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    }
    const { api } = peopleApi(db, config)
    const headers = bearer((await login(api, 'ann')).value.access_token)
    for (const field of ['password_hash', 'key_hash']) {
      const hidden = await get(api, `/api/users?${field}__startswith=a`, headers)
      const unknown = await get(api, `/api/users?nothing__startswith=a`, headers)
      equal([hidden.status, hidden.errors.code], [400, unknown.errors.code])
      equal(hidden.text.replaceAll(field, 'nothing'), unknown.text)
    }
    const columns = { ...User.columns, key_hash: { ...User.columns.key_hash, hidden: false } }
    const Shown = defineModel('User', { columns, methods: User.methods, meta: {} })
    const shown = peopleApi(db, { ...config, API_USER_MODEL: Shown }, { models: [Shown] })
    const me = await get(
      shown.api,
      '/auth/me',
      bearer((await login(shown.api, 'ann')).value.access_token),
    )
    equal(Object.keys(me.value), ['id', 'name', 'key_hash', 'roles', 'active'])
  })

  test('login with a Basic header returns the key and the login name', async () => {
    const { api } = peopleApi(db, { ...userKeys, API_AUTHENTICATE_METHOD: ['basic'] })
    const answer = await post(api, '/auth/login', undefined, basic('bob', passwords.bob ?? ''))
    equal([answer.status, answer.value], [200, { user_pk: 2, name: 'bob' }])
    equal(answer.headers['cache-control'], 'no-store')
    for (const path of ['/auth/refresh', '/auth/logout']) {
      equal((await post(api, path)).status, 404, path)
    }
    equal((await get(api, '/auth/me', basic('bob', passwords.bob ?? ''))).value.name, 'bob')
  })

  test('login with an API key returns the key and the login name', async () => {
    const { api } = peopleApi(db, {
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    })
    const answer = await post(api, '/auth/login', undefined, apiKey(apiKeys.ann ?? ''))
    equal([answer.status, answer.value], [200, { user_pk: 1, name: 'ann' }])
    equal((await get(api, '/api/books', apiKey(apiKeys.ann ?? ''))).status, 200)
    equal((await get(api, '/api/books', apiKey('nobody'))).status, 401)
  })

  test('with several strategies login accepts each of their forms', async () => {
    const { api } = peopleApi(db, {
      ...jwtKeys,
      API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    })
    ok((await login(api, 'ann')).value.access_token)
    const byBasic = await post(api, '/auth/login', undefined, basic('ann', passwords.ann ?? ''))
    equal(byBasic.value, { user_pk: 1, name: 'ann' })
    const byKey = await post(api, '/auth/login', undefined, apiKey(apiKeys.bob ?? ''))
    equal(byKey.value, { user_pk: 2, name: 'bob' })
  })

  test('paths are configurable, and endpoints can be disabled', async () => {
    const { api } = peopleApi(db, {
      ...jwtKeys,
      API_AUTH_REFRESH_ROUTE: '/session/renew',
      API_AUTH_ME_ROUTE: '/whoami',
    })
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    equal((await post(api, '/session/renew', { refresh_token })).status, 200)
    equal((await get(api, '/whoami', bearer(access_token))).value.name, 'ann')
    equal((await get(api, '/auth/me', bearer(access_token))).status, 404)
    equal((await refresh(api, refresh_token)).status, 404)
    equal(
      [api.owns('/whoami'), api.owns('/session/renew'), api.owns('/auth/me')],
      [true, true, false],
    )
    const hidden = peopleApi(db, { ...jwtKeys, API_EXPOSE_ME: false }).api
    equal((await get(hidden, '/auth/me', bearer(access_token))).status, 404)
    equal((await login(hidden, 'ann')).status, 200)
    const none = peopleApi(db, { ...jwtKeys, API_AUTO_AUTH_ROUTES: false }).api
    for (const path of ['/auth/login', '/auth/refresh', '/auth/logout', '/auth/me']) {
      equal([(await post(none, path)).status, none.owns(path)], [404, false], path)
    }
    equal((await get(none, '/api/books', bearer(access_token))).status, 200)
  })

  test('other methods are 405, OPTIONS lists the allowed ones', async () => {
    const { api } = peopleApi(db)
    equal((await get(api, '/auth/login')).headers.allow, 'POST, OPTIONS')
    const wrong = await send(api, 'DELETE', '/auth/me')
    equal([wrong.status, wrong.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    equal((await send(api, 'OPTIONS', '/auth/refresh')).status, 204)
  })

  test('bodies are JSON objects with strings; all problems are listed', async () => {
    const { api } = peopleApi(db)
    const missing = await post(api, '/auth/login')
    equal(missing.status, 400)
    equal(missing.errors.error, 'Validation failed')
    equal(missing.errors.reason, {
      username: ['This field is required.'],
      password: ['This field is required.'],
    })
    const wrong = await post(api, '/auth/login', { username: 7, password: '' })
    equal(
      [wrong.status, wrong.errors.reason],
      [400, { username: ['Expected a string.'], password: ['This field cannot be empty.'] }],
    )
    equal((await post(api, '/auth/login', [1])).status, 400)
    const json = { 'content-type': 'application/json' }
    const text = JSON.stringify({ username: 'ann', password: passwords.ann })
    equal((await post(api, '/auth/login', text, json)).status, 200)
    equal((await post(api, '/auth/login', '{"username":', json)).status, 400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    equal((await post(api, '/auth/login', 'username=ann', form)).status, 415)
    equal((await post(api, '/auth/refresh', {})).errors.reason, {
      refresh_token: ['This field is required.'],
    })
  })

  test('an Idempotency-Key is refused by login, refresh and logout, which run each time they are sent', async () => {
    const { api } = peopleApi(db)
    const first = (await login(api, 'ann')).value
    const key = { 'content-type': 'application/json', 'idempotency-key': 'sixteen characters' }
    for (const [name, body] of [
      ['login', { username: 'ann', password: passwords.ann }],
      ['refresh', { refresh_token: first.refresh_token }],
      ['logout', undefined],
    ] as const) {
      const { status, errors, cookies } = await post(api, `/auth/${name}`, body, key)
      equal([status, errors?.code, cookies], [400, 'idempotency_key_not_here', []])
      match(errors.reason, `; ${name} runs each time`)
    }
    // The failed request has not used up the token.
    equal((await refresh(api, first.refresh_token)).status, 200)
  })

  test('a user model that is not published returns its visible columns', async () => {
    const Hidden = defineModel('User', { columns: User.columns, methods: User.methods })
    const { api } = peopleApi(
      db,
      { ...jwtKeys, API_USER_MODEL: Hidden, API_CREDENTIAL_CHECK_METHOD: 'plain' },
      { models: [Hidden] },
    )
    const { access_token } = (await login(api, 'bob')).value
    const me = await get(api, '/auth/me', bearer(access_token))
    equal([me.status, me.value.name, 'password_hash' in me.value], [200, 'bob', false])
    equal((await get(api, '/api/users', bearer(access_token))).status, 404)
  })
})
