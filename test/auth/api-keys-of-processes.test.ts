/** API keys that two processes share: a key made in one is used in the other, and a deleted one is refused by both at once. */
import { equal, match } from '../support/assert.ts'
import { eachDatabase, runsAtOnce, runsOn } from '../support/suite.ts'
import { createPeople } from './people.ts'
import { withWorkers } from './refresh-workers.ts'

runsOn('one server of each engine')
runsAtOnce(4)

eachDatabase('API keys of two processes', (test, db) => {
  test.before(() => createPeople(db))
  test.after(async () => {
    await db.kysely.schema.dropTable('api_keys').ifExists().execute()
  })

  test('a key made in one is used in the other, and refused by both once one has deleted it', async () => {
    await withWorkers(db, 0, async (workers) => {
      const ask = async (worker: 0 | 1, order: object) => (await workers[worker]?.ask(order)) ?? []
      const [useKey, id] = await ask(0, { makeKey: 'scale' })
      equal(await ask(1, { lastUses: true }), ['never'])
      equal(await ask(1, { useKey, times: 5 }), [200, 200, 200, 200, 200])
      const [lastUse] = await ask(0, { lastUses: true })
      match(String(lastUse), /^\d{4}-\d\d-\d\dT/)
      // Within the minute, the other process writes no second use.
      equal(await ask(0, { useKey }), [200])
      equal(await ask(1, { lastUses: true }), [lastUse])
      equal(await ask(0, { deleteKey: id }), ['true'])
      equal(await ask(1, { useKey, times: 5 }), [401, 401, 401, 401, 401])
      equal(await ask(0, { useKey }), [401])
      equal(await ask(1, { deleteKey: id }), ['false'])
    })
  })
})
