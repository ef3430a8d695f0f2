/** Compiles and executes the example of docs/recipes/schema-per-tenant.md: each tenant reads and writes its own schema. */
import Sqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, SqliteDialect } from 'kysely'
import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

suite('a schema for each tenant', (test) => {
  test('is chosen by the host name of the request; an unknown host has none', async () => {
    const [, code = ''] =
      readSource('docs/recipes/schema-per-tenant.md').match(/^```ts\n(.*?)^```/ms) ?? []
    const { serveTenants } = (await compiled(code)) as {
      serveTenants(
        db: Kysely<never>,
        schemas: readonly string[],
      ): (request: Request) => Promise<Response>
    }
    const db = new Kysely<never>({
      dialect: new SqliteDialect({ database: new Sqlite(':memory:') }),
    })
    for (const schema of ['north', 'south', 'secret']) {
      for (const text of [
        `attach ':memory:' as ${schema}`,
        `create table ${schema}.notes (id integer primary key, text text not null)`,
        `insert into ${schema}.notes (text) values ('of ${schema}')`,
      ]) {
        await db.executeQuery(CompiledQuery.raw(text))
      }
    }
    const serve = serveTenants(db, ['north', 'south'])
    const notesOf = async (tenant: string): Promise<unknown> => {
      const response = await serve(new Request(`https://${tenant}.example.com/api/notes`))
      if (response.status !== 200) return response.status
      const { value } = (await response.json()) as { value: readonly { readonly text: string }[] }
      return value.map(({ text }) => text)
    }
    equal(await notesOf('north'), ['of north'])
    equal(await notesOf('south'), ['of south'])
    equal(await notesOf('secret'), 404)
    await db.destroy()
  })
})
