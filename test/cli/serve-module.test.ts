/** model-api serve of a module: serves the API that it exports unchanged. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { equal, match } from '../support/assert.ts'
import { eachDatabase, runsOn, suite } from '../support/suite.ts'
import { command, peopleTarget, sqliteFile, started } from './support.ts'

runsOn('one server of each engine')

const module = fileURLToPath(new URL('./served-api.ts', import.meta.url))

eachDatabase('model-api serve of a module', (test, db) => {
  let target: string
  test.before(async () => {
    target = await peopleTarget(db)
  })

  test('serves it with its own rules, and shuts down cleanly', async () => {
    const running = started(['serve', module, '--port', '0'], { TARGET: target })
    const text = await running.until(/Documentation at .+\n/)
    match(text, /^Loading .+served-api\.ts …\nIt publishes users, books\.\n\nListening at http/)
    const base = /Listening at (\S+)/.exec(text)?.[1]
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${base}/api/books`, {
      method: 'POST',
      headers,
      body: '{"title":"Villette"}',
    })
    equal(created.status, 201)
    equal((await fetch(`${base}/api/books/1`, { method: 'DELETE' })).status, 401)
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })
})

suite('model-api serve of a module', (test) => {
  const folder = dirname(sqliteFile(''))
  const written = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('reports what is wrong with it', async () => {
    const none = await command(['serve', written('none.mjs', 'export const app = {}')])
    match(none.err, 'exports no API. Expected `export const api = createApi({ … })`')
    const broken = await command([
      'serve',
      written('broken.mjs', 'throw new Error("SECRET is missing")'),
    ])
    match(broken.err, 'cannot be loaded: SECRET is missing')
    const mistaken = await command([
      'serve',
      written('mistaken.mjs', String.raw`throw new Error('2 mistakes:\n- first\n- second')`),
    ])
    match(mistaken.err, 'cannot be loaded: 2 mistakes:\n- first\n- second\n')
    const typescript = await command([
      'serve',
      written(
        'typescript.mjs',
        `throw Object.assign(new TypeError('Unknown file extension ".ts" for /api.ts'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })`,
      ),
    ])
    match(typescript.err, 'use Node 22.18 or newer, or name the compiled .js file.')
    const away = await command([
      'serve',
      written(
        'away.mjs',
        `const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
         const api = { exposure: true, get ready() { return Promise.reject(new Error('', { cause: refused })) } }
         export { api }`,
      ),
    ])
    match(away.err, 'Cannot read the database of ')
    match(away.err, 'away.mjs: nothing answers at this address. Is the server running?')
    equal([none.code, broken.code, away.code], [1, 1, 1])
  })

  test('a pool that the module leaves open does not keep the process alive', async () => {
    const path = written(
      'open.mjs',
      'setInterval(() => {}, 60_000)\nexport const api = { exposure: () => "" }',
    )
    equal(await started(['exposure', path]).ended, 0)
  })

  test('options that select tables are refused', async () => {
    const { code, err } = await command(['serve', './api.ts', '--only', 'books'])
    equal(code, 2)
    match(err, '--only is for a database; ./api.ts says itself what it publishes.')
  })
})
