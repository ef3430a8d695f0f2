/** Writes name records as the database's collation finds them. */
import { belongsTo, type Change, defineModel, manyToMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createCollations, type Kind, otherSpelling, textType } from './collated.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const Shelf = defineModel('Shelf', {
  columns: { id: { type: 'integer', primaryKey: true }, room: { type: 'integer', nullable: true } },
  relations: {
    keepers: manyToMany('Keeper', {
      through: 'shelf_keepers',
      from: 'shelf_id',
      to: 'keeper_name',
    }),
  },
  meta: { allow_nested_writes: true },
})
const Keeper = defineModel('Keeper', {
  columns: { name: { ...text, primaryKey: true }, age: { type: 'integer', nullable: true } },
  relations: {},
  meta: { allow_nested_writes: true },
})
const ShelfKeeper = defineModel('ShelfKeeper', {
  columns: {
    shelf_id: { type: 'integer', primaryKey: true },
    keeper_name: { ...text, primaryKey: true },
  },
  meta: {},
})
const Task = defineModel('Task', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    keeper_name: { ...text, nullable: true },
  },
  relations: { keeper: belongsTo('Keeper', 'keeper_name') },
  meta: { allow_nested_writes: true },
})

for (const kind of ['case', 'blanks'] satisfies Kind[]) {
  eachDatabase(`writes under a collation that ignores ${kind}`, (test, db) => {
    const type = textType(db, kind)
    const other = (code: string) => otherSpelling(kind, code)
    test.before(async () => {
      await createCollations(db)
      await db.execScript(`create table shelves (id integer primary key, room integer);
        create table keepers (name ${type} not null primary key, age integer);
        create table shelf_keepers (shelf_id integer not null, keeper_name ${type} not null, primary key (shelf_id, keeper_name));
        create table tasks (id integer primary key, keeper_name ${type})`)
    })
    test.before.each(async () => {
      for (const table of ['shelf_keepers', 'shelves', 'keepers', 'tasks'] as const)
        await db.kysely.deleteFrom(table).execute()
      await db.kysely.insertInto('shelves').values({ id: 1 }).execute()
      await db.kysely
        .insertInto('keepers')
        .values([{ name: 'ANN' }, { name: 'BEN' }, { name: 'CAT' }])
        .execute()
      await db.kysely
        .insertInto('shelf_keepers')
        .values([
          { shelf_id: 1, keeper_name: other('ANN') },
          { shelf_id: 1, keeper_name: other('BEN') },
        ])
        .execute()
    })
    const config = { API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true }
    const links = async () => {
      const rows = await db.kysely.selectFrom('shelf_keepers').select('keeper_name').execute()
      return rows.map(({ keeper_name }) => String(keeper_name).trim().toUpperCase()).sort()
    }

    for (const published of [false, true]) {
      const models = [Shelf, Keeper, Task, ...(published ? [ShelfKeeper] : [])]
      for (const narrowed of [false, true]) {
        const noted: Change[] = []
        const policy = {
          // biome-ignore lint/suspicious/noExplicitAny: a query of any model
          scope_query: (query: any, { model }: { model: unknown }) =>
            model === Keeper ? query.where('name', '<>', 'ZED') : query,
        }
        const api = testApi(db, models, {
          ...config,
          API_AFTER_COMMIT_CALLBACK: (changes: readonly Change[]) => {
            noted.push(...changes)
          },
          ...(narrowed ? { API_ACCESS_POLICY: policy } : {}),
        } as never)

        test(`replace links, ${published ? 'records' : 'rows'} of a junction, ${narrowed ? 'with' : 'without'} a policy`, async () => {
          const body = { keepers: [{ name: 'BEN' }, { name: 'CAT' }] }
          const changed = await send(api, 'PATCH', '/api/shelves/1', { body })
          equal(changed.status, 200, changed.text)
          equal(await links(), ['BEN', 'CAT'])
          const [change] = noted.filter(({ links }) => links !== undefined)
          const { added, removed } = change?.links?.keepers ?? {}
          if (!published) equal([added?.length, removed?.length], [1, 1])
          equal(noted.filter(({ model }) => model === ShelfKeeper).length, published ? 2 : 0)
          equal((await send(api, 'PATCH', '/api/shelves/1', { body: { keepers: [] } })).status, 200)
          equal(await links(), [])
        })
      }
    }

    const api = testApi(db, [Shelf, Keeper, Task], config)
    /** With a callback, for which references are read without locks. */
    const slow = testApi(db, [Shelf, Keeper, Task], {
      ...config,
      API_ADD_CALLBACK: (record) => record,
    })

    test('refer to records', async () => {
      for (const one of [api, slow]) {
        await db.kysely.deleteFrom('tasks').execute()
        const body = { id: 1, keeper_name: other('ANN') }
        equal((await send(one, 'POST', '/api/tasks', { body })).status, 201)
        const list = [
          { id: 2, keeper_name: other('ANN') },
          { id: 3, keeper_name: 'ANN' },
          { id: 4, keeper_name: other('BEN') },
        ]
        const made = await send(one, 'POST', '/api/tasks', { body: list })
        equal(made.status, 201, made.text)
        const nested = { id: 5, keeper: { name: other('CAT') } }
        const linked = await send(one, 'POST', '/api/tasks', { body: nested })
        equal(linked.status, 201, linked.text)
        const { value } = await get(one, '/api/tasks?dump=json')
        equal(
          value.map(({ keeper }: { keeper: { name: string } | null }) => keeper?.name.trim()),
          ['ANN', 'ANN', 'ANN', 'BEN', 'CAT'],
        )
      }
    })

    test('change records by lists and upserts, and answer with the stored keys', async () => {
      const list = [
        { name: other('ANN'), age: 1 },
        { name: 'BEN', age: 2 },
      ]
      const changed = await send(api, 'PATCH', '/api/keepers', { body: list })
      equal(changed.status, 200, changed.text)
      equal(
        changed.value.map(({ name }: { name: string }) => name.trim()),
        ['ANN', 'BEN'],
      )
      equal(
        changed.value.map(({ name }: { name: string }) => name.endsWith(' ')),
        [false, false],
      )
      const put = await send(api, 'POST', '/api/keepers?on_conflict=name', {
        body: { name: other('ANN'), age: 3 },
      })
      equal([put.status, put.value.name, put.value.age], [200, 'ANN', 3], put.text)
      const both = await send(api, 'POST', '/api/keepers?on_conflict=name', {
        body: [
          { name: other('ANN'), age: 4 },
          { name: other('BEN'), age: 5 },
          { name: 'DAN', age: 6 },
        ],
      })
      equal(
        both.value?.map(({ name, age }: { name: string; age: number }) => [name, age]),
        [
          ['ANN', 4],
          ['BEN', 5],
          ['DAN', 6],
        ],
        both.text,
      )
    })
  })
}
