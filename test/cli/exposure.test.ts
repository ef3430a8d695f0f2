/** model-api exposure: prints what each role can reach in the API that a module exports. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, match } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { command } from './support.ts'

suite('model-api exposure', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'exposure-'))
  const module = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  test.after(() => rmSync(folder, { recursive: true }))

  const api = '{ exposure: (roles) => `of ${roles ?? "all"}\\n` }'

  test('takes the API called api, else the default export', async () => {
    const named = module('named.mjs', `export const api = ${api}`)
    const byDefault = module('default.mjs', `export default ${api}`)
    equal(await command(['exposure', named]), { code: 0, out: 'of all\n', err: '' })
    equal(await command(['exposure', byDefault, 'admin', 'editor']), {
      code: 0,
      out: 'of admin,editor\n',
      err: '',
    })
  })

  test('reports what is wrong with the module', async () => {
    const none = await command(['exposure', module('none.mjs', 'export const app = {}')])
    equal(none.code, 1)
    match(none.err, 'exports no API. Expected `export const api = createApi({ … })`')
    const broken = await command([
      'exposure',
      module('broken.mjs', 'throw new Error("no database")'),
    ])
    equal(broken.code, 1)
    match(broken.err, 'cannot be loaded: no database')
    equal((await command(['exposure'])).code, 2)
    equal((await command(['exposure', 'x.mjs', '--port', '1'])).code, 2)
  })
})
