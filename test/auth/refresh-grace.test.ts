/** API_JWT_REFRESH_GRACE: a refresh token that is presented again soon after its use gets the successor once more. */
import { createHash } from 'node:crypto'
import type { ApiConfig } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { eachDatabase, runsAtOnce, runsOn } from '../support/suite.ts'
import { bearer, createPeople, jwtKeys, login, peopleApi, refresh } from './people.ts'
import { withWorkers } from './refresh-workers.ts'

runsOn('one server of each engine')
runsAtOnce(4)

const config = { ...jwtKeys, API_JWT_REFRESH_GRACE: 10 } as const satisfies ApiConfig

const digest = (token: string): string => createHash('sha256').update(token).digest('hex')

eachDatabase('the grace of refresh tokens', (test, db) => {
  test.before(() => createPeople(db))
  test.after.each(async () => {
    await db.kysely.schema.dropTable('refresh_tokens').ifExists().execute()
  })

  const rows = async () =>
    (await db.kysely.selectFrom('refresh_tokens').selectAll().execute()) as Record<
      string,
      unknown
    >[]
  const valid = async () => (await rows()).filter(({ revoked }) => !revoked).length
  const people = (more: ApiConfig = {}) => {
    const opened = peopleApi(db, { ...config, ...more })
    const first = async () => (await login(opened.api, 'ann')).value.refresh_token as string
    const next = async (token: string) => {
      const answer = await refresh(opened.api, token)
      return (answer.value?.refresh_token ?? answer.status) as string
    }
    return { ...opened, first, next }
  }

  test('a repetition within the grace gets the same successor, and a valid access token', async () => {
    const { api, clock, first, next, warnings } = people()
    const used = await first()
    clock.tick(61_234)
    const successor = await next(used)
    clock.tick(10_000)
    const again = await refresh(api, used)
    equal([again.status, again.value.refresh_token, again.value.user_pk], [200, successor, 1])
    equal((await get(api, '/api/books', bearer(again.value.access_token))).status, 200)
    equal((await rows()).length, 2)
    equal((await refresh(api, successor)).status, 200)
    ok(!warnings.join().includes('a second time'))
  })

  test('a repetition beyond the grace revokes the family', async () => {
    const { api, clock, first, next, warnings } = people()
    const [used, other] = [await first(), await first()]
    const successor = await next(used)
    clock.tick(10_001)
    equal((await refresh(api, used)).status, 403)
    equal((await refresh(api, successor)).status, 403)
    match(warnings.join(), 'a second time')
    equal((await refresh(api, other)).status, 200)
  })

  test('a use that another process has stored with a clock of the future counts as well', async () => {
    const { clock, first, next } = people()
    const used = await first()
    clock.tick(60_000)
    const successor = await next(used)
    clock.tick(-10_000)
    equal(await next(used), successor)
    clock.tick(-1)
    equal(await next(used), 403)
  })

  test('of 50 concurrent refreshes all get the same successor, which is valid', async () => {
    const { api, errors, first } = people()
    const used = await first()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(api, used)))
    equal(
      answers.map(({ status }) => status),
      Array(50).fill(200),
    )
    const [successor, ...others] = new Set(answers.map(({ value }) => value.refresh_token))
    equal(others, [])
    equal(errors, [])
    equal((await rows()).length, 2)
    equal((await refresh(api, successor)).status, 200)
  })

  test('of two concurrent processes both get the same successor', async () => {
    await withWorkers(db, 10, async (workers) => {
      const [tokens = []] = await Promise.all(workers.map((each) => each.ask({ login: 3 })))
      for (const token of tokens) {
        const order = { refresh: token, times: 10 }
        const answers = (await Promise.all(workers.map((each) => each.ask(order)))).flat()
        const [successor, ...others] = new Set(answers)
        equal(others, [])
        equal(typeof successor, 'string')
        const next = await workers[1]?.ask({ refresh: successor, times: 1 })
        equal(typeof next?.[0], 'string')
      }
    })
  })

  test('a repetition after the successor was used gets the token that is valid now', async () => {
    const { clock, first, next } = people()
    const used = await first()
    const second = await next(used)
    clock.tick(4_000)
    const third = await next(second)
    clock.tick(4_000)
    equal([await next(used), await next(second)], [third, third])
    equal(await valid(), 1)
    // The use of the second token was 10 seconds ago, that of the first 14.
    clock.tick(6_000)
    equal(await next(second), third)
    equal([await next(used), await next(third)], [403, 403])
  })

  test('a repetition within the grace is 403 once the successor is revoked', async () => {
    const { api, first, next, warnings } = people()
    const used = await first()
    equal(await api.refreshTokens.revoke(await next(used)), true)
    equal(await next(used), 403)
    const another = await first()
    await next(another)
    equal(await api.refreshTokens.revokeAll(1), 1)
    equal(await next(another), 403)
    const revoked = await first()
    await api.refreshTokens.revoke(revoked)
    equal(await next(revoked), 403)
    equal(await valid(), 0)
    ok(!warnings.join().includes('a second time'))
  })

  test('a deleted user gets no successor again', async () => {
    const { first, next } = people()
    const used = await first()
    await next(used)
    await db.kysely.updateTable('users').set({ id: 77 }).where('id', '=', 1).execute()
    try {
      equal(await next(used), 403)
    } finally {
      await db.kysely.updateTable('users').set({ id: 1 }).where('id', '=', 77).execute()
    }
  })

  test('a token of another algorithm, or after a change of settings, gets a sibling of the same family', async () => {
    const { clock, first, next } = people()
    const changed = people({ API_JWT_REFRESH_EXPIRY_TIME: 1440 })
    const used = await first()
    const successor = await next(used)
    const siblings = [await changed.next(used), await changed.next(used)]
    ok(new Set([successor, ...siblings]).size === 3)
    equal(await valid(), 3)
    // The chain passes through the siblings, also when the successor and a sibling are used.
    const [, fourth] = [await next(successor), await next(String(siblings[0]))]
    equal(await valid(), 3)
    equal(await next(String(fourth)), await next(String(fourth)))
    clock.tick(10_001)
    equal(await next(used), 403)
    equal(await valid(), 0)
  })

  test('50 concurrent repetitions may get siblings; a replay revokes all of them', async () => {
    const { clock, first, next } = people()
    const changed = people({ API_JWT_REFRESH_EXPIRY_TIME: 1440 })
    const used = await first()
    await next(used)
    const siblings = await Promise.all(Array.from({ length: 50 }, () => changed.next(used)))
    equal(new Set(siblings).size, 50)
    equal(await valid(), 51)
    const digests = new Set((await rows()).map(({ token }) => token))
    ok(siblings.every((one) => digests.has(digest(one))))
    clock.tick(10_001)
    equal(await next(used), 403)
    equal(await valid(), 0)
  })

  test('revokeAll revokes siblings that are issued at the same time', async () => {
    const { api, first, next } = people()
    const changed = people({ API_JWT_REFRESH_EXPIRY_TIME: 1440 })
    for (let round = 0; round < 3; round++) {
      const used = await first()
      await next(used)
      const repetitions = Array.from({ length: 5 }, () => changed.next(used))
      await api.refreshTokens.revokeAll(1)
      await Promise.all(repetitions)
      equal(await valid(), 0)
    }
  })

  test('is at most a minute', () => {
    for (const seconds of [-1, 61, 1.5]) {
      throws(() => people({ API_JWT_REFRESH_GRACE: seconds }), /API_JWT_REFRESH_GRACE/)
    }
  })
})
