/** Compiles the code of the pages on models, and executes the examples of each in order with the models it declares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyModel, type Api, type ApiConfig, createApi, type JsonValue } from '@model-api/core'
import { sql } from 'kysely'
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

const update = process.env.UPDATE_DOCS === '1'

/** The texts of all fenced blocks of a page in a language. */
const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  )

/** A model that createApi must refuse; the others are served. */
const refused = 'Mistaken'

type BaseModel = NonNullable<ApiConfig['API_BASE_MODEL']>

const isModel = (value: unknown): value is AnyModel =>
  typeof value === 'object' && value !== null && 'columns' in value && 'table' in value

/** Replaces generated UUIDs by `…`. */
const masked = (answer: JsonValue): JsonValue =>
  JSON.parse(JSON.stringify(answer).replace(/"id":"[0-9a-f-]{36}"/g, '"id":"…"')) as JsonValue

/** The part of a response that an example shows. */
async function answerOf(api: Api, { method, url, headers, body }: Example): Promise<JsonValue> {
  const request = { method, url, headers: { 'content-type': 'application/json', ...headers } }
  const answer = await api.handle({ ...request, ...(body === undefined ? {} : { body }) })
  const members = answer.body as unknown as Readonly<Record<string, JsonValue>>
  const { status_code = null, value = null, errors = null } = members
  return masked(errors === null ? { status_code, value } : { status_code, errors })
}

for (const page of ['docs/guide/models.md', 'docs/reference/model-options.md']) examplesOn(page)

function examplesOn(page: string): void {
  suite(`examples of ${page}`, (test) => {
    const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
    const text = readFileSync(file, 'utf8')
    const blocks = (language: string): readonly string[] => blocksOf(text, language)
    const [db] = openDatabases() as [TestDatabase]
    let models: readonly AnyModel[] = []
    let api: Api

    const problems = (): string => {
      try {
        createApi({ db: db.kysely, models: models.filter(({ name }) => name === refused) })
      } catch (error) {
        return (error as Error).message
      }
      return 'none'
    }

    test.before(async () => {
      const code = blocks('ts').join('\n')
      const names = [...code.matchAll(/^export const (\w+) = defineModel\(/gm)].map(
        ([, name = '']) => name,
      )
      // Only compiled: the compiler checks the targets and keys of relations here.
      const list = names.filter((name) => name !== 'mistaken').join(', ')
      const module = await compiled(`${code}
import { createApi } from '@model-api/core'
export const typed = (db: any) => createApi({ db, models: [${list}] })`)
      models = Object.values(module).filter(isModel)
      const served = models.filter(({ name }) => name !== refused)
      const own = blocks('sql')
      for (const statement of own) await sql.raw(statement).execute(db.kysely)
      const missing = served.filter(({ table }) => !own.some((s) => s.includes(` ${table} (`)))
      await createTables(db, missing)
      const warnings: string[] = []
      api = createApi({
        db: db.kysely,
        models: served,
        clock: frozenClock(),
        onWarning: (warning) => void warnings.push(warning),
        config: {
          // The junction tables of this test have no foreign keys.
          API_SCHEMA_CHECK: 'off',
          API_ALLOW_NESTED_WRITES: true,
          API_ALLOW_JOIN: true,
          ...(module.Base !== undefined && { API_BASE_MODEL: module.Base as BaseModel }),
        },
      })
      await api.ready
      equal(warnings, [])
    })
    test.after(() => db.close())

    const examples = examplesOf(text)
    if (update) {
      test('is updated', async () => {
        const texts = new Map<Block, string>()
        for (const example of examples) {
          const answer = printJson(await answerOf(api, example))
          if (example.answer !== undefined) texts.set(example.answer, answer)
        }
        const updated = replaceBlocks(text, texts)
        writeFileSync(
          file,
          updated.replace(/^```text\n.*?^```/gms, () => `\`\`\`text\n${problems()}\n\`\`\``),
        )
      })
      return
    }

    for (const example of examples) {
      test(`${example.line}: ${example.method} ${example.url}`, async () => {
        ok(example.answer !== undefined, 'it shows no answer')
        const part = JSON.parse(example.answer.text) as JsonValue
        const answer = await answerOf(api, example)
        if (!isPartOf(part, answer)) equal(answer, part)
      })
    }

    const [errors] = blocks('text')
    if (errors === undefined) return
    test('shows the errors that mistakes cause at the start', () => {
      equal(`${problems()}\n`, errors)
    })
  })
}
