/** preparedPg sends BEGIN together with the first statement of a transaction, which never runs without it. */
import { preparedPg } from '@model-api/core/drivers'
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { equal, ok, rejects } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
type Database = Kysely<any>

eachDatabase(
  'BEGIN through preparedPg',
  (test, db) => {
    const opened: Database[] = []
    /** An instance with one connection, and the texts of the queries that its client received. */
    const open = (options: { readonly named?: boolean } = {}) => {
      const sent: string[] = []
      class Client extends pg.Client {
        // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
        override query(...args: any[]): any {
          sent.push(String(args[0]?.text ?? args[0]))
          return (super.query as (...given: unknown[]) => unknown)(...args)
        }
      }
      const pool = new pg.Pool({ connectionString: db.url ?? '', max: 1, Client } as pg.PoolConfig)
      pool.on('error', () => {})
      const on: Database = new Kysely({
        dialect: new PostgresDialect({ pool: preparedPg(pool, options) }),
      })
      opened.push(on)
      return { on, sent }
    }
    const insert = (on: Database, id: number) => on.insertInto('things').values({ id }).execute()
    const stored = async (): Promise<readonly number[]> => {
      const { rows } = await sql<{ id: number }>`select id from things order by id`.execute(
        db.kysely,
      )
      return rows.map(({ id }) => id)
    }

    test.before(() => db.execScript('create table things (id integer primary key, name text)'))
    test.before.each(() => db.execScript('delete from things'))
    test.after(async () => {
      for (const on of opened) await on.destroy()
      await db.close()
    })

    for (const options of [{}, { named: false }]) {
      test(`it is no separate query before a statement with values (${JSON.stringify(options)})`, async () => {
        const { on, sent } = open(options)
        for (let id = 1; id <= 4; id++) {
          sent.length = 0
          const inside = await on.transaction().execute(async (own) => {
            await insert(own, id)
            const { rows } = await sql<{
              at: string
            }>`select pg_current_xact_id_if_assigned()::text as at`.execute(own)
            return rows[0]?.at
          })
          ok(inside !== null)
          equal(sent.length, 3)
          equal(sent.at(-1), 'commit')
        }
        equal(await stored(), [1, 2, 3, 4])
      })
    }

    test('a transaction keeps its isolation level, and is rolled back as a whole', async () => {
      const { on } = open()
      for (let times = 0; times < 3; times++) {
        const work = on
          .transaction()
          .setIsolationLevel('serializable')
          .execute(async (own) => {
            await insert(own, 7)
            const { rows } = await sql<{
              level: string
            }>`select current_setting('transaction_isolation') as level`.execute(own)
            equal(rows, [{ level: 'serializable' }])
            throw new Error('no')
          })
        await rejects(work, /no/)
        equal(await stored(), [])
      }
    })

    test('a transaction without statements sends nothing', async () => {
      const { on, sent } = open()
      await on.transaction().execute(async () => {})
      await rejects(
        on.transaction().execute(() => Promise.reject(new Error('no'))),
        /no/,
      )
      equal(sent, [])
      await insert(on, 1)
      equal(await stored(), [1])
    })

    test('concurrent statements are all inside the transaction', async () => {
      const { on } = open()
      for (let times = 0; times < 3; times++) {
        const work = on.transaction().execute(async (own) => {
          await Promise.all([
            insert(own, 1),
            insert(own, 2),
            sql`insert into things values (3)`.execute(own),
          ])
          throw new Error('no')
        })
        await rejects(work, /no/)
        equal(await stored(), [])
      }
    })

    test('several statements in one text, and savepoints, run after it', async () => {
      const { on } = open()
      for (let times = 0; times < 3; times++) {
        await rejects(
          on.transaction().execute(async (own) => {
            await own.executeQuery(
              CompiledQuery.raw('insert into things values (1); insert into things values (2)'),
            )
            throw new Error('no')
          }),
          /no/,
        )
        equal(await stored(), [])
      }
      const transaction = await on.startTransaction().execute()
      const inside = await transaction.savepoint('one').execute()
      await insert(inside, 3)
      await inside.rollbackToSavepoint('one').execute()
      await insert(inside, 4)
      await inside.commit().execute()
      equal(await stored(), [4])
    })

    test('a first statement that fails leaves an aborted transaction, and the connection usable', async () => {
      const { on } = open()
      await insert(on, 1)
      for (let times = 0; times < 4; times++) {
        await rejects(
          on.transaction().execute((own) => insert(own, 1)),
          /duplicate key/,
        )
        await rejects(
          on
            .transaction()
            .execute((own) => own.selectFrom('nothing').selectAll().where('id', '=', 1).execute()),
          /does not exist/,
        )
        equal((await on.selectFrom('things').selectAll().where('id', '=', 1).execute()).length, 1)
      }
    })

    test('if it fails, the statement after it does not run', async () => {
      const wrong = CompiledQuery.raw('start transaction isolation level nonsense')
      const { on } = open()
      // The statement has a name from the second time on.
      for (const id of [1, 2, 3]) await insert(on, id)
      for (let times = 0; times < 3; times++) {
        await rejects(
          on.connection().execute(async (own) => {
            await own.executeQuery(wrong)
            try {
              await insert(own, 10)
            } finally {
              await own.executeQuery(CompiledQuery.raw('rollback'))
            }
          }),
          /syntax error/,
        )
        const alone = on.connection().execute(async (own) => {
          await own.executeQuery(wrong)
          await sql`insert into things values (11)`.execute(own)
        })
        await rejects(alone)
      }
      equal(await stored(), [1, 2, 3])
      await insert(on, 4)
      await insert(on, 5)
      equal(await stored(), [1, 2, 3, 4, 5])
    })

    test('a connection that is released without a statement begins no transaction for the next user', async () => {
      const { on } = open()
      await on.connection().execute((own) => own.executeQuery(CompiledQuery.raw('begin')))
      await insert(on, 1)
      equal(await stored(), [1])
    })
  },
  { only: 'postgres' },
)
