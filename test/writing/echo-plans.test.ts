/** The plan of an echo is cached by the query; everything else that it depends on is checked for each write. */
import type { AnyModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createLibrary, library, marking, withModel } from './models.ts'

eachDatabase('cached plans of the record that a write returns', (test, db) => {
  const config = { ...marking, API_ALLOW_SELECT_FIELDS: true, API_ALLOW_BULK: true }
  const api = testApi(db, library, config)
  test.before(async () => {
    await createLibrary(db)
    await send(api, 'POST', '/api/authors', { body: { name: 'Ann' } })
    await send(api, 'POST', '/api/books', { body: { title: 'Emma', author_id: 1 } })
  })
  const patch = (url: string, body: object = { title: 'Emma' }) => send(api, 'PATCH', url, { body })

  test('the same query returns the same members, whatever is written', async () => {
    for (const title of ['one', 'two', 'three']) {
      const { value } = await patch('/api/books/1?fields=title,id', { title })
      equal(value, { title, id: 1 })
    }
    const created = await send(api, 'POST', '/api/books?fields=title,id', {
      body: { title: 'new' },
    })
    equal(Object.keys(created.value), ['title', 'id'])
    equal((await patch('/api/tags/1?fields=title,id')).status, 400)
  })

  test('filters choose many records, and are refused on one', async () => {
    for (let i = 0; i < 2; i++) {
      equal((await patch('/api/books?id__eq=1')).status, 200)
      equal((await patch('/api/books/1?id__eq=1')).status, 400)
    }
  })

  test('a mistake in the query is refused every time', async () => {
    for (let i = 0; i < 2; i++) equal((await patch('/api/books/1?fields=nothing')).status, 400)
  })

  test('the rights of the caller are checked every time', async () => {
    const models = withModel('Author', (model) => ({
      meta: { ...model.meta, role_map: { '*': 'admin' } },
    })) as readonly AnyModel[]
    const guarded = testApi(db, models, config)
    const authorAs = async (roles: readonly string[]) => {
      const request = { method: 'PATCH', url: '/api/books/1?dump=json', user: { id: 1, roles } }
      const { body } = await guarded.handle({ ...request, headers: {}, body: { title: 'Emma' } })
      // biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
      return (body as any).value.author
    }
    for (let i = 0; i < 2; i++) {
      equal(await authorAs([]), '/api/books/1/author')
      equal((await authorAs(['admin'])).name, 'Ann')
    }
  })
})
