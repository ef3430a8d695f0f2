/** SQLite alone lets the two columns of a relation have different collations: that of the referred column decides, as in its foreign keys. */
import { belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const Shelf = defineModel('Shelf', {
  columns: { code: { ...text, primaryKey: true } },
  relations: {
    items: hasMany('Item', 'shelf_code'),
    keepers: manyToMany('Keeper', {
      through: 'links',
      from: 'shelf_code',
      to: 'keeper_name',
    }),
  },
  meta: { allow_nested_writes: true },
})
const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    shelf_code: { ...text, nullable: true },
    n: { type: 'integer', nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta: { allow_nested_writes: true },
})
const Keeper = defineModel('Keeper', {
  columns: { name: { ...text, primaryKey: true } },
  relations: {
    shelves: manyToMany('Shelf', {
      through: 'links',
      from: 'keeper_name',
      to: 'shelf_code',
    }),
  },
  meta: {},
})

const spellings = ['ABC', 'abc', 'ABC ', 'DEF', 'def', 'GHI']
const links = [
  ['abc', 'DEF'],
  ['DEF', 'ABC '],
  ['def', 'def'],
  ['ABC ', 'ABC'],
] as const
const pairs = [
  ['nocase', 'binary'],
  ['binary', 'nocase'],
  ['rtrim', 'nocase'],
  ['nocase', 'rtrim'],
  ['nocase', 'nocase'],
] as const

/** The key that the collation finds equal to a text, as SQLite does. */
const keyOf = (collation: string, value: string): string | null =>
  ['ABC', 'DEF'].find((key) => {
    if (collation === 'nocase') return key.toLowerCase() === value.toLowerCase()
    return collation === 'rtrim' ? key === value.trimEnd() : key === value
  }) ?? null

