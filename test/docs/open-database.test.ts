/** The example of openDatabase in docs/reference/databases.md, with a file of a test. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyModel } from '@model-api/core'
import { sqliteFile } from '../cli/support.ts'
import { equal, rejects } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

interface Shown {
  readonly models: readonly AnyModel[]
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of the script
  readonly db: any
  readonly name: string
  readonly close: () => Promise<void>
}

suite('openDatabase in docs/reference/databases.md', (test) => {
  test('opens the file read-only', async () => {
    const page = readFileSync(join(repository, 'docs/reference/databases.md'), 'utf8')
    const [, section = ''] = page.split('\n## openDatabase\n')
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
    const file = sqliteFile(`create table things (id integer primary key, name varchar(20));
      insert into things values (1, 'one');`)
    const text = `${code.replace("'library.sqlite'", JSON.stringify(file))}
export { close, db, models, name }\n`
    const { close, db, models, name } = (await compiled(text)) as unknown as Shown
    equal([models.map((model) => model.table), name], [['things'], file])
    equal(await db.selectFrom('things').selectAll().execute(), [{ id: 1, name: 'one' }])
    await rejects(db.deleteFrom('things').execute(), /readonly/)
    await close()
  })
})
