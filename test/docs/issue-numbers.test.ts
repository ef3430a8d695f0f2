/** Sends requests to the issues of docs/recipes/numbers-within-a-parent.md, whose numbers count within their project: concurrent requests must not deadlock. */
import { readFileSync } from 'node:fs'
import { type AnyModel, type Api, defineModel } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = readFileSync(
  new URL('../../docs/recipes/numbers-within-a-parent.md', import.meta.url),
  'utf8',
)
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const code = blocks.find((block) => block.includes("defineModel('Issue'")) ?? ''

const id = { type: 'integer', primaryKey: true } as const
const Tenant = defineModel('Tenant', { columns: { id }, meta: {} })
const Project = defineModel('Project', { columns: { id }, meta: {} })

const config = {
  API_AUTHENTICATE_METHOD: ['custom'] as const,
  API_CUSTOM_AUTH: () => ({ id: 1, tenant_id: 1, roles: [] }),
  API_CUSTOM_AUTH_PER_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BATCH: true,
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
/** The projects of the `n`-th of several concurrent requests, in opposite orders. */
const projectsOf = (n: number): number[] => (n % 2 === 0 ? [1, 2, 1] : [2, 1, 2])

eachDatabase('numbers of issues', (test, db) => {
  let models: readonly AnyModel[] = []
  let api: Api
  test.before(async () => {
    const { Issue } = await compiled(
      `import { belongsTo, defineModel, type HookArgs } from '@model-api/core'
${code}
export { Issue }\n`,
    )
    models = [Tenant, Project, Issue as AnyModel]
    await createTables(db, models)
    await insertRows(db, Tenant, [{ id: 1 }])
    await insertRows(
      db,
      Project,
      upTo(4).map((id) => ({ id })),
    )
    api = testApi(db, models, config)
  })
  const empty = () => db.kysely.deleteFrom('issues').execute()

  const numbers = async (project: number): Promise<number[]> => {
    const rows = db.kysely.selectFrom('issues').select('number').where('project_id', '=', project)
    return (await rows.orderBy('number').execute()).map(({ number }) => number)
  }
  const addIssues = (): Promise<Answer> => {
    const body = upTo(24).map((n) => ({ title: `Issue ${n}`, project_id: n % 2 === 0 ? 2 : 1 }))
    return send(api, 'POST', '/api/issues', { body })
  }

  /** Sends twelve requests at once, and returns how many transactions they took. */
  async function concurrently(
    status: number,
    request: (n: number) => Promise<Answer>,
  ): Promise<number> {
    const { result, statements } = await db.capture(() => Promise.all(upTo(12).map(request)))
    equal(
      result.map((answer) => answer.status),
      Array(12).fill(status),
    )
    return statements.filter(({ sql }) => /^(?:select 1 from|update) .tenants. /.test(sql)).length
  }

  test('have no gaps after concurrent lists in opposite orders, none of which is repeated', async () => {
    await empty()
    const transactions = await concurrently(201, (n) => {
      const body = projectsOf(n).map((project_id) => ({ title: `List ${n}`, project_id }))
      return send(api, 'POST', '/api/issues', { body })
    })
    equal([transactions, await numbers(1), await numbers(2)], [12, upTo(18), upTo(18)])
  })

  test('have no gaps after concurrent lists that name the projects by nested objects', async () => {
    await empty()
    const transactions = await concurrently(201, (n) => {
      const body = projectsOf(n).map((id) => ({ title: `List ${n}`, project: { id } }))
      return send(api, 'POST', '/api/issues', { body })
    })
    equal([transactions, await numbers(1), await numbers(2)], [12, upTo(18), upTo(18)])
  })

  test('have no gaps after concurrent lists that move issues both ways', async () => {
    await empty()
    const { value } = await addIssues()
    const ids: number[] = value.map((issue: { readonly id: number }) => issue.id)
    const transactions = await concurrently(200, (n) => {
      const [first, second] = n % 2 === 0 ? [3, 4] : [4, 3]
      const body = [
        { id: ids[2 * n - 2], project_id: first },
        { id: ids[2 * n - 1], project_id: second },
      ]
      return send(api, 'PATCH', '/api/issues', { body })
    })
    equal([transactions, await numbers(3), await numbers(4)], [12, upTo(12), upTo(12)])
    equal([await numbers(1), await numbers(2)], [[], []])
  })

  test('have no gaps after concurrent batches in opposite orders', async () => {
    await empty()
    const transactions = await concurrently(200, (n) => {
      const operations = projectsOf(n).map((project_id, i) => ({
        id: `issue${i}`,
        method: 'POST',
        url: '/api/issues',
        body: { title: `Batch ${n}`, project_id },
      }))
      return send(api, 'POST', '/api/batch', { body: { operations } })
    })
    equal([transactions, await numbers(1), await numbers(2)], [12, upTo(18), upTo(18)])
  })

  test('follow an issue that moves', async () => {
    await empty()
    await addIssues()
    const body = { title: 'Moves', project_id: 1 }
    const { value, headers } = await send(api, 'POST', '/api/issues', { body })
    equal(value.number, 13)
    const url = headers.location ?? ''
    const moved = await send(api, 'PATCH', url, { body: { project_id: 3, title: 'Moved' } })
    equal([moved.status, moved.value.number], [200, 1])
    const renamed = await send(api, 'PATCH', url, { body: { title: 'Stays' } })
    equal([renamed.status, renamed.value.number], [200, 1])
  })
})
