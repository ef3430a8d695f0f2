/** A foreign key value outside the range of its column was another error than a missing record, and differed between databases. */
import { belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Owner = defineModel('Owner', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 20 } },
  relations: { pets: hasMany('Pet', 'owner_id') },
  meta: {},
})
const Pet = defineModel('Pet', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    owner_id: { type: 'integer', nullable: true },
  },
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: {},
})

eachDatabase('a foreign key beyond the range of its column', (test, db) => {
  test.before(async () => {
    await createTables(db, [Owner, Pet])
    await insertRows(db, Owner, [{ id: 1, name: 'Ann' }])
    await insertRows(db, Pet, [{ id: 1, owner_id: 1 }])
  })
  const api = testApi(db, [Owner, Pet], { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true })

  for (const value of [99, 2_147_483_648, -2_147_483_649, 9_007_199_254_740_991]) {
    test(`${value}`, async () => {
      const missing = async (method: string, url: string, body: unknown): Promise<void> => {
        const { status, errors } = await send(api, method, url, { body })
        equal([status, errors.code, errors.reason], [422, 'missing_reference', errors.reason])
        equal(JSON.stringify(errors.reason).includes('owner_id'), true, JSON.stringify(errors))
      }
      await missing('POST', '/api/pets', { id: 2, owner_id: value })
      await missing('PATCH', '/api/pets/1', { owner_id: value })
      const bulk = await send(api, 'POST', '/api/pets', {
        body: [
          { id: 2, owner_id: 1 },
          { id: 3, owner_id: value },
        ],
      })
      equal(
        [bulk.status, bulk.errors.code],
        [422, 'missing_reference'],
        JSON.stringify(bulk.errors),
      )
    })
  }
})

const Person = defineModel('Person', {
  columns: { id: { type: 'integer', primaryKey: true } },
  relations: {
    friends: manyToMany('Person', { through: 'friendships', from: 'person_id', to: 'friend_id' }),
  },
  meta: {},
})

eachDatabase('a duplicate link of a self relation', (test, db) => {
  test.before(async () => {
    await createTables(db, [Person])
    await db.execScript(`create unique index one_friend on friendships (friend_id);
      insert into people values (1), (2), (3);
      insert into friendships values (1, 3);`)
  })

  test('is reported by its relation', async () => {
    const api = testApi(db, [Person], { API_ALLOW_NESTED_WRITES: true })
    const { status, errors } = await send(api, 'PATCH', '/api/people/2', {
      body: { friends: [{ id: 3 }] },
    })
    equal([status, errors], [409, errors], JSON.stringify(errors))
    equal(JSON.stringify(errors).includes('friends'), true, JSON.stringify(errors))
  })
})
