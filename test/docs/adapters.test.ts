/** The settings of docs/guide/adapters.md that move paths below the prefix: the API starts with them and serves the paths. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, type ApiConfig, createApi } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createLibrary } from '../../examples/library/data/seed.ts'
import { createUsers } from '../../examples/library/data/users.ts'
import { config, secrets } from '../../examples/library/library.ts'
import { models } from '../../examples/library/models.ts'
import { equal, ok } from '../support/assert.ts'
import { repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

/** The settings that the page gives for Next.js. */
function shownSettings(): Record<string, string> {
  const page = readFileSync(join(repository, 'docs/guide/adapters.md'), 'utf8')
  const [, section = ''] = page.split('\n## Next.js\n')
  const [, code = ''] = /const config = \{([^}]*)\}/.exec(section) ?? []
  return Object.fromEntries(
    [...code.matchAll(/(API_\w+): '([^']*)'/g)].map(([, key, path]) => [key, path]),
  )
}

async function start(settings: ApiConfig): Promise<Api> {
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the seed's
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database: new Sqlite(':memory:') }) })
  await createLibrary(db)
  await createUsers(db)
  return createApi({ db, models, config: { ...config, ...settings }, env: secrets() })
}

suite('docs/guide/adapters.md: paths below the prefix', (test) => {
  test('are served, and hide no record', async () => {
    const settings = shownSettings()
    const paths = Object.values(settings)
    equal(paths.length, 5)
    const api = await start(settings)
    const statuses: Record<string, number> = {}
    for (const url of [...paths, '/api/health/ready', '/api/books', '/api/doc', '/api/docs/1']) {
      ok(api.owns(url), url)
      statuses[url] = (await api.handle({ method: 'GET', url })).status
    }
    equal(statuses, {
      '/api/docs': 200,
      '/api/docs/apispec.json': 200,
      '/api/health': 200,
      '/api/auth/me': 401,
      '/api/auth/refresh': 405,
      '/api/health/ready': 200,
      '/api/books': 200,
      '/api/doc': 404,
      '/api/docs/1': 404,
    })
  })

  test('are in the links of the page and of the index', async () => {
    const api = await start(shownSettings())
    const page = await api.handle({ method: 'GET', url: '/api/docs', asset: async () => redoc })
    ok(String(page.body).includes('spec-url="./docs/apispec.json"'))
    ok(String(page.body).includes('src="./docs/redoc.js"'))
    const index = await api.handle({ method: 'GET', url: '/api' })
    ok(JSON.stringify(index.body).includes('"/api/docs"'))
  })
})

const redoc = { text: '', module: true }
