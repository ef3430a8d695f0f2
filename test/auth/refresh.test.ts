/** Refresh tokens in SQL: the record of the specification; each token can be used once, even by concurrent requests. */
import { createHash } from 'node:crypto'
import { createApi } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { eachDatabase, runsAtOnce, runsOn } from '../support/suite.ts'
import { Book, bearer, createPeople, jwtKeys, login, peopleApi, refresh, User } from './people.ts'
import { withWorkers } from './refresh-workers.ts'

runsOn('one server of each engine')
runsAtOnce(4)

const digest = (token: string): string => createHash('sha256').update(token).digest('hex')

eachDatabase('refresh tokens', (test, db) => {
  test.before(() => createPeople(db))
  test.after.each(async () => {
    await db.kysely.schema.dropTable('refresh_tokens').ifExists().execute()
  })

  const rows = async () =>
    (await db.kysely.selectFrom('refresh_tokens').selectAll().execute()) as Record<
      string,
      unknown
    >[]
  const rowOf = async (token: string) =>
    (await rows()).find((row) => row.token === digest(token)) ?? {}

  test('the table is created with the first token, with the columns of the specification', async () => {
    const { api } = peopleApi(db)
    const tables = async () =>
      (await db.kysely.introspection.getTables()).map((table) => table.name)
    equal((await tables()).includes('refresh_tokens'), false)
    const { refresh_token } = (await login(api, 'ann')).value
    const [row, ...others] = await rows()
    equal(others, [])
    equal(Object.keys(row ?? {}), [
      'token',
      'user_pk',
      'user_lookup',
      'expires_at',
      'created_at',
      'last_used_at',
      'revoked',
      'revoked_at',
      'replaced_by',
    ])
    equal([row?.token, row?.user_pk, row?.user_lookup], [digest(refresh_token), '1', 'ann'])
    equal([row?.last_used_at, row?.revoked_at, row?.replaced_by], [null, null, null])
    ok(!JSON.stringify(row).includes(refresh_token))
  })

  test('a refresh revokes the old record and links it to the new one', async () => {
    const { api, clock } = peopleApi(db)
    const first = (await login(api, 'ann')).value.refresh_token
    clock.tick(5000)
    const second = (await refresh(api, first)).value.refresh_token
    const old = await rowOf(first)
    equal(Boolean(old.revoked), true)
    equal(old.replaced_by, digest(second))
    ok(old.revoked_at !== null && old.last_used_at !== null)
    const fresh = await rowOf(second)
    equal([Boolean(fresh.revoked), fresh.replaced_by], [false, null])
  })

  test('reuse of a token revokes all of its successors', async () => {
    const { api, warnings } = peopleApi(db)
    const first = (await login(api, 'ann')).value.refresh_token
    const second = (await refresh(api, first)).value.refresh_token
    const third = (await refresh(api, second)).value.refresh_token
    const other = (await login(api, 'ann')).value.refresh_token
    equal((await refresh(api, first)).status, 403)
    equal((await refresh(api, third)).status, 403)
    equal((await refresh(api, other)).status, 200)
    match(warnings.join(), 'a second time')
    ok(!warnings.join().includes(first))
  })

  test('the store decides whether a token has expired, not its own exp', async () => {
    const { api, clock } = peopleApi(db)
    const { refresh_token } = (await login(api, 'ann')).value
    clock.tick(2880 * 60_000)
    equal((await refresh(api, refresh_token)).status, 403)
    const column = await db.kysely.selectFrom('refresh_tokens').select('created_at').execute()
    equal(column.length, 1)
    await db.kysely
      .updateTable('refresh_tokens')
      .set({ expires_at: db.name === 'sqlite' ? '2027-01-01T00:00:00.000Z' : '2027-01-01' })
      .execute()
    equal((await refresh(api, refresh_token)).status, 200)
  })

  test('revoke, revokeAll and purgeExpired', async () => {
    const { api, clock } = peopleApi(db)
    const one = (await login(api, 'ann')).value.refresh_token
    equal(await api.refreshTokens.revoke(`Bearer ${one}`), true)
    equal(await api.refreshTokens.revoke(one), false)
    equal(await api.refreshTokens.revoke('unknown'), false)
    const two = (await login(api, 'ann')).value.refresh_token
    const three = (await login(api, 'ann')).value.refresh_token
    const bobs = (await login(api, 'bob')).value.refresh_token
    equal(await api.refreshTokens.revokeAll({ id: 1 }), 2)
    equal(await api.refreshTokens.revokeAll(1), 0)
    for (const token of [two, three]) equal((await refresh(api, token)).status, 403)
    equal(await api.refreshTokens.purgeExpired(), 0)
    clock.tick(2880 * 60_000)
    equal(await api.refreshTokens.purgeExpired(), 4)
    const late = (await login(api, 'bob')).value.refresh_token
    equal((await refresh(api, bobs)).status, 403)
    equal((await refresh(api, late)).status, 200)
  })

  test('logins and refreshes delete expired tokens, at most 500 a minute', async () => {
    const { api, clock } = peopleApi(db)
    await login(api, 'ann')
    const [row = {}] = await rows()
    const copies = Array.from({ length: 700 }, (_, i) => ({ ...row, token: digest(String(i)) }))
    for (let i = 0; i < copies.length; i += 100) {
      await db.kysely
        .insertInto('refresh_tokens')
        .values(copies.slice(i, i + 100))
        .execute()
    }
    const count = async () => (await rows()).length
    clock.tick(60_000)
    const { refresh_token } = (await login(api, 'ann')).value
    equal(await count(), 702)
    // A minute before that token expires, but not the others.
    clock.tick(2880 * 60_000 - 60_000)
    const next = await refresh(api, refresh_token)
    equal([next.status, await count()], [200, 203])
    await login(api, 'ann')
    equal(await count(), 204)
    clock.tick(60_000)
    equal((await refresh(api, next.value.refresh_token)).status, 200)
    equal(await count(), 3)
  })

  test('revokeAll finds the user by any spelling of its key, and rejects what is no user', async () => {
    const { api } = peopleApi(db)
    for (const user of [1, '1', '01', 1n, { id: '1' }, { id: 1n }]) {
      await login(api, 'ann')
      equal(await api.refreshTokens.revokeAll(user), 1, String(user))
    }
    for (const nobody of [undefined, null, {}, { id: null }, 'ann', '', true, [], Number.NaN]) {
      match(
        (await rejects(api.refreshTokens.revokeAll(nobody))).message,
        'expected a user or its key',
      )
    }
  })

  test('a deleted user gets no new tokens', async () => {
    const { api } = peopleApi(db)
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    await db.kysely.updateTable('users').set({ id: 77 }).where('id', '=', 1).execute()
    try {
      equal((await get(api, '/api/books', bearer(access_token))).status, 401)
      equal((await refresh(api, refresh_token)).status, 403)
    } finally {
      await db.kysely.updateTable('users').set({ id: 1 }).where('id', '=', 77).execute()
    }
    equal((await refresh(api, refresh_token)).status, 403)
  })

  test('of 50 concurrent refreshes exactly one succeeds', async () => {
    const { api, errors } = peopleApi(db)
    const { refresh_token } = (await login(api, 'ann')).value
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(api, refresh_token)))
    const statuses = answers.map((answer) => answer.status).sort()
    equal(statuses, [200, ...Array(49).fill(403)])
    equal(errors, [])
    equal((await rows()).length, 2)
  })

  test('revokeAll revokes what concurrent refreshes issue', async () => {
    const { api } = peopleApi(db)
    for (let round = 0; round < 5; round++) {
      const logins = await Promise.all(Array.from({ length: 5 }, () => login(api, 'ann')))
      const refreshes = logins.map(({ value }) => refresh(api, value.refresh_token))
      await api.refreshTokens.revokeAll(1)
      await Promise.all(refreshes)
      equal(
        (await rows()).filter(({ revoked }) => !revoked),
        [],
      )
    }
  })

  test('many concurrent first tokens find or create the table', async () => {
    const apis = Array.from({ length: 8 }, () => peopleApi(db).api)
    const answers = await Promise.all(apis.map((api) => login(api, 'ann')))
    equal(
      answers.map((answer) => answer.status),
      Array(8).fill(200),
    )
    equal((await rows()).length, 8)
  })

  test('a failed creation of the table is retried', async () => {
    await db.kysely.schema
      .createView('refresh_tokens')
      .as(db.kysely.selectFrom('books').select('id'))
      .execute()
    const { api, errors } = peopleApi(db)
    equal((await login(api, 'ann')).status, 500)
    equal(errors.length, 1)
    await db.kysely.schema.dropView('refresh_tokens').execute()
    equal((await login(api, 'ann')).status, 200)
  })

  test('inside a transaction of the host everything runs in it', async () => {
    class Undo extends Error {}
    // A transaction of MySQL or MariaDB cannot create the table, and does not see a table that is created while it runs.
    if (db.name === 'mysql') await login(peopleApi(db).api, 'ann')
    let token = ''
    await db.kysely
      .transaction()
      .execute(async (transaction) => {
        const api = createApi({
          db: db.kysely,
          models: [User, Book],
          config: { ...jwtKeys, API_SESSION_GETTER: () => transaction },
          env: {},
        })
        // If the database cannot create a table inside a transaction, the service creates it on another connection.
        token = (await login(api, 'ann')).value.refresh_token
        equal((await refresh(api, token)).status, 200)
        throw new Undo()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
    const { api } = peopleApi(db, jwtKeys, { clock: { now: Date.now, elapsed: () => 0 } })
    equal((await refresh(api, token)).status, 403)
  })

  test('of two concurrent processes one succeeds; both can create the table', async () => {
    await withWorkers(db, 0, async (workers) => {
      const tokens = await Promise.all(workers.map((each) => each.ask({ login: 5 })))
      equal(tokens.flat().length, 10)
      for (const token of tokens.flat()) {
        // As many as a process has connections.
        const order = { refresh: token, times: 10 }
        const answers = (await Promise.all(workers.map((each) => each.ask(order)))).flat()
        equal(
          answers.filter((answer) => typeof answer === 'number'),
          Array(19).fill(403),
        )
      }
    })
  })
})
