/** The example of the schema check in docs/guide/deployment.md: the shown table and model give the shown list. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyModel, createApi } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const file = fileURLToPath(new URL('../../docs/guide/deployment.md', import.meta.url))
const page = readFileSync(file, 'utf8')
const section = /^### The schema check\n.*?(?=^### )/ms.exec(page)?.[0] ?? ''
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)\n\`\`\``, 'ms').exec(section)?.[1] ?? ''

suite('the schema check in the page on deployment', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  test.after(() => db.close())

  test('prints the list of its example', async () => {
    await db.execScript(block('sql'))
    const module = await compiled(
      `import { defineModel } from '@model-api/core'\n${block('ts')}\nexport const models = [Book]`,
    )
    const warnings: string[] = []
    const models = module.models as readonly AnyModel[]
    const onWarning = (message: string): void => void warnings.push(message)
    await createApi({ db: db.kysely, models, onWarning }).ready
    if (process.env.UPDATE_DOCS === '1') {
      const text = section.replace(block('text'), () => warnings.join('\n'))
      writeFileSync(
        file,
        page.replace(section, () => text),
      )
    } else equal(warnings, [block('text')])
  })
})
