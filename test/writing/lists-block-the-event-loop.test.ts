/** On SQLite a list whose records are written one by one blocked the event loop until it had ended, so that no other request was served. */
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createLibrary, everything, library } from '../writing/models.ts'

eachDatabase(
  'a long list',
  (test, db) => {
    const api = testApi(db, library, everything)
    test.before(() => createLibrary(db))

    test('lets other requests be served while it is written or refused', async () => {
      await send(api, 'POST', '/api/tags', { body: { name: 'taken' } })
      const body = Array.from({ length: 300 }, (_, i) => ({
        title: `book ${i}`,
        author: { name: `author ${i}` },
        tags: [{ name: i === 299 ? 'taken' : `tag ${i}` }],
      }))
      let turns = 0
      const timer = setInterval(() => {
        turns += 1
      }, 1)
      const { status } = await send(api, 'POST', '/api/books', { body })
      clearInterval(timer)
      equal(status, 409)
      ok(turns >= 3, `${turns} turns of the event loop`)
    })
  },
  { only: 'sqlite' },
)
