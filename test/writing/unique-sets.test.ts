/** Unique constraints of several columns: declared, named in refusals, and usable in on_conflict (docs/guide/writing.md). */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { send, testApi } from '../support/api.ts'
import { equal, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Place = defineModel('Place', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    shelf: { type: 'string', maxLength: 20 },
    position: { type: 'integer', column: 'pos' },
    note: { type: 'string', maxLength: 40, nullable: true },
  },
  unique: [['shelf', 'position']],
  meta: {},
})

eachDatabase('unique sets', (test, db) => {
  test.before(() => createTables(db, [Place]))

  const api = () => testApi(db, [Place], { API_ALLOW_BULK: true })
  const post = (url: string, body: unknown) => send(api(), 'POST', url, { body })

  test('a second record with both values is a 409 that names both fields', async () => {
    equal((await post('/api/places', { shelf: 'A', position: 1 })).status, 201)
    equal((await post('/api/places', { shelf: 'A', position: 2 })).status, 201)
    const { status, errors } = await post('/api/places', { shelf: 'A', position: 1 })
    equal(status, 409)
    equal(Object.keys(errors.reason).sort(), ['position', 'shelf'])
  })

  test('an upsert finds the record by the set, in any order', async () => {
    const url = '/api/places?on_conflict=position,shelf'
    const changed = await post(url, { shelf: 'A', position: 1, note: 'oversize' })
    equal([changed.status, changed.value.id, changed.value.note], [200, 1, 'oversize'])
    equal((await post(url, { shelf: 'B', position: 1 })).status, 201)
    const half = await post('/api/places?on_conflict=shelf', { shelf: 'A', position: 1 })
    equal(half.status, 400)
  })

  test('introspection finds it', async () => {
    const { models } = await introspect(db.kysely)
    equal(models.find(({ table }) => table === 'places')?.unique, [['shelf', 'pos']])
  })

  test('a column it does not have is a start-up error', () => {
    const wrong = { ...Place, unique: [['shelf', 'posititon']] } as AnyModel
    const error = throws(() => createApi({ db: db.kysely, models: [wrong] }))
    equal(
      (error as Error).message.split('\n')[1],
      'models.Place.unique[0]: no column named "posititon". Did you mean "position"?',
    )
  })
})
