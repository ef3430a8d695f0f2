/** The cost of lists by composite keys grows in proportion to their length, though the table grows with them. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

/** For each type of the key's first column: a value that all records of a list have. */
const sharedValues = {
  integer: (list) => list,
  string: (list) => `list ${list}`,
  date: (list) => new Date(86_400_000 * list).toISOString().slice(0, 10),
  datetime: (list) => new Date(86_400_000 * list).toISOString(),
  uuid: (list) => `00000000-0000-4000-8000-${String(list).padStart(12, '0')}`,
} satisfies Record<string, (list: number) => string | number>

const types = Object.keys(sharedValues) as (keyof typeof sharedValues)[]

const most = 10_000

for (const type of types) {
  suite(`growth of lists by composite keys, ${type}`, (test) => {
    const db = everyDatabase().find(({ name }) => name === 'sqlite')
    if (db === undefined) throw new Error('SQLite is part of the tests')
    const models: readonly AnyModel[] = [
      defineModel('Slot', {
        columns: {
          part: { type, primaryKey: true },
          place: { type: 'integer', primaryKey: true },
          note: { type: 'string', nullable: true },
        },
        relations: { visits: hasMany('Visit', ['part', 'place']) },
        meta: { pagination_size_max: most },
      }),
      defineModel('Visit', {
        columns: {
          id: { type: 'integer', primaryKey: true, generated: true },
          part: { type },
          place: { type: 'integer' },
        },
        relations: { slot: belongsTo('Slot', ['part', 'place']) },
        meta: { pagination_size_max: most },
      }),
    ]
    const api = testApi(db, models, { API_ALLOW_BULK: true, API_MAX_BULK: most })
    test.before(async () => {
      await createTables(db, models)
      await db.execScript('create index visits_of_slots on visits (part, place)')
      await api.ready
    })
    test.after(() => db.close())

    let lists = 0
    test('created, linked, changed and embedded', async () => {
      const steep = await steepness(1000, (size) => {
        const part = sharedValues[type](++lists)
        const slots = Array.from({ length: size }, (_, place) => ({ part, place }))
        const requests = [
          ['POST', '/api/slots', 201, slots],
          ['POST', '/api/visits', 201, slots],
          ['PATCH', '/api/slots', 200, slots.map((slot) => ({ ...slot, note: 'changed' }))],
          ['GET', `/api/slots?dump=json&part__eq=${part}&limit=${size}`, 200, undefined],
          ['GET', `/api/visits?dump=json&part__eq=${part}&limit=${size}`, 200, undefined],
        ] as const
        return async () => {
          for (const [method, url, status, body] of requests) {
            const answer = await send(api, method, url, { body })
            equal(answer.status, status, JSON.stringify(answer.errors))
          }
        }
      })
      equal(steep, undefined)
    })
  })
}