for (const [parent, child] of pairs) {
  eachDatabase(
    `keys under ${parent}, referred to by columns under ${child}`,
    (test, db) => {
      test.before(async () => {
        await db.execScript(`
          create table shelves (code varchar(20) collate ${parent} not null primary key);
          create table keepers (name varchar(20) collate ${parent} not null primary key);
          create table items (id integer primary key, shelf_code varchar(20) collate ${child}, n integer);
          create index items_shelf on items (shelf_code);
          create table links (shelf_code varchar(20) collate ${child} not null, keeper_name varchar(20) collate ${child} not null)`)
      })
      test.before.each(async () => {
        for (const table of ['links', 'items', 'shelves', 'keepers'] as const)
          await db.kysely.deleteFrom(table).execute()
        const keys = ['ABC', 'DEF']
        await db.kysely
          .insertInto('shelves')
          .values(keys.map((code) => ({ code })))
          .execute()
        await db.kysely
          .insertInto('keepers')
          .values(keys.map((name) => ({ name })))
          .execute()
        const items = spellings.map((code, i) => ({ id: i + 1, shelf_code: code }))
        await db.kysely.insertInto('items').values(items).execute()
        const rows = links.map(([shelf_code, keeper_name]) => ({ shelf_code, keeper_name }))
        await db.kysely.insertInto('links').values(rows).execute()
      })
      const api = testApi(db, [Shelf, Item, Keeper], {
        API_ALLOW_JOIN: true,
        API_ALLOW_CASCADE_DELETE: true,
      })
      const ok = async (url: string) => {
        const { status, text, value } = await get(api, url)
        equal(status, 200, `${url} ${text}`)
        return value
      }
      const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
      const of = (key: string | null) =>
        spellings.flatMap((one, i) => (keyOf(parent, one) === key ? [i + 1] : []))

      test('embeds', async () => {
        const shelves = await ok('/api/shelves?dump=json&order_by=code')
        equal(
          shelves.map(({ items }: never) => ids(items)),
          [of('ABC'), of('DEF')],
        )
        const items = await ok('/api/items?dump=json&order_by=id')
        const codes = items.map(
          ({ shelf }: { shelf: { code: string } | null }) => shelf?.code ?? null,
        )
        equal(
          codes,
          spellings.map((one) => keyOf(parent, one)),
        )
        const limited = await ok('/api/shelves?dump=json&order_by=code&items.limit=1')
        equal(
          limited.map(({ items }: never) => ids(items)),
          [of('ABC').slice(0, 1), of('DEF').slice(0, 1)],
        )
      })

      test('routes', async () => {
        equal(ids(await ok('/api/shelves/ABC/items?order_by=id')), of('ABC'))
        for (const [i, one] of spellings.entries()) {
          const { status, value } = await get(api, `/api/items/${i + 1}/shelf`)
          const key = keyOf(parent, one)
          equal([status, value?.code], key === null ? [404, undefined] : [200, key])
        }
      })

      test('joins, filters and existence', async () => {
        equal(ids(await ok('/api/items?join=shelf&shelf.code__eq=ABC&order_by=id')), of('ABC'))
        equal(ids(await ok('/api/items?exists(shelf.code__eq=DEF)&order_by=id')), of('DEF'))
        equal(ids(await ok('/api/items?missing(shelf)&order_by=id')), of(null))
        for (const id of [1, 2, 3, 6]) {
          const found = await ok(`/api/shelves?exists(items.id__eq=${id})`)
          const key = keyOf(parent, spellings[id - 1] ?? '')
          equal(
            found.map(({ code }: { code: string }) => code),
            key === null ? [] : [key],
          )
        }
        equal(
          ids(await ok('/api/items?exists(shelf.code__in=(ABC,DEF))&order_by=-id&limit=9')).length,
          of('ABC').length + of('DEF').length,
        )
      })

      test('links', async () => {
        const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).sort()
        const linked = (code: string) =>
          links
            .filter(([shelf]) => keyOf(parent, shelf) === code)
            .flatMap(([, keeper]) => keyOf(parent, keeper) ?? [])
            .sort()
        const shelves = await ok('/api/shelves?dump=json&order_by=code')
        equal(
          shelves.map(({ keepers }: never) => names(keepers)),
          [linked('ABC'), linked('DEF')],
        )
        for (const code of ['ABC', 'DEF']) {
          equal(names(await ok(`/api/shelves/${code}/keepers`)), linked(code))
          equal(names(await ok(`/api/keepers?exists(shelves.code__eq=${code})`)), linked(code))
        }
      })

      test('lists of children', async () => {
        const kept = of('ABC')
          .slice(1)
          .map((id) => ({ id, n: 5 }))
        const body = { items: [...kept, { id: 20 }] }
        const changed = await send(api, 'PATCH', '/api/shelves/ABC?items.on_missing=remove', {
          body,
        })
        equal(changed.status, 200, changed.text)
        equal(ids(await ok('/api/shelves/ABC/items?order_by=id')), [...ids(kept), 20])
        equal(ids(await ok('/api/shelves/DEF/items?order_by=id')), of('DEF'))
      })

      test('links that are sent', async () => {
        const body = { keepers: [{ name: 'DEF' }] }
        equal((await send(api, 'PATCH', '/api/shelves/ABC', { body })).status, 200)
        const { value } = await get(api, '/api/shelves/ABC/keepers')
        equal(
          value.map(({ name }: { name: string }) => name),
          ['DEF'],
        )
      })

      test('removals', async () => {
        const refused = await send(api, 'DELETE', '/api/shelves/ABC')
        equal([refused.status, refused.body.errors.code], [409, 'referred_to'], refused.text)
        const deleted = await send(api, 'DELETE', '/api/shelves/ABC?cascade_delete=1')
        equal(deleted.status, 200, deleted.text)
        const left = spellings.flatMap((one, i) => (keyOf(parent, one) === 'ABC' ? [] : [i + 1]))
        equal(ids(await ok('/api/items?order_by=id')), left)
      })
    },
    { only: 'sqlite' },
  )
}
