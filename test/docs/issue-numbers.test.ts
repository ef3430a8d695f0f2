/** Sends requests to the issues of docs/hooks.md, whose numbers count within their project: concurrent lists must not deadlock. */
import { readFileSync } from 'node:fs'
import { type AnyModel, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import type { DatabaseName } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const code = blocks.find((block) => block.includes("defineModel('Issue'")) ?? ''
const shownLock = '.forNoKeyUpdate()'

/** The locks of the page's table. */
const locks: Readonly<Record<DatabaseName, string>> = {
  postgres: shownLock,
  mysql: '.forUpdate()',
  sqlite: '',
}

const Project = defineModel('Project', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: {},
})

eachDatabase('numbers of issues', (test, db) => {
  let models: readonly AnyModel[] = []
  test.before(async () => {
    ok(code.includes(shownLock))
    const { Issue } = await compiled(
      `import { belongsTo, defineModel, type HookArgs } from '@model-api/core'
${code.replace(shownLock, locks[db.name])}
export { Issue }\n`,
    )
    models = [Project, Issue as AnyModel]
    await createTables(db, models)
    await insertRows(
      db,
      Project,
      [1, 2, 3].map((id) => ({ id })),
    )
  })
  const numbers = async (project: number) => {
    const rows = db.kysely.selectFrom('issues').select('number').where('project_id', '=', project)
    return (await rows.orderBy('number').execute()).map(({ number }) => number)
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

  test('have no gaps after concurrent lists in opposite orders, none of which is repeated', async () => {
    const api = testApi(db, models)
    const { result, statements } = await db.capture(() =>
      Promise.all(
        upTo(12).map((n) => {
          const projects = n % 2 === 0 ? [1, 2, 1] : [2, 1, 2]
          const body = projects.map((project_id) => ({ title: `List ${n}`, project_id }))
          return send(api, 'POST', '/api/issues', { body })
        }),
      ),
    )
    equal(
      result.map(({ status }) => status),
      upTo(12).map(() => 201),
    )
    equal([await numbers(1), await numbers(2)], [upTo(18), upTo(18)])
    const locking = statements.filter(({ sql }) => /^select .id. from .projects. where/.test(sql))
    equal(locking.length, 12)
  })

  test('follow an issue that moves', async () => {
    const api = testApi(db, models)
    const body = { title: 'Moves', project_id: 1 }
    const { value, headers } = await send(api, 'POST', '/api/issues', { body })
    equal(value.number, 19)
    const url = headers.location ?? ''
    const moved = await send(api, 'PATCH', url, { body: { project_id: 3, title: 'Moved' } })
    equal([moved.status, moved.value.number], [200, 1])
    const renamed = await send(api, 'PATCH', url, { body: { title: 'Stays' } })
    equal([renamed.status, renamed.value.number], [200, 1])
  })
})
