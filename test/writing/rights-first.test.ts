/**
 * Rights are checked before look-ups: for a resource that the caller may not use, the response to a nested record or a foreign
 * key does not depend on its rows.
 */
import {
  type AnyModel,
  type ApiRequest,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { countRows } from './models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const admins = { role_map: { '*': 'admin' } } as const

const owned: AccessPolicy = {
  scope_query: (query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
}

/** The rows have owners and can be marked as deleted, so references to them are checked. */
const Account = defineModel('Account', {
  columns: { id, owner_id: { type: 'integer' }, deleted: { type: 'boolean' } },
  meta: { ...admins, access_policy: owned, soft_delete: true, soft_delete_attribute: 'deleted' },
})

/** Clients set the key. Everybody creates; administrators read and change. */
const Country = defineModel('Country', {
  columns: {
    code: { type: 'string', maxLength: 2, primaryKey: true },
    title: { type: 'string', maxLength: 20 },
    continent: { type: 'string', maxLength: 2, nullable: true },
  },
  meta: { role_map: { GET: 'admin', PATCH: 'admin', DELETE: 'admin' } },
})

/** Everybody creates; administrators change. */
const Page = defineModel('Page', {
  columns: { id, note_id: { type: 'integer', nullable: true }, text: { type: 'string' } },
  meta: { role_map: { PATCH: 'admin' } },
})

/** A composite key; the rows have owners. */
const Chapter = defineModel('Chapter', {
  columns: {
    book: { type: 'integer', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    owner_id: { type: 'integer' },
  },
  meta: { access_policy: owned },
})

const Note = defineModel('Note', {
  columns: {
    id,
    account_id: { type: 'integer', nullable: true },
    country_code: { type: 'string', maxLength: 2, nullable: true },
    book: { type: 'integer', nullable: true },
    chapter: { type: 'integer', nullable: true },
  },
  relations: {
    account: belongsTo('Account', 'account_id'),
    country: belongsTo('Country', 'country_code'),
    chapter_read: belongsTo('Chapter', ['book', 'chapter']),
    pages: hasMany('Page', 'note_id'),
    watchers: manyToMany('Account', { through: 'watchers', from: 'note_id', to: 'account_id' }),
    places: manyToMany('Country', { through: 'places', from: 'note_id', to: 'country_code' }),
  },
  meta: {},
})

const models: readonly AnyModel[] = [Account, Country, Chapter, Note, Page]
const viewer = { id: 7, roles: ['viewer'] }
const admin = { id: 7, roles: ['admin'] }

eachDatabase('a resource that the caller may not use', (test, db) => {
  const served = testApi(db, models, { API_ALLOW_NESTED_WRITES: true })
  const as = (user: unknown) => {
    const api = {
      ...served,
      handle: (request: ApiRequest) => served.handle({ ...request, user }),
      answer: (request: ApiRequest) => served.answer({ ...request, user }),
    }
    return (method: string, url: string, body: unknown): Promise<Answer> =>
      send(api as typeof served, method, url, { body })
  }
  const write = as(viewer)
  const all = ['accounts', 'countries', 'notes', 'pages', 'watchers', 'places'] as const
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Account, [
      { id: 1, owner_id: 7, deleted: false },
      { id: 2, owner_id: 8, deleted: false },
      { id: 3, owner_id: 7, deleted: true },
    ])
    await insertRows(db, Country, [{ code: 'GB', title: 'Britain', continent: null }])
    await insertRows(db, Page, [{ id: 1, note_id: null, text: 'x' }])
    await insertRows(db, Chapter, [
      { book: 1, number: 1, owner_id: 7 },
      { book: 1, number: 2, owner_id: 8 },
    ])
  })

  /** Requires the same response to all of these bodies, and that nothing is written; returns the response. */
  const sameAnswer = async (method: string, url: string, bodies: readonly unknown[]) => {
    const before = await countRows(db, ...all)
    const answers: (readonly [number, string])[] = []
    for (const body of bodies) {
      const { status, text } = await write(method, url, body)
      answers.push([status, text])
    }
    for (const answer of answers) equal(answer, answers[0])
    equal(await countRows(db, ...all), before)
    return answers[0]?.[0]
  }
  const accounts = [1, 2, 3, 99]

  test('is 403 for a nested link, whether the row exists or not', async () => {
    const bodies = accounts.map((key) => ({ account: { id: key } }))
    equal(await sameAnswer('POST', '/api/notes', bodies), 403)
    const { value } = await write('POST', '/api/notes', {})
    equal(await sameAnswer('PATCH', `/api/notes/${value.id}`, bodies), 403)
  })

  test('is 403 for a list, whether its rows exist or not', async () => {
    const bodies = accounts.map((key) => ({ watchers: [{ id: key }] }))
    equal(await sameAnswer('POST', '/api/notes', bodies), 403)
    const { value } = await write('POST', '/api/notes', {})
    equal(await sameAnswer('PATCH', `/api/notes/${value.id}`, bodies), 403)
  })

  test('is 403 for a list that would move a record from another parent, whether it exists or not', async () => {
    const bodies = [1, 99].map((key) => ({ pages: [{ id: key }] }))
    equal(await sameAnswer('POST', '/api/notes', bodies), 403)
    equal((await as(admin)('POST', '/api/notes', bodies[0])).status, 201)
    equal((await as(admin)('POST', '/api/notes', bodies[1])).status, 422)
  })

  test('is 403 for an incomplete object with a client-chosen key, whether the row exists or not', async () => {
    const bodies = ['GB', 'XX'].map((code) => ({ country: { code } }))
    equal(await sameAnswer('POST', '/api/notes', bodies), 403)
  })

  test('accepts new records if the caller may create them; an existing key is 409, as on POST', async () => {
    const country = { code: 'FR', title: 'France' }
    equal((await write('POST', '/api/notes', { country })).status, 201)
    for (const taken of [country, { code: 'GB', title: 'Other' }]) {
      equal((await write('POST', '/api/notes', { country: taken })).status, 409)
      equal((await write('POST', '/api/notes', { places: [taken] })).status, 409)
      equal((await write('POST', '/api/countries', taken)).status, 409)
    }
    const places = [{ code: 'IT', title: 'Italy' }]
    equal((await write('POST', '/api/notes', { places })).status, 201)
  })

  test('is 403 for an upsert that names a record, whether it exists or not', async () => {
    const bodies = ['GB', 'XX'].map((code) => ({ code, title: 'Changed' }))
    const url = '/api/countries?on_conflict=code'
    equal(await sameAnswer('POST', url, bodies), 403)
    // A body that could not create a record does not reveal what exists either.
    const incomplete = bodies.map(({ code }) => ({ code }))
    equal(await sameAnswer('POST', url, incomplete), 403)
    equal((await as(admin)('POST', url, bodies[0])).status, 200)
    equal((await as(admin)('POST', url, bodies[1])).status, 201)
  })

  test('reveals to a foreign key only whether such a row exists', async () => {
    const statuses = async (user: unknown) => {
      const found: number[] = []
      for (const key of accounts)
        found.push((await as(user)('POST', '/api/notes', { account_id: key })).status)
      return found
    }
    equal(await statuses(viewer), [201, 201, 201, 422])
    // An administrator sees what the policy and soft delete leave.
    equal(await statuses(admin), [201, 422, 422, 422])
    const { errors } = await write('POST', '/api/notes', { account_id: 99 })
    equal(errors.reason, { account_id: ['No such record.'] })
  })

  test('a composite reference is looked up with the stored values of the columns not sent', async () => {
    const { value } = await write('POST', '/api/notes', { book: 1, chapter: 1 })
    const patch = (body: unknown) => write('PATCH', `/api/notes/${value.id}`, body)
    const refused = await patch({ chapter: 2 })
    equal(
      [refused.status, refused.errors?.reason],
      [422, { book: ['No such record.'], chapter: ['No such record.'] }],
    )
    equal((await patch({ chapter: null })).status, 200)
    equal((await patch({ chapter: 1 })).status, 200)
  })
})
