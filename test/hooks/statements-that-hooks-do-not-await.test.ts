/** A hook that sends a statement without awaiting it ended the process, by an unhandled rejection, if the statement interrupted the writing of a list. */
import type { HookArgs } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, withModel } from '../writing/models.ts'

eachDatabase('statements that hooks do not await', (test, db) => {
  const logs = async (_: unknown, { db: own }: HookArgs): Promise<boolean> => {
    void own.insertInto('countries').values({ code: 'XX', title: 'log' }).execute()
    return true
  }
  const api = testApi(
    db,
    withModel('Book', () => ({ meta: { access_policy: { can_create: logs } } })),
    everything,
  )
  const tables = ['authors', 'books', 'countries'] as const
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  const post = async (url: string, body: unknown): Promise<readonly unknown[]> => {
    process.on('unhandledRejection', note)
    const { status } = await send(api, 'POST', url, { body })
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.off('unhandledRejection', note)
    return [status, ...unhandled]
  }
  test.before(() => createLibrary(db))
  test.before.each(async () => {
    for (const table of ['books', 'authors', 'countries']) {
      await db.kysely.deleteFrom(table).execute()
    }
  })

  test('do not end the process if they interrupt a list with nested records', async () => {
    const body = [{ name: 'a' }, { name: 'b', books: [{ title: 'x' }] }]
    equal(await post('/api/authors', body), [201])
    equal(await countRows(db, ...tables), [2, 1, 1])
  })

  test('do not end the process if earlier records are refused', async () => {
    const body = [{ title: 'x', author_id: 99 }, { title: 'y' }]
    equal(await post('/api/books', body), [422])
    equal(await countRows(db, ...tables), [0, 0, 0])
  })
})
