/**
 * A before-commit callback that sends a statement through another connection than args.db: what it writes stays stored although the
 * request is rolled back, so onWarning says what to use instead. On a pool of one connection it fails (one-connection.test.ts).
 */
import { type AnyModel, type Api, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { CamelCasePlugin, type Kysely } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string', maxLength: 40 },
} as const
const Note = defineModel('Note', { columns, meta: { allow_bulk: true } })
const Audit = defineModel('Audit', { table: 'audit', columns })

// biome-ignore lint/suspicious/noExplicitAny: any tables
type Instance = Kysely<any>

const audit = (db: Instance) => db.insertInto('audit').values({ title: 'x' }).execute()
const later = (ms = 2) => new Promise<void>((resolve) => setTimeout(resolve, ms))

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'a before-commit callback that uses another connection than args.db',
    (test, database) => {
      const db: Instance = database.kysely
      test.before(() => createTables(database, [Note, Audit]))

      const warnings: string[] = []
      const apiWith = (config: ApiConfig, models: readonly AnyModel[] = [Note]): Api => {
        warnings.length = 0
        // Each API also warns that the test servers have no time limits.
        const onWarning = (message: string): void => {
          if (!/on this connection/.test(message)) warnings.push(message)
        }
        return testApi(database, models, config, { onWarning, onError: () => {} })
      }
      const post = (api: Api, title = 'new') => send(api, 'POST', '/api/notes', { body: { title } })
      const audited = async () => (await db.selectFrom('audit').select('id').execute()).length

      const uses: Readonly<Record<string, () => Promise<unknown>>> = {
        'the instance of createApi': () => audit(db),
        'after it has waited for something else': () => later().then(() => audit(db)),
        'a transaction of it': () => db.transaction().execute((own) => audit(own)),
        'a connection of it': () => db.connection().execute((own) => audit(own)),
        'an instance made of it': () => audit(db.withPlugin(new CamelCasePlugin())),
      }
      for (const [name, use] of Object.entries(uses)) {
        test(`${name}: one warning for each API, and the row stays after a rollback`, async () => {
          const api = apiWith({
            API_BEFORE_COMMIT_CALLBACK: async () => {
              await use()
              throw apiError(409, 'Conflict', 'no')
            },
          })
          const before = await audited()
          for (const status of [(await post(api)).status, (await post(api)).status]) {
            equal(status, 409)
          }
          equal(await audited(), before + 2)
          equal(warnings.length, 1)
          match(
            warnings[0] ?? '',
            /API_BEFORE_COMMIT_CALLBACK.*not part of the transaction.*args\.db/,
          )
        })
      }

      test('a callback of a model, in a batch and in a list', async () => {
        const Own = defineModel('Note', {
          columns,
          meta: { allow_bulk: true, before_commit_callback: () => audit(db).then(() => {}) },
        })
        const api = apiWith({ API_ALLOW_BATCH: true }, [Own])
        const operations = [{ id: 'a', method: 'POST', url: '/api/notes', body: { title: 'x' } }]
        equal((await send(api, 'POST', '/api/batch', { body: { operations } })).status, 200)
        equal(warnings.length, 1)
        const other = apiWith({}, [Own])
        const body = [{ title: 'x' }, { title: 'y' }]
        equal((await send(other, 'POST', '/api/notes', { body })).status, 201)
        equal(warnings.length, 1)
      })

      test('an instance of API_SESSION_GETTER', async () => {
        const session = db.withPlugin(new CamelCasePlugin())
        const api = apiWith({
          API_SESSION_GETTER: () => session,
          API_BEFORE_COMMIT_CALLBACK: async () => void (await audit(session)),
        })
        equal((await post(api)).status, 201)
        equal(warnings.length, 1)
      })

      test('args.db, other hooks, other requests at the same time and what runs after the callback do not warn', async () => {
        const background: Promise<unknown>[] = []
        const api = apiWith({
          API_ADD_CALLBACK: async (note) => {
            await audit(db)
            return note
          },
          API_RETURN_CALLBACK: async (result) => {
            await audit(db)
            return result
          },
          API_BEFORE_COMMIT_CALLBACK: async ([change], args) => {
            await audit(args.db)
            // Still runs when the statement after the other callback is sent.
            await later(change?.after?.title === 'slow' ? 60 : 2)
            await audit(args.db.withPlugin(new CamelCasePlugin()))
            setTimeout(() => void background.push(audit(db)), 20)
          },
          API_AFTER_COMMIT_CALLBACK: async () => void background.push(audit(db)),
        })
        const reads = [1, 2, 3].map(() => send(api, 'GET', '/api/notes'))
        const answers = await Promise.all([post(api), post(api, 'slow'), audit(db), ...reads])
        equal(
          answers.map((one) => ('status' in one ? one.status : 0)),
          [201, 201, 0, 200, 200, 200],
        )
        await later(60)
        equal(background.length, 4)
        await Promise.all(background)
        equal(warnings, [])
      })

      test('a callback that exceeds API_HOOK_TIMEOUT ends being watched', async () => {
        let resume = (): void => {}
        const waits = new Promise<void>((resolve) => {
          resume = resolve
        })
        let written: Promise<unknown> = Promise.resolve()
        const api = apiWith({
          API_HOOK_TIMEOUT: 50,
          API_BEFORE_COMMIT_CALLBACK: async () => {
            await waits
            written = audit(db)
          },
        })
        equal((await post(api)).status, 500)
        resume()
        await later()
        await written
        equal(warnings, [])
      })
    },
    { only },
  )
}
