/** Executes the function of docs/recipes/undo-a-cascade.md that undoes a cascade, and what the page says about transactions of the host. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
} from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const blocks = [...readSource('docs/recipes/undo-a-cascade.md').matchAll(/^```ts\n(.*?)^```/gms)]
const code =
  blocks.map(([, block = '']) => block).find((block) => block.includes('restoreProject')) ?? ''

const id = { type: 'integer', primaryKey: true, generated: true } as const
const deleted_at = { type: 'datetime', nullable: true } as const
const meta = {
  soft_delete: true,
  soft_delete_attribute: 'deleted_at',
  soft_delete_values: [null, 'now'],
} as const
const Project = defineModel('Project', {
  columns: { id, name: { type: 'string' }, deleted_at },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta,
})
const Issue = defineModel('Issue', {
  columns: { id, project_id: { type: 'integer' }, deleted_at },
  relations: { project: belongsTo('Project', 'project_id') },
  meta,
})
const models: readonly AnyModel[] = [Project, Issue]
const config: ApiConfig = {
  API_ALLOW_BATCH: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
}

eachDatabase('the undo of a cascade', (test, db) => {
  let restoreProject: (api: Api, id: number) => Promise<{ status: number; body?: unknown }>
  test.before(async () => {
    await createTables(db, models)
    const shown =
      await compiled(`import type { Api, ApiRequest, ApiResponse } from '@model-api/core'
${code}
export { restoreProject }\n`)
    restoreProject = shown.restoreProject as typeof restoreProject
  })

  /** A project with issues, of which the first is deleted before the others and the project. */
  async function deletedProject(api: Api, clock: { tick(ms: number): void }, count: number) {
    const { value } = await send(api, 'POST', '/api/projects', { body: { name: 'Ferry' } })
    const body = Array.from({ length: count }, () => ({ project_id: value.id }))
    const issues = await send(api, 'POST', '/api/issues', { body })
    await send(api, 'DELETE', `/api/issues/${issues.value[0].id}`)
    clock.tick(1000)
    const url = `/api/projects/${value.id}`
    equal((await send(api, 'DELETE', `${url}?cascade_delete=1`)).status, 200)
    equal((await get(api, url)).status, 404)
    return value.id as number
  }

  test('restores the records of all pages, and no others', async () => {
    const clock = frozenClock()
    const api = testApi(db, models, config, { clock })
    const key = await deletedProject(api, clock, 251)
    equal((await restoreProject(api, key)).status, 200)
    equal((await get(api, `/api/projects/${key}/issues?limit=1`)).total, 250)
    equal((await restoreProject(api, 999_999)).status, 404)
  })

  test('needs a batch as long as the cascade', async () => {
    const clock = frozenClock()
    const api = testApi(db, models, { ...config, API_MAX_BATCH: 4 }, { clock })
    const [four, five] = [await deletedProject(api, clock, 4), await deletedProject(api, clock, 5)]
    equal((await restoreProject(api, four)).status, 200)
    const { status, body } = await restoreProject(api, five)
    equal([status, (body as { errors: { code: string } }).errors.code], [400, 'limit_exceeded'])
    equal((await get(api, `/api/projects/${five}`)).status, 404)
  })

  test('in a transaction of the host is told request by request, before its COMMIT', async () => {
    const calls: unknown[] = []
    let connection = db.kysely
    const api = testApi(db, models, {
      ...config,
      API_SESSION_GETTER: () => connection,
      API_BEFORE_COMMIT_CALLBACK: (changes) => void calls.push(['before', changes.length]),
      API_AFTER_COMMIT_CALLBACK: (changes, { committed, db }) =>
        void calls.push(['after', changes.length, committed, db === connection]),
    })
    const transaction = await db.kysely.startTransaction().execute()
    connection = transaction
    for (const name of ['a', 'b']) await send(api, 'POST', '/api/projects', { body: { name } })
    const body = { operations: ['c', 'd'].map((name) => create(name)) }
    await send(api, 'POST', '/api/batch', { body })
    const inTime = [...calls]
    await transaction.rollback().execute()
    await new Promise((done) => setTimeout(done, 20))
    const alone = [
      ['before', 1],
      ['after', 1, false, true],
    ]
    const together = [
      ['before', 2],
      ['after', 2, false, true],
    ]
    equal(inTime, [...alone, ...alone, ...together])
    equal(calls, inTime)
  })
})

const create = (name: string) => ({
  id: name,
  method: 'POST',
  url: '/api/projects',
  body: { name },
})
