/** Users that one process makes inactive: another refuses their tokens and logins at once. */
import { equal } from '../support/assert.ts'
import { eachDatabase, runsAtOnce, runsOn } from '../support/suite.ts'
import { createPeople } from './people.ts'
import { withWorkers } from './refresh-workers.ts'

runsOn('one server of each engine')
runsAtOnce(4)

eachDatabase('users of two processes', (test, db) => {
  test.before(() => createPeople(db))
  test.after(async () => {
    for (const table of ['refresh_tokens', 'api_keys'])
      await db.kysely.schema.dropTable(table).ifExists().execute()
  })

  test('lose their sessions in both when one makes them inactive, for ever', async () => {
    await withWorkers(db, 0, async (workers) => {
      const ask = async (worker: 0 | 1, order: object) => (await workers[worker]?.ask(order)) ?? []
      const [first, second] = await ask(0, { login: 2 })
      const [next] = await ask(1, { refresh: first, times: 1 })
      equal(typeof next, 'string')
      equal(await ask(1, { activate: false }), [200])
      equal(await ask(0, { refresh: next, times: 1 }), [403])
      equal(await ask(0, { refresh: second, times: 1 }), [403])
      equal(await ask(0, { login: 2 }), [401, 401])
      equal(await ask(0, { activate: true }), [200])
      // What has ended stays so.
      equal(await ask(1, { refresh: second, times: 1 }), [403])
      equal(
        (await ask(1, { login: 1 })).map((token) => typeof token),
        ['string'],
      )
    })
  })
})
