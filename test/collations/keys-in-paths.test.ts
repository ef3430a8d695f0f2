/** A key in a path has one spelling, the stored one: another one that the collation finds equal is 404, in every method. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createCollations, type Kind, otherSpelling, textType } from './collated.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const meta = { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] } as const

const Shelf = defineModel('Shelf', {
  columns: { code: { ...text, primaryKey: true }, room: { type: 'integer' } },
  relations: { items: hasMany('Item', 'shelf_code') },
  meta,
})
const Item = defineModel('Item', {
  columns: { id: { type: 'integer', primaryKey: true }, shelf_code: text },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta,
})
const Bin = defineModel('Bin', {
  columns: {
    n: { type: 'integer', primaryKey: true },
    code: { ...text, primaryKey: true },
    room: { type: 'integer' },
  },
  meta,
})
/** A record that is marked as deleted. */
const Box = defineModel('Box', {
  columns: {
    code: { ...text, primaryKey: true },
    room: { type: 'integer' },
    is_deleted: { type: 'boolean', hidden: true, default: false },
  },
  meta: { ...meta, soft_delete: true, soft_delete_attribute: 'is_deleted' },
})

for (const kind of ['case', 'blanks'] satisfies Kind[]) {
  eachDatabase(`keys in paths under a collation that ignores ${kind}`, (test, db) => {
    const type = textType(db, kind)
    const other = (code: string) => encodeURIComponent(otherSpelling(kind, code))
    test.before(async () => {
      await createCollations(db)
      await db.execScript(`create table shelves (code ${type} not null primary key, room integer not null);
        create table items (id integer primary key, shelf_code ${type} not null);
        create table bins (n integer not null, code ${type} not null, room integer not null, primary key (n, code));
        create table boxes (code ${type} not null primary key, room integer not null, is_deleted ${db.name === 'mysql' ? 'tinyint(1)' : 'boolean'} not null)`)
    })
    const api = testApi(db, [Shelf, Item, Bin, Box], {})
    /** With a callback, so that writes are made in a transaction. */
    const slow = testApi(db, [Shelf, Item, Bin, Box], {
      API_UPDATE_CALLBACK: (record) => record,
      API_REMOVE_CALLBACK: (record) => record,
    })
    const codeOf = async (url: string) => String((await get(api, url)).value.code)

    test('are the stored ones', async () => {
      const made = await send(api, 'POST', '/api/shelves', { body: { code: 'ABC', room: 1 } })
      equal(made.status, 201, made.text)
      const { location } = made.headers
      // PostgreSQL fills a char(n) with blanks.
      const stored = encodeURIComponent(made.value.code)
      equal(location, `/api/shelves/${stored}`)
      equal(await codeOf(String(location)), made.value.code)
      equal((await get(api, `/api/shelves/${stored}/items`)).status, 200)
      equal(made.value.items, `/api/shelves/${stored}/items`)
    })

    test('are no others', async () => {
      const url = `/api/shelves/${other('ABC')}`
      for (const one of [api, slow]) {
        equal((await get(one, url)).status, 404)
        equal((await get(one, `${url}/items`)).status, 404)
        for (const [method, body] of [
          ['PATCH', { room: 2 }],
          ['PUT', { room: 2 }],
          ['DELETE', undefined],
        ] as const) {
          const { status } = await send(one, method, url, body && { body })
          equal(status, 404, method)
        }
      }
      const [{ room }] = (await get(api, '/api/shelves')).value
      equal(room, 1)
    })

    test('change and delete their records', async () => {
      const [{ code }] = (await get(api, '/api/shelves')).value
      const url = `/api/shelves/${encodeURIComponent(code)}`
      for (const [i, one] of [api, slow].entries()) {
        equal((await send(one, 'PATCH', url, { body: { room: 3 + i } })).value.room, 3 + i)
        equal((await send(one, 'PUT', url, { body: { room: 5 + i } })).value.room, 5 + i)
      }
      equal((await send(api, 'DELETE', url)).status, 200)
      equal(
        (await send(api, 'POST', '/api/shelves', { body: { code: 'ABC', room: 1 } })).status,
        201,
      )
      equal((await send(slow, 'DELETE', url)).status, 200)
    })

    test('of several columns', async () => {
      const { value } = await send(api, 'POST', '/api/bins', {
        body: { n: 1, code: 'ABC', room: 1 },
      })
      const stored = `/api/bins/1,${encodeURIComponent(value.code)}`
      const wrong = `/api/bins/1,${other('ABC')}`
      for (const one of [api, slow]) {
        equal((await get(one, stored)).status, 200)
        equal((await get(one, wrong)).status, 404)
        equal((await send(one, 'PATCH', wrong, { body: { room: 2 } })).status, 404)
        equal((await send(one, 'DELETE', wrong)).status, 404)
        equal((await send(one, 'PATCH', stored, { body: { room: 2 } })).status, 200)
      }
      equal((await send(slow, 'DELETE', stored)).status, 200)
    })

    test('of deleted records', async () => {
      const { value } = await send(api, 'POST', '/api/boxes', { body: { code: 'ABC', room: 1 } })
      const stored = `/api/boxes/${encodeURIComponent(value.code)}`
      const wrong = `/api/boxes/${other('ABC')}`
      equal((await send(api, 'DELETE', wrong)).status, 404)
      equal((await send(api, 'DELETE', stored)).status, 200)
      equal((await send(api, 'POST', `${wrong}/restore`)).status, 404)
      equal((await send(api, 'POST', `${stored}/restore`)).status, 200)
      ok((await get(api, stored)).status === 200)
    })
  })
}
