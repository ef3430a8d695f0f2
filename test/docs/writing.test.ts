/** Executes the examples of docs/guide/writing.md in order, with the models that the page shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyModel, type Api, type ApiConfig, createApi, type JsonValue } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import {
  type Block,
  type Example,
  examplesOf,
  isPartOf,
  printJson,
  replaceBlocks,
} from '../support/examples.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const file = fileURLToPath(new URL('../../docs/guide/writing.md', import.meta.url))
const update = process.env.UPDATE_DOCS === '1'
const text = readFileSync(file, 'utf8')
const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(text) ?? []

suite('examples of docs/guide/writing.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  let api: Api
  const examples = examplesOf(text)

  test.before(async () => {
    const shown = await compiled(
      `import { type ApiConfig, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
${code}
export const models = [Customer, Invoice, Line, Label]
export { config }\n`,
    )
    const models = shown.models as readonly AnyModel[]
    await createTables(db, models)
    const clock = frozenClock()
    // The junction table of this test has no foreign keys.
    const config: ApiConfig = { ...(shown.config as ApiConfig), API_SCHEMA_CHECK: 'off' }
    api = createApi({ db: db.kysely, models, clock, config })
  })
  test.after(() => db.close())

  const answerOf = async ({ method, url, headers, body }: Example): Promise<JsonValue> => {
    const request = { method, url, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await api.handle({ ...request, ...(body === undefined ? {} : { body }) })
    const members = answer.body as unknown as Readonly<Record<string, JsonValue>>
    const { status_code = null, value = null, errors = null } = members
    return errors === null ? { status_code, value } : { status_code, errors }
  }

  if (update) {
    test('are updated', async () => {
      const texts = new Map<Block, string>()
      for (const example of examples) {
        const answer = printJson(await answerOf(example))
        if (example.answer !== undefined) texts.set(example.answer, answer)
      }
      writeFileSync(file, replaceBlocks(text, texts))
    })
    return
  }

  for (const example of examples) {
    test(`${example.line}: ${example.method} ${example.url}`, async () => {
      ok(example.answer !== undefined, 'it shows no answer')
      const part = JSON.parse(example.answer.text) as JsonValue
      const answer = await answerOf(example)
      if (!isPartOf(part, answer)) equal(answer, part)
    })
  }
})
