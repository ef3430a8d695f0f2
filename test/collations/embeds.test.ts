/** Embedded rows belong to the parents that the database's collation finds, whatever the spelling of their keys. */
import { belongsTo, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createCollations, type Kind, otherSpelling, textType } from './collated.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const Shelf = defineModel('Shelf', {
  columns: {
    code: { ...text, primaryKey: true },
    room: { type: 'integer' },
  },
  relations: {
    items: hasMany('Item', 'shelf_code'),
    label: hasOne('Label', 'shelf_code'),
    keepers: manyToMany('Keeper', {
      through: 'shelf_keepers',
      from: 'shelf_code',
      to: 'keeper_name',
    }),
  },
  meta: {},
})
const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    shelf_code: { ...text, nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id: { type: 'integer', primaryKey: true }, shelf_code: text },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta: {},
})
const Keeper = defineModel('Keeper', {
  columns: { name: { ...text, primaryKey: true } },
  relations: {
    shelves: manyToMany('Shelf', {
      through: 'shelf_keepers',
      from: 'keeper_name',
      to: 'shelf_code',
    }),
  },
  meta: {},
})
/** Keys of two columns, one of them collated. */
const Bin = defineModel('Bin', {
  columns: { n: { type: 'integer', primaryKey: true }, code: { ...text, primaryKey: true } },
  relations: { parts: hasMany('Part', ['bin_n', 'bin_code']) },
  meta: {},
})
const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    bin_n: { type: 'integer' },
    bin_code: text,
  },
  relations: { bin: belongsTo('Bin', ['bin_n', 'bin_code']) },
  meta: {},
})

