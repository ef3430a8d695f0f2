/** Spectral: `spectral:oas` finds no problem in the document of the demo. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { equal } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { clients } from './packages.ts'
import { type ServedLibrary, serveLibrary } from './served-library.ts'

const run = promisify(execFile)

const missing = clients.notInstalled()
if (missing === undefined) declare()
else notRun('clients/', missing)

function declare(): void {
  suite('spectral', (test) => {
    let library: ServedLibrary
    test.before(async () => {
      library = await serveLibrary()
    })
    test.after(() => library.stop())

    const problems = async (file: string, off: readonly string[]): Promise<readonly unknown[]> => {
      const rules = join(library.folder, 'rules.yaml')
      const without = Object.fromEntries(off.map((rule) => [rule, 'off']))
      writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'], rules: without }))
      const words = ['lint', file, '-r', rules, '-f', 'json', '--quiet']
      const program = join(clients.folder, 'node_modules/.bin/spectral')
      const { stdout } = await run(program, words).catch((error) => error)
      return JSON.parse(stdout)
    }

    test('finds no problem in the document of the demo', async () => {
      equal(await problems(library.file, []), [])
    })
  })
}
