/** As many concurrent writes as the pool has connections, each with hooks that query args.db: none waits for another connection. */
import { type ApiConfig, defineModel, type HookArgs } from '@model-api/core'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const connections = 10

/** Counts the notes on the connection of the request. */
const ask = async ({ db }: Pick<HookArgs, 'db'>): Promise<boolean> => {
  await db.selectFrom('notes').select('id').execute()
  return true
}

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: {
      type: 'string',
      maxLength: 40,
      validator: (_value: string, _row: object, args: HookArgs) => ask(args),
    },
    label: {
      type: 'string',
      maxLength: 40,
      default: (args: HookArgs) => ask(args).then(() => 'asked'),
    },
  },
  meta: { access_policy: { can_create: (_data, args) => ask(args) } },
})

/** Returns a function whose promises resolve once it has been called `connections` times. */
function meeting(): () => Promise<void> {
  let come = 0
  let begin = (): void => {}
  const all = new Promise<void>((resolve) => {
    begin = resolve
  })
  return () => {
    come += 1
    if (come === connections) begin()
    return all
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any tables
async function poolOf({ name, url }: TestDatabase): Promise<Kysely<any>> {
  if (name === 'postgres') {
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url, max: connections })
    pool.on('error', () => {})
    return new Kysely({ dialect: new PostgresDialect({ pool }) })
  }
  const { createPool } = await import('mysql2')
  const pool = createPool({ uri: url ?? '', connectionLimit: connections })
  return new Kysely({ dialect: new MysqlDialect({ pool }) })
}

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'hooks that query args.db, on a pool without a free connection',
    (test, db) => {
      test.before(() => createTables(db, [Note]))

      test(`${connections} writes at once are all answered`, async () => {
        const pool = await poolOf(db)
        const allInTransaction = meeting()
        const config: ApiConfig = {
          API_ADD_CALLBACK: async (object, _model, args) => {
            await allInTransaction()
            await ask(args)
            return object
          },
        }
        const api = testApi({ ...db, kysely: pool }, [Note], config)
        const answers = await Promise.all(
          Array.from({ length: connections }, (_, i) =>
            send(api, 'POST', '/api/notes', { body: { title: `note ${i}` } }),
          ),
        )
        equal(
          answers.map(({ status, value }) => [status, value?.label]),
          Array.from({ length: connections }, () => [201, 'asked']),
        )
        equal((await pool.selectFrom('notes').select('id').execute()).length, connections)
        await pool.destroy()
      })
    },
    { only },
  )
}
