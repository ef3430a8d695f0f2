/** A soft delete with `cascade_delete` beside writes of dependents: no live record refers to a deleted one, whichever is first. */
import {
  type AccessPolicy,
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
} from '@model-api/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { mysqlTransactions } from '../support/mysql-connections.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20, nullable: true } as const
const gone = { type: 'datetime', nullable: true } as const

const Folk = defineModel('Folk', {
  columns: { id, name, next: { type: 'integer', nullable: true }, gone },
  relations: { kids: hasMany('Kid', 'folk_id') },
  meta: {},
})
const Kid = defineModel('Kid', {
  columns: { id, folk_id: { type: 'integer' }, name, gone },
  relations: { folk: belongsTo('Folk', 'folk_id'), toys: hasMany('Toy', 'kid_id') },
  meta: {},
})
const Toy = defineModel('Toy', {
  columns: { id, kid_id: { type: 'integer' }, name, gone },
  relations: { kid: belongsTo('Kid', 'kid_id') },
  meta: {},
})
const models: readonly AnyModel[] = [Folk, Kid, Toy]

const config: ApiConfig = {
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'gone',
  API_SOFT_DELETE_VALUES: [null, 'now'],
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
}
/** Hides other records, so that the parents are read through a subquery. */
const scope: AccessPolicy = { scope: { name: { ne: 'hidden' } } }
const callback: ApiConfig = { API_ADD_CALLBACK: (object) => object }
const hook: ApiConfig = {
  API_ACCESS_POLICY: { can_create: async () => true, can_update: () => true },
}

interface Form {
  readonly title: string
  readonly method?: 'POST' | 'PATCH'
  readonly url?: string
  readonly body?: unknown
  readonly config?: ApiConfig
}
/** Folk 1 is deleted; kid 1 and toy 1 belong to it, kid 2 and toy 2 to folk 2, and kid 3 was deleted before. */
const forms: readonly Form[] = [
  { title: 'a record', body: { folk_id: 1 } },
  { title: 'a record with a callback', body: { folk_id: 1 }, config: callback },
  { title: 'a record under a policy hook', body: { folk_id: 1 }, config: hook },
  {
    title: 'a record whose parent is in a scope',
    body: { folk_id: 1 },
    config: { API_ACCESS_POLICY: scope },
  },
  { title: 'a list', body: [{ folk_id: 1 }, { folk_id: 2 }, { folk_id: 1 }] },
  { title: 'a list with a callback', body: [{ folk_id: 2 }, { folk_id: 1 }], config: callback },
  {
    title: 'a list whose parents are in a scope',
    body: [{ folk_id: 2 }, { folk_id: 1 }],
    config: { API_ACCESS_POLICY: scope },
  },
  { title: 'a nested reference', body: { folk: { id: 1 } } },
  { title: 'nested references of a list', body: [{ folk: { id: 2 } }, { folk: { id: 1 } }] },
  { title: 'a nested reference with a callback', body: { folk: { id: 1 } }, config: callback },
  { title: 'a record of the second level', url: '/api/toys', body: { kid_id: 1 } },
  { title: 'a list of the second level', url: '/api/toys', body: [{ kid_id: 1 }, { kid_id: 2 }] },
  {
    title: 'a nested record with a reference',
    url: '/api/toys',
    body: { kid: { folk_id: 1, name: 'new' } },
  },
  { title: 'a record that moves', method: 'PATCH', url: '/api/kids/2', body: { folk_id: 1 } },
  {
    title: 'a record that moves, with a hook',
    method: 'PATCH',
    url: '/api/kids/2',
    body: { folk_id: 1 },
    config: hook,
  },
  {
    title: 'a record that moves by a nested reference',
    method: 'PATCH',
    url: '/api/kids/2',
    body: { folk: { id: 1 } },
  },
  { title: 'a list that moves a record', method: 'PATCH', body: [{ id: 2, folk_id: 1 }] },
  {
    title: 'a record of the second level that moves',
    method: 'PATCH',
    url: '/api/toys/2',
    body: { kid_id: 1 },
  },
  { title: 'a restored record', url: '/api/kids/3/restore' },
  { title: 'a restored record with a hook', url: '/api/kids/3/restore', config: hook },
]