for (const kind of ['case', 'blanks'] satisfies Kind[]) {
  eachDatabase(`embeds under a collation that ignores ${kind}`, (test, db) => {
    const type = textType(db, kind)
    // Another collation, so that the junction's is not that of the keys.
    const junctionType = textType(db, kind)
    const other = (code: string) => otherSpelling(kind, code)
    test.before(async () => {
      await createCollations(db)
      await db.execScript(`create table shelves (code ${type} not null primary key, room integer not null);
        create table items (id integer primary key, shelf_code ${type});
        create table labels (id integer primary key, shelf_code ${type} not null);
        create table keepers (name ${type} not null primary key);
        create table shelf_keepers (shelf_code ${junctionType} not null, keeper_name ${junctionType} not null);
        create table bins (n integer not null, code ${type} not null, primary key (n, code));
        create table parts (id integer primary key, bin_n integer not null, bin_code ${type} not null)`)
      const { kysely } = db
      await kysely
        .insertInto('shelves')
        .values([
          { code: 'ABC', room: 1 },
          { code: 'DEF', room: 2 },
          { code: 'X\u0001\'"\\Y', room: 3 },
        ])
        .execute()
      await kysely
        .insertInto('items')
        .values([
          { id: 1, shelf_code: 'ABC' },
          { id: 2, shelf_code: other('ABC') },
          { id: 3, shelf_code: other('ABC') },
          { id: 4, shelf_code: 'DEF' },
          { id: 5, shelf_code: other('DEF') },
          { id: 6, shelf_code: null },
          { id: 7, shelf_code: other('X\u0001\'"\\Y') },
          { id: 8, shelf_code: 'GHI' },
        ])
        .execute()
      await kysely
        .insertInto('labels')
        .values([{ id: 1, shelf_code: other('DEF') }])
        .execute()
      await kysely
        .insertInto('keepers')
        .values([{ name: 'ANN' }, { name: 'BEN' }])
        .execute()
      await kysely
        .insertInto('shelf_keepers')
        .values([
          { shelf_code: other('ABC'), keeper_name: 'ANN' },
          { shelf_code: 'ABC', keeper_name: other('BEN') },
          { shelf_code: other('DEF'), keeper_name: other('BEN') },
        ])
        .execute()
      await kysely
        .insertInto('bins')
        .values([
          { n: 1, code: 'ABC' },
          { n: 2, code: 'ABC' },
        ])
        .execute()
      await kysely
        .insertInto('parts')
        .values([
          { id: 1, bin_n: 1, bin_code: other('ABC') },
          { id: 2, bin_n: 2, bin_code: 'ABC' },
          { id: 3, bin_n: 2, bin_code: other('ABC') },
        ])
        .execute()
    })
    const api = testApi(db, [Shelf, Item, Label, Keeper, Bin, Part], {
      API_ALLOW_JOIN: true,
      API_SERIALIZATION_DEPTH: 3,
    })
    const ok = async (url: string) => {
      const { status, text, value } = await get(api, url)
      equal(status, 200, text)
      return value
    }
    const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
    const trimmed = (value: string) => value.trimEnd()

    test('to-many', async () => {
      const shelves = await ok('/api/shelves?dump=json&order_by=room')
      equal(
        shelves.map(({ items }: never) => ids(items)),
        [[1, 2, 3], [4, 5], [7]],
      )
    })

    test('to-many with a limit per parent and conditions', async () => {
      const limited = await ok('/api/shelves?dump=json&items.limit=2&order_by=room')
      equal(
        limited.map(({ items }: never) => ids(items)),
        [[1, 2], [4, 5], [7]],
      )
      const chosen = await ok('/api/shelves?dump=json&items[id__ge=3]&order_by=room')
      equal(
        chosen.map(({ items }: never) => ids(items)),
        [[3], [4, 5], [7]],
      )
    })

    test('to-one', async () => {
      const items = await ok('/api/items?dump=json')
      equal(
        items.map(({ shelf }: { shelf: { room: number } | null }) => shelf?.room ?? null),
        [1, 1, 1, 2, 2, null, 3, null],
      )
      const shelves = await ok('/api/shelves?dump=json&order_by=room')
      equal(
        shelves.map(({ label }: { label: { id: number } | null }) => label?.id ?? null),
        [null, 1, null],
      )
    })

    test('many-to-many', async () => {
      const shelves = await ok('/api/shelves?dump=json&order_by=room')
      equal(
        shelves.map(({ keepers }: { keepers: { name: string }[] }) =>
          keepers.map(({ name }) => trimmed(name)),
        ),
        [['ANN', 'BEN'], ['BEN'], []],
      )
      const keepers = await ok('/api/keepers?dump=json&shelves.order_by=room')
      equal(
        keepers.map(({ shelves }: { shelves: { room: number }[] }) =>
          shelves.map(({ room }) => room),
        ),
        [[1], [1, 2]],
      )
    })

    test('nested', async () => {
      const items = await ok('/api/items?dump=json&id__in=(2,5)')
      equal(
        items.map(({ shelf }: { shelf: { keepers: { name: string }[]; label: unknown } }) => [
          shelf.keepers.map(({ name }) => trimmed(name)),
          shelf.label === null,
        ]),
        [
          [['ANN', 'BEN'], true],
          [['BEN'], false],
        ],
      )
    })

    test('keys of several columns', async () => {
      const bins = await ok('/api/bins?dump=json')
      equal(
        bins.map(({ parts }: never) => ids(parts)),
        [[1], [2, 3]],
      )
      const parts = await ok('/api/parts?dump=json')
      equal(
        parts.map(({ bin }: { bin: { n: number } | null }) => bin?.n),
        [1, 2, 2],
      )
    })

    test('as joins, conditions and relation routes say', async () => {
      equal(ids(await ok('/api/items?join=shelf&order_by=id')), [1, 2, 3, 4, 5, 7])
      equal(ids(await ok('/api/items?exists(shelf)&order_by=id')), [1, 2, 3, 4, 5, 7])
      const [{ items }] = await ok('/api/shelves?order_by=room')
      equal(ids(await ok(items)), [1, 2, 3])
      equal((await ok('/api/items/2/shelf')).room, 1)
      const [{ keepers }] = await ok('/api/shelves?order_by=room')
      equal((await ok(keepers)).length, 2)
    })
  })
}
