/** Executes the import of docs/recipes/numbers-within-a-parent.md, whose issues have numbers or get the next ones. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyModel, type Api, defineModel, type JsonValue } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { type Block, examplesOf, printJson, replaceBlocks } from '../support/examples.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const file = fileURLToPath(
  new URL('../../docs/recipes/numbers-within-a-parent.md', import.meta.url),
)
const page = readFileSync(file, 'utf8')
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const blockWith = (text: string): string => {
  const block = blocks.find((code) => code.includes(text))
  ok(block !== undefined, `the page has no ${text}`)
  return block
}
const code = `${blockWith("const Issue = defineModel('Issue'")}\n${blockWith('const ImportedIssue')}`

const id = { type: 'integer', primaryKey: true } as const
const Tenant = defineModel('Tenant', { columns: { id }, meta: {} })
const Project = defineModel('Project', { columns: { id }, meta: {} })

eachDatabase('an import of issues with their numbers', (test, db) => {
  let api: Api
  let roles: readonly string[] = ['importer']
  test.before(async () => {
    const { ImportedIssue } = await compiled(
      `import { belongsTo, defineModel, type HookArgs } from '@model-api/core'
${code}
export { ImportedIssue }\n`,
    )
    const models = [Tenant, Project, ImportedIssue as AnyModel]
    await createTables(db, models)
    await insertRows(db, Tenant, [{ id: 1 }])
    await insertRows(db, Project, [{ id: 1 }, { id: 2 }])
    api = testApi(db, models, {
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => ({ id: 1, tenant_id: 1, roles }),
    })
  })

  test('answers as the page shows', async () => {
    const examples = examplesOf(page)
    equal(examples.length, 1)
    const texts = new Map<Block, string>()
    for (const { method, url, body = '', answer, line } of examples) {
      ok(answer !== undefined, `line ${line} shows no answer`)
      const { status, value, errors } = await send(api, method, url, { body: JSON.parse(body) })
      const actual: JsonValue = {
        status_code: status,
        ...(errors === null ? { value } : { errors }),
      }
      if (process.env.UPDATE_DOCS === '1') texts.set(answer, printJson(actual))
      else equal(actual, JSON.parse(answer.text), `line ${line}`)
    }
    if (texts.size > 0) writeFileSync(file, replaceBlocks(page, texts))
  })

  const post = (body: unknown, query = '') => send(api, 'POST', `/api/issues${query}`, { body })

  test('a repeated import changes its issues; one without a number is new', async () => {
    const list = [
      { project_id: 1, number: 7, title: 'Leak in the roof' },
      { project_id: 1, title: 'Draught' },
    ]
    const { status, value } = await post(
      list,
      '?on_conflict=project_id,number&fields=id,title,number',
    )
    equal(status, 201)
    equal(value, [
      { id: 1, title: 'Leak in the roof', number: 7 },
      { id: 3, title: 'Draught', number: 8 },
    ])
  })

  test('a number that is taken is a conflict', async () => {
    const list = [
      { project_id: 1, title: 'Rust' },
      { project_id: 1, number: 3, title: 'Rattle' },
    ]
    const { status, errors } = await post(list)
    equal([status, errors.code], [409, 'unique_violation'])
    ok('[1].number' in errors.reason)
  })

  test('later numbers follow the largest', async () => {
    const list = [
      { title: 'a', project_id: 2, number: 5 },
      { title: 'b', project_id: 2 },
      { title: 'c', project_id: 2, number: 2 },
      { title: 'd', project_id: 2 },
    ]
    const { status, value } = await post(list)
    const numbers = value.map(({ number }: { number: number }) => number)
    equal([status, numbers], [201, [5, 6, 2, 7]])
    const early = [
      { title: 'e', project_id: 2 },
      { title: 'f', project_id: 2, number: 8 },
    ]
    equal((await post(early)).status, 409)
    const merged = await post(early, '?on_conflict=project_id,number')
    const [first, second] = merged.value
    equal([merged.status, first.id, first.title, first.number], [201, second.id, 'f', 8])
    equal((await post({ title: 'g', project_id: 2 })).value.number, 9)
  })

  test('nobody changes a number, and only importers send one', async () => {
    const { value } = await post({ title: 'h', project_id: 2, number: 20 })
    const url = `/api/issues/${value.id}`
    equal((await send(api, 'PATCH', url, { body: { number: 21 } })).status, 400)
    roles = []
    try {
      equal((await post({ title: 'i', project_id: 2, number: 22 })).status, 400)
      const next = await post({ title: 'i', project_id: 2 })
      equal([next.status, next.value.number], [201, 21])
    } finally {
      roles = ['importer']
    }
  })
})