eachDatabase('a cascade of soft deletions', (test, db) => {
  let beforeCommit = async () => {}
  let beforeInsert = async () => {}
  const deleting = testApi(db, models, {
    ...config,
    API_REMOVE_CALLBACK: async (_object, model) => {
      if (model.name === 'Folk') await beforeCommit()
    },
  })

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    beforeCommit = async () => {}
    for (const table of ['toys', 'kids', 'folks']) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Folk, [
      { id: 1, name: 'one', next: 1 },
      { id: 2, name: 'two', next: 1 },
    ])
    await insertRows(db, Kid, [
      { id: 1, folk_id: 1 },
      { id: 2, folk_id: 2 },
      { id: 3, folk_id: 1, gone: '2020-01-01T00:00:00.000Z' },
    ])
    await insertRows(db, Toy, [
      { id: 1, kid_id: 1 },
      { id: 2, kid_id: 2 },
    ])
    if (db.name !== 'postgres') return
    for (const table of ['folks', 'kids', 'toys'])
      await db.execScript(`alter table ${table} alter column id restart with 100`)
  })

  /** The numbers of live records of deleted ones. */
  async function orphans(): Promise<readonly number[]> {
    const count = (child: string, key: string, parent: string) =>
      sql<{ n: unknown }>`select count(*) as n from ${sql.id(child)} c
        join ${sql.id(parent)} p on p.id = ${sql.id('c', key)}
        where c.gone is null and p.gone is not null`.execute(db.kysely)
    const counted = [await count('kids', 'folk_id', 'folks'), await count('toys', 'kid_id', 'kids')]
    return counted.map(({ rows }) => Number(rows[0]?.n))
  }

  const write = (api: Api, { method = 'POST', url = '/api/kids', body }: Form): Promise<Answer> =>
    send(api, method, url, body === undefined ? {} : { body })
  const remove = () => send(deleting, 'DELETE', '/api/folks/1?cascade_delete=1')

  const databaseName = new URL(db.url ?? 'file:').pathname.slice(1)

  async function waitsForLock(): Promise<boolean> {
    if (db.name === 'postgres') {
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db.kysely)
      return rows.length > 0
    }
    const transactions = await mysqlTransactions(db.kysely, databaseName)
    return transactions.some((transaction) => transaction.waitsForLock)
  }

  /** Sends a request; returns when it has ended or waits for a lock. In SQLite, it would wait for the end of the transaction. */
  async function begun(request: () => Promise<Answer>): Promise<{ ended: Promise<Answer> }> {
    const ended = request()
    let isRunning = true
    void ended.finally(() => {
      isRunning = false
    })
    // Pauses first, because the table may still have the waits of an earlier test.
    do await pause()
    while (isRunning && !(await waitsForLock()))
    return { ended }
  }
  // InnoDB refreshes the table of transactions only if nobody has read it for 100 ms.
  const pause = () => new Promise((resolve) => setTimeout(resolve, db.name === 'mysql' ? 120 : 5))

  for (const form of forms) {
    test(`before ${form.title}, which is refused`, async () => {
      const api = testApi(db, models, { ...config, ...form.config })
      await api.ready
      let second: { ended: Promise<Answer> } | undefined
      if (db.name !== 'sqlite') {
        beforeCommit = async () => {
          second = await begun(() => write(api, form))
        }
      }
      const first = await remove()
      const { status, errors } = await (second?.ended ?? write(api, form))
      equal(first.status, 200, first.text)
      equal([status, errors?.code], [422, 'missing_reference'])
      equal(await orphans(), [0, 0])
    })

    test(`after ${form.title}, which is deleted too`, async () => {
      let second: { ended: Promise<Answer> } | undefined
      const api = testApi(db, models, {
        ...config,
        ...form.config,
        API_RETURN_CALLBACK: async <T>(value: T): Promise<T> => {
          if (db.name !== 'sqlite') second = await begun(remove)
          return value
        },
      })
      await api.ready
      const first = await write(api, form)
      const { status, text } = await (second?.ended ?? remove())
      ok(first.status < 300, first.text)
      equal(status, 200, text)
      equal(await orphans(), [0, 0])
    })
  }

  if (db.name === 'sqlite') return

  test('while a callback runs refuses the record at the end', async () => {
    const calling = testApi(db, models, {
      ...config,
      API_ADD_CALLBACK: async (object) => {
        await beforeInsert()
        return object
      },
    })
    for (const body of [{ folk_id: 1 }, [{ folk_id: 2 }, { folk_id: 1 }], { folk: { id: 1 } }]) {
      await db.kysely.updateTable('folks').set({ gone: null }).execute()
      let second: { ended: Promise<Answer> } | undefined
      beforeInsert = async () => {
        second ??= await begun(remove)
      }
      const { status, errors } = await send(calling, 'POST', '/api/kids', { body })
      equal((await second?.ended)?.status, 200)
      equal(await orphans(), [0, 0])
      const path = Array.isArray(body) ? '[1].folk_id' : 'folk' in body ? 'folk.id' : 'folk_id'
      equal([status, errors?.reason], [422, { [path]: ['No such record.'] }])
    }
  })

  /**
   * Sends a request that waits for a row of a transaction, which then waits for a row of the request. The request is the victim: on
   * PostgreSQL it waits longer, on MySQL and MariaDB it has changed fewer rows. On a busy machine PostgreSQL may end the transaction
   * instead, and the request succeeds without being repeated.
   */
  async function asVictim(
    first: string,
    request: () => Promise<Answer>,
    second: string,
  ): Promise<Answer> {
    const other = await db.kysely.startTransaction().execute()
    await sql.raw(first).execute(other)
    for (let i = 0; i < 5; i++)
      await sql`update toys set name = ${`${i}`} where id = 2`.execute(other)
    const { ended } = await begun(request)
    try {
      await sql.raw(second).execute(other)
      await other.commit().execute()
    } catch (error) {
      // An open transaction would keep its locks, and the request would wait for them.
      await other.rollback().execute()
      if (!/deadlock/i.test(String(error))) throw error
    }
    return ended
  }

  test('is repeated after a deadlock', async () => {
    const { status, text } = await asVictim(
      "update kids set name = 'b' where id = 1",
      remove,
      "update folks set name = 'b' where id = 1",
    )
    equal(status, 200, text)
    equal(await orphans(), [0, 0])
  })

  test('a list with references in a batch is repeated after a deadlock', async () => {
    const api = testApi(db, models, { ...config, API_ALLOW_BATCH: true })
    const body = [{ folk: { id: 1 } }, { folk: { id: 1 } }]
    const operations = [
      { id: 'folk', method: 'PATCH', url: '/api/folks/2', body: { name: 'c' } },
      { id: 'kids', method: 'POST', url: '/api/kids', body },
    ]
    const { status, text } = await asVictim(
      'select 1 from folks where id = 1 for update',
      () => send(api, 'POST', '/api/batch', { body: { operations } }),
      "update folks set name = 'b' where id = 2",
    )
    equal(status, 200, text)
  })

  test('does not delete a dependent that moves away meanwhile', async () => {
    let second: { ended: Promise<Answer> } | undefined
    const api = testApi(db, models, {
      ...config,
      API_RETURN_CALLBACK: async <T>(value: T): Promise<T> => {
        second = await begun(remove)
        return value
      },
    })
    const first = await send(api, 'PATCH', '/api/kids/1', { body: { folk_id: 2 } })
    equal([first.status, (await second?.ended)?.status], [200, 200])
    const { rows } = await sql<{
      id: number
    }>`select id from kids where gone is null order by id`.execute(db.kysely)
    equal(
      rows.map((row) => row.id),
      [1, 2],
    )
  })

  test('does not make callbacks that change or lock the parent wait for each other', async () => {
    for (const lock of [false, true]) {
      let calls = 0
      const numbering = testApi(db, models, {
        ...config,
        API_ADD_CALLBACK: async (object, _model, args) => {
          calls += 1
          if (lock) {
            await args.db.selectFrom('folks').select('id').where('id', '=', 1).forUpdate().execute()
          }
          await args.db
            .updateTable('folks')
            .set((eb: (name: string, op: string, by: number) => unknown) => ({
              next: eb('next', '+', 1),
            }))
            .where('id', '=', 1)
            .execute()
          return object
        },
      })
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          send(numbering, 'POST', '/api/kids', { body: { folk_id: 1 } }),
        ),
      )
      // After a deadlock, a callback would be called again.
      equal([answers.filter(({ status }) => status === 201).length, calls], [50, 50])
    }
  })

  if (db.name !== 'postgres') return
  test('before a record of a role that may not lock the parent, which is refused', async () => {
    const role = `role_of_${new URL(String(db.url)).pathname.slice(1)}`
    await db.execScript(
      `create role "${role}" login; grant select on folks to "${role}"; grant select, insert on kids to "${role}"`,
    )
    const url = new URL(String(db.url))
    url.username = role
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url.href, max: 2 })
    const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) })
    try {
      for (const body of [{ folk_id: 1 }, [{ folk_id: 1 }, { folk_id: 2 }], { folk: { id: 1 } }]) {
        await db.kysely.updateTable('folks').set({ gone: null }).execute()
        const api = testApi({ ...db, kysely }, models, config)
        const { status: alone } = await send(api, 'POST', '/api/kids', { body })
        equal(alone, 201)
        let second: { ended: Promise<Answer> } | undefined
        beforeCommit = async () => {
          second = await begun(() => send(api, 'POST', '/api/kids', { body }))
        }
        equal((await remove()).status, 200)
        equal((await second?.ended)?.status, 422)
        equal(await orphans(), [0, 0])
      }
    } finally {
      await kysely.destroy()
      await db.execScript(`drop owned by "${role}"; drop role "${role}"`)
    }
  })
})
