/** A DELETE that is refused because other records refer to the record names those models that the caller may list. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const columns = { id, shelf_id: { type: 'integer' }, owner_id: { type: 'integer' } } as const
const shelf = belongsTo('Shelf', 'shelf_id')

const owned: AccessPolicy = {
  scope_query: (query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
}

const Shelf = defineModel('Shelf', { columns: { id }, meta: {} })
/** Everybody may list them and delete their own. */
const Item = defineModel('Item', {
  columns,
  relations: { shelf },
  meta: { access_policy: owned },
})
/** Everybody may delete their own; only admins may list them. */
const Audit = defineModel('Audit', {
  columns,
  relations: { shelf },
  meta: { role_map: { GET: 'admin' }, access_policy: owned },
})
/** Nobody may list them. */
const Alarm = defineModel('Alarm', {
  columns,
  relations: { shelf },
  meta: { allowed_methods: ['POST', 'DELETE'] },
})
/** Everybody may list them; deleted ones stay in the table. */
const Loan = defineModel('Loan', {
  columns: { id, shelf_id: { type: 'integer' }, gone: { type: 'boolean' } },
  relations: { shelf },
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'gone',
    access_policy: { scope: { id: { lt: 100 } } },
  },
})
const models: readonly AnyModel[] = [Shelf, Item, Audit, Alarm, Loan]

const viewer = { id: 7, roles: ['viewer'] }
const admin = { id: 7, roles: ['admin'] }

eachDatabase('a refused DELETE', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_CASCADE_DELETE: true })
  const reasonOf = async (user: unknown, url: string) => {
    const { status, errors } = await send(api, 'DELETE', url, { user })
    equal([status, errors?.code], [409, 'referred_to'])
    return errors.reason
  }
  const message = 'Other records refer to this one'

  test.before(async () => {
    await createTables(db, models)
    await insertRows(
      db,
      Shelf,
      [1, 2, 3, 4, 5, 6, 7].map((key) => ({ id: key })),
    )
    await insertRows(db, Item, [
      { id: 1, shelf_id: 1, owner_id: 7 },
      { id: 4, shelf_id: 4, owner_id: 8 },
    ])
    await insertRows(db, Audit, [
      { id: 1, shelf_id: 1, owner_id: 7 },
      { id: 2, shelf_id: 2, owner_id: 8 },
    ])
    await insertRows(db, Loan, [
      { id: 1, shelf_id: 5, gone: true },
      { id: 2, shelf_id: 6, gone: false },
      { id: 100, shelf_id: 7, gone: true },
    ])
    await insertRows(db, Alarm, [
      { id: 1, shelf_id: 1, owner_id: 7 },
      { id: 3, shelf_id: 3, owner_id: 7 },
    ])
  })

  test('names the resources that the caller may list, and no others', async () => {
    equal(await reasonOf(viewer, '/api/shelves/1'), `${message}: items.`)
    equal(await reasonOf(admin, '/api/shelves/1'), `${message}: audits, items.`)
  })

  test('says that other records refer to this one if it may name no resource', async () => {
    equal(await reasonOf(viewer, '/api/shelves/2'), `${message}.`)
    equal(await reasonOf(admin, '/api/shelves/2'), `${message}: audits.`)
    equal(await reasonOf(viewer, '/api/shelves/3'), `${message}.`)
    equal(await reasonOf(admin, '/api/shelves/3'), `${message}.`)
  })

  test('reveals no more if a hidden record prevents a cascade', async () => {
    equal(await reasonOf(viewer, '/api/shelves/2?cascade_delete=1'), `${message}.`)
    equal(await reasonOf(admin, '/api/shelves/2?cascade_delete=1'), `${message}: audits.`)
    equal(await reasonOf(viewer, '/api/shelves/4?cascade_delete=1'), `${message}: items.`)
  })
  test('says that deleted records count, whether or not those that refer to it are deleted', async () => {
    const reason = `${message}: loans (deleted ones count).`
    equal(await reasonOf(viewer, '/api/shelves/5'), reason)
    equal(await reasonOf(viewer, '/api/shelves/6'), reason)
    equal(await reasonOf(viewer, '/api/shelves/7?cascade_delete=1'), reason)
  })
})
