/** Spectral: the document of the demo has nothing that `spectral:oas` would improve. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { equal } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { clients } from './packages.ts'
import { serveLibrary } from './served-library.ts'

const run = promisify(execFile)

const missing = clients.notInstalled()
if (missing === undefined) declare()
else notRun('clients/', missing)

function declare(): void {
  suite('spectral', (test) => {
    test('finds nothing in the document of the demo', async () => {
      const library = await serveLibrary()
      try {
        const rules = join(library.folder, 'rules.yaml')
        writeFileSync(rules, 'extends: ["spectral:oas"]\n')
        const words = ['lint', library.file, '-r', rules, '-f', 'json', '--quiet']
        const program = join(clients.folder, 'node_modules/.bin/spectral')
        const { stdout } = await run(program, words).catch((error) => error)
        equal(JSON.parse(stdout), [])
      } finally {
        await library.stop()
      }
    })
  })
}
