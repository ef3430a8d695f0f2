/**
 * References to a key that the database is about to give: they refer to no record, also in a transaction that is repeated, whose new
 * records get other keys.
 */
import { type AnyModel, type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { deadlockOpponent } from '../support/deadlocks.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const
const reference = { type: 'integer', nullable: true } as const

const nodes = (more: object): readonly AnyModel[] => [
  defineModel('Node', {
    columns: {
      id,
      name: { ...name, unique: true },
      parent_id: reference,
      group_id: reference,
      other_group_id: reference,
    },
    relations: {
      parent: belongsTo('Node', 'parent_id'),
      children: hasMany('Node', 'parent_id'),
      group: belongsTo('Group', 'group_id'),
      other_group: belongsTo('Group', 'other_group_id'),
    },
    meta: more,
  }),
  defineModel('Group', {
    table: 'node_groups',
    columns: { id, name },
    relations: {
      nodes: hasMany('Node', 'group_id'),
      others: hasMany('Node', 'other_group_id'),
    },
    meta: more,
  }),
]

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ADD_RELATIONS: false,
}
const noRecord = ['No such record.']
/** The keys that the next records and their repetitions may get. */
const coming = [1, 2, 3, 4, 5, 6]

const kinds: Readonly<Record<string, object>> = {
  'of a plain model': {},
  'of a model with a policy': { access_policy: { scope: { id: { gt: 0 } } } },
}

for (const [kind, meta] of Object.entries(kinds)) {
  eachDatabase(`references to coming keys ${kind}`, (test, db) => {
    const models = nodes(meta)
    const api = testApi(db, models, config)
    test.before(() => createTables(db, models))
    const last = async (table: string): Promise<number> => {
      await db.kysely
        .insertInto(table)
        .values({ name: `x${n++}` })
        .execute()
      const { id: key } = await db.kysely
        .selectFrom(table)
        .select('id')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      return Number(key)
    }
    let n = 0
    const fresh = () => ({ name: `n${n++}` })
    const request = async (method: string, url: string, body: unknown) => {
      const before = await counts(db)
      const { status, errors } = await send(api, method, url, { body })
      equal(await counts(db), before)
      return [status, errors?.reason]
    }

    test('in a new record', async () => {
      for (const more of coming) {
        const body = { ...fresh(), parent_id: (await last('nodes')) + more }
        equal(await request('POST', '/api/nodes', body), [422, { parent_id: noRecord }])
      }
    })

    test('in a list', async () => {
      for (const more of coming) {
        const key = (await last('nodes')) + more
        for (const at of [0, 1, 2]) {
          const list = [0, 1, 2].map((i) => ({ ...fresh(), parent_id: i === at ? key : null }))
          const reason = { [`[${at}].parent_id`]: noRecord }
          equal(await request('POST', '/api/nodes', list), [422, reason], `${more} ${at}`)
        }
      }
    })

    test('in an upsert', async () => {
      for (const more of coming) {
        const key = (await last('nodes')) + more
        const list = [fresh(), { ...fresh(), parent_id: key }]
        equal(await request('POST', '/api/nodes?on_conflict=name', list), [
          422,
          { '[1].parent_id': noRecord },
        ])
      }
    })

    test('beside a nested parent', async () => {
      for (const more of coming) {
        const key = (await last('node_groups')) + more
        const body = { ...fresh(), group: { name: 'g' }, other_group_id: key }
        equal(await request('POST', '/api/nodes', body), [422, { other_group_id: noRecord }])
        const list = [
          { ...fresh(), group: { name: 'g' } },
          { ...fresh(), group_id: key },
        ]
        equal(await request('POST', '/api/nodes', list), [422, { '[1].group_id': noRecord }])
      }
    })

    test('in nested records', async () => {
      for (const more of coming) {
        const key = (await last('node_groups')) + more
        const body = { name: 'g', nodes: [fresh(), { ...fresh(), other_group_id: key }] }
        equal(await request('POST', '/api/groups', body), [
          422,
          { 'nodes[1].other_group_id': noRecord },
        ])
        const parent = (await last('nodes')) + more
        const siblings = { name: 'g', nodes: [fresh(), { ...fresh(), parent_id: parent }] }
        equal(await request('POST', '/api/groups', siblings), [
          422,
          { 'nodes[1].parent_id': noRecord },
        ])
      }
    })

    test('in a transaction that is repeated after a deadlock', async () => {
      if (db.name === 'sqlite') return
      const opponent = await deadlockOpponent(db)
      const [first, second] = [await last('node_groups'), await last('node_groups')]
      const change = (key: number) => `update node_groups set name = 'met' where id = ${key}`
      try {
        for (const more of coming) {
          const key = (await last('nodes')) + more
          let calls = 0
          const own = testApi(
            db,
            models,
            {
              ...config,
              API_ADD_CALLBACK: async (record, _model, { db: inside }) => {
                calls += 1
                // The first record is stored before the statement of the second one's callback.
                if (calls !== 2) return record
                await sql.raw(change(first)).execute(inside)
                const { over } = await opponent.meet(change(second), change(first))
                await sql
                  .raw(change(second))
                  .execute(inside)
                  .finally(() => over)
                return record
              },
            },
            { db: opponent.victims, onError: () => {} },
          )
          const body = [fresh(), { ...fresh(), parent_id: key }]
          const { status, errors } = await send(own, 'POST', '/api/nodes', { body })
          // The first attempt gives the first of these keys. A policy refuses the others before the callback.
          const isRepeated = more > 1 && !('access_policy' in meta)
          equal(
            [status, errors?.reason, calls > 2],
            [422, { '[1].parent_id': noRecord }, isRepeated],
          )
        }
      } finally {
        await opponent.close()
      }
    })

    test('by nested records and clients that know the keys are made', async () => {
      const key = await last('nodes')
      const tree = {
        ...fresh(),
        parent_id: key,
        group: { name: 'g' },
        children: [fresh(), { ...fresh(), children: [fresh()] }],
      }
      const { status, value } = await send(api, 'POST', '/api/nodes', { body: tree })
      equal([status, value.parent_id], [201, key])
      const body = { parent_id: value.id }
      equal((await send(api, 'PATCH', `/api/nodes/${value.id}`, { body })).status, 200)
    })

    test('in nested objects', async () => {
      for (const more of coming) {
        const key = (await last('node_groups')) + more
        const list = [
          { ...fresh(), group: { name: 'g' } },
          { ...fresh(), group: { id: key } },
        ]
        equal(await request('POST', '/api/nodes', list), [422, { '[1].group.id': noRecord }])
      }
    })
  })
}

