/** The dialect that docs/inside/adding-a-database.md links has the responses of the SQLite dialect. */
import {
  type AnyModel,
  type Api,
  belongsTo,
  type Dialect,
  defineModel,
  hasMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { tiny as dialect } from './tiny-dialect.ts'

const Ship: AnyModel = defineModel('Ship', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    afloat: { type: 'boolean', nullable: true },
    built: { type: 'datetime', nullable: true },
    tons: { type: 'float', nullable: true },
    owner_id: { type: 'integer', nullable: true },
  },
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: {},
})
const Owner: AnyModel = defineModel('Owner', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40, unique: true },
  },
  relations: { ships: hasMany('Ship', 'owner_id') },
  meta: {},
})
const models = [Owner, Ship]

const owners = ['Ann', 'Ben']
const ships = [
  { name: 'A 100% Boat', afloat: true, built: at('2024-05-14'), tons: 2.5, owner_id: 1 },
  { name: 'barge', afloat: false, built: at('2024-06-01'), tons: 90, owner_id: 1 },
  { name: 'Argosy', afloat: true, built: at('2023-01-31'), tons: null, owner_id: 2 },
  { name: 'Wreck', afloat: null, built: null, tons: 7, owner_id: null },
]

/** An API with a new database, filled by requests, because the dialect decides how values are stored. */
async function filled(db: TestDatabase, options: { readonly dialect?: Dialect }): Promise<Api> {
  const config = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
  const api = testApi(db, models, config, options)
  await createTables(db, models)
  for (const name of owners) await send(api, 'POST', '/api/owners', { body: { name } })
  for (const body of ships) await send(api, 'POST', '/api/ships', { body })
  return api
}

const urls = [
  '/api/ships',
  '/api/ships?afloat__eq=true',
  '/api/ships?afloat__in=(true,false)&order_by=-name',
  '/api/ships?afloat__isnull=true',
  '/api/ships?name__like=%25',
  '/api/ships?name__like=b',
  '/api/ships?name__ilike=B',
  '/api/ships?name__startswith=A%20',
  '/api/ships?name__endswith=e',
  '/api/ships?name__nilike=ar',
  '/api/ships?built__eq=2024-05-14T10:30:00Z',
  '/api/ships?built__ge=2024-05-14T10:30:00Z',
  '/api/ships?order_by=built.nullsfirst,id&limit=2&page=2',
  '/api/ships?order_by=-tons.nullslast,id&limit=2&paging=cursor',
  '/api/ships?groupby=year(built)|year&id__count=1&order_by=year',
  '/api/ships?groupby=month(built)|month&id__count=1&order_by=month',
  '/api/ships?groupby=owner_id&tons__sum=1&tons__max=1&order_by=owner_id',
  '/api/ships?groupby=afloat&id__count=1&id_count__gt=1',
  '/api/ships?join=owner&fields=name,owner.name&order_by=owner.name,id',
  '/api/ships?exists(owner.name__eq=Ann)',
  '/api/owners?dump=json',
  '/api/owners/1/ships?limit=1',
  '/api/owners/1',
  '/api/owners/9',
]

suite('docs/inside/adding-a-database.md', (test) => {
  const databases = [sqlite(), sqlite()] as const
  let plain: Api
  let added: Api

  test.before(async () => {
    plain = await filled(databases[0], {})
    added = await filled(databases[1], { dialect })
  })
  test.after(async () => {
    for (const db of databases) await db.close()
  })

  for (const url of urls) {
    test(decodeURIComponent(url), async () => {
      const expected = await plain.answer({ method: 'GET', url, headers: {} })
      ok(expected.status === 200 || url.endsWith('/9'), String(expected.text))
      equal((await added.answer({ method: 'GET', url, headers: {} })).text, expected.text)
    })
  }

  test('writes, and constraint violations', async () => {
    const body = { name: 'Mole', afloat: true, built: '2024-05-14T10:30:00Z', owner_id: 2 }
    const made = await send(added, 'POST', '/api/ships', { body })
    equal([made.status, made.value.afloat, made.value.built], [201, true, at('2024-05-14')])
    const url = `/api/ships/${made.value.id}`
    equal((await send(added, 'PATCH', url, { body: { afloat: false } })).value.afloat, false)
    equal((await send(added, 'DELETE', url)).status, 200)
    equal((await get(added, url)).status, 404)
    const twice = await send(added, 'POST', '/api/owners', { body: { name: 'Ann' } })
    equal(twice.status, 409)
  })

  test('a column that the dialect refuses is an error at the start', () => {
    const columns = {
      id: { type: 'integer', primaryKey: true },
      price: { type: 'decimal' },
    } as const
    const priced = defineModel('Priced', { columns, meta: {} })
    let message = ''
    try {
      testApi(databases[1], [priced], {}, { dialect })
    } catch (error) {
      message = (error as Error).message
    }
    match(message, 'Tiny has no exact decimals')
  })
})

/** A new SQLite database in memory. */
function sqlite(): TestDatabase {
  const [db] = openDatabases() as [TestDatabase]
  return db
}

/** 10:30 UTC on a day. */
function at(day: string): string {
  return `${day}T10:30:00.000Z`
}