const counts = async (db: TestDatabase): Promise<readonly number[]> => {
  const rows = ['nodes', 'node_groups'].map((table) =>
    db.kysely.selectFrom(table).select('id').execute(),
  )
  return (await Promise.all(rows)).map(({ length }) => length)
}

const Leaf = defineModel('Leaf', {
  columns: {
    id,
    tenant: { type: 'integer', nullable: true },
    up_id: reference,
  },
  unique: [['tenant', 'id']],
  relations: { up: belongsTo('Leaf', ['tenant', 'up_id'], { references: ['tenant', 'id'] }) },
  meta: {},
})

eachDatabase('references of several columns to coming keys', (test, db) => {
  test.before(() => createTables(db, [Leaf]))
  const api = testApi(db, [Leaf], config)
  const last = async (): Promise<number> => {
    const { value } = await send(api, 'POST', '/api/leaves', { body: { tenant: 1 } })
    return value.id
  }

  // MySQL 9.7 does not enforce a foreign key of several columns to its own table, so there only the exact key is refused.
  const guesses = db.engine === 'mysql' ? [1] : coming

  test('refer to no record', async () => {
    for (const more of guesses) {
      const own = { tenant: 1, up_id: (await last()) + more }
      equal((await send(api, 'POST', '/api/leaves', { body: own })).errors?.reason, {
        tenant: noRecord,
        up_id: noRecord,
      })
      const list = [{ tenant: 1 }, { tenant: 1, up_id: (await last()) + more }]
      equal((await send(api, 'POST', '/api/leaves', { body: list })).errors?.reason, {
        '[1].tenant': noRecord,
        '[1].up_id': noRecord,
      })
    }
  })

  test('refer to stored records, and to none if a part is NULL', async () => {
    const stored = await last()
    const { status, value } = await send(api, 'POST', '/api/leaves', {
      body: [
        { tenant: 1, up_id: stored },
        { tenant: null, up_id: null },
      ],
    })
    equal([status, value[0].up_id, value[1].up_id], [201, stored, null])
  })
})
