/** The curl samples of the document: those of reads succeed, and a shell passes all of them to curl unchanged. */
import { execFileSync } from 'node:child_process'
import { type Api, type ApiConfig, createApi } from '@model-api/core'
import { config, openLibrary } from '../../examples/library/library.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are read where they are understood
type Document = { readonly paths?: any }

interface Sample {
  readonly method: string
  readonly path: string
  readonly source: string
  /** The arguments that a shell passes to curl. */
  readonly words: readonly string[]
}

/** Every sample of a document, with its arguments. */
function samplesOf({ paths = {} }: Document): readonly Sample[] {
  const found = Object.entries<object>(paths).flatMap(([path, item]) =>
    // biome-ignore lint/suspicious/noExplicitAny: documents are read where they are understood
    Object.entries<any>(item).flatMap(([method, operation]) =>
      (operation['x-codeSamples'] ?? []).map(({ source }: { source: string }) => ({
        method: method.toUpperCase(),
        path,
        source,
      })),
    ),
  )
  const script = found.map(({ source }) => `${source}\nprintf '\\1'`).join('\n')
  const shell = `API=http://here\ncurl() { printf '%s\\0' "$@"; }\n${script}`
  const lines = execFileSync('sh', ['-euc', shell.replaceAll('$TOKEN', 'token')], {
    encoding: 'utf8',
  }).split('\u0001')
  return found.map((one, i) => ({ ...one, words: (lines[i] ?? '').split('\0').slice(0, -1) }))
}

const urlOf = ({ words, source }: Sample): string =>
  words.find((word) => word.startsWith('http')) ?? fail(source)

function served(settings: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  return createApi({
    db: db.kysely,
    models: shop,
    config: { API_ALLOW_BULK: true, API_SCHEMA_CHECK: 'off', ...settings },
    env: {},
    onWarning: () => {},
  })
}

suite('the curl lines of the document', (test) => {
  test('of every GET of the demo work unchanged', async () => {
    const { api, close } = await openLibrary(() => {}, {
      ...config,
      API_AUTH_REQUIREMENTS: { '*': false },
    })
    try {
      const reads = samplesOf(await api.openapi()).filter(({ method }) => method === 'GET')
      ok(reads.length > 25, String(reads.length))
      for (const sample of reads) {
        const url = urlOf(sample).replace('http://here', '')
        const { status } = await api.handle({ method: 'GET', url })
        // Some records of the demo have no related record, and users cannot be read.
        ok(
          status === 200 || /\/\d+\/[a-z-]+$/.test(url) || url.startsWith('/api/users'),
          `${url}: ${status}`,
        )
      }
    } finally {
      await close()
    }
  })

  test('of writes have the method, and a body with writable fields', async () => {
    const document = await served().openapi()
    const writes = samplesOf(document).filter(({ words }) => words.includes('--json'))
    ok(writes.length > 8, String(writes.length))
    for (const { method, words, source } of writes) {
      ok(words.includes('-X') && words.includes(method), source)
      const body = JSON.parse(words[words.indexOf('--json') + 1] ?? '')
      ok(Object.keys(body).length > 0, source)
    }
    const create = writes.find(({ method, path }) => method === 'POST' && path === '/api/tags')
    equal(create?.words.at(-1), '{"name":"text"}')
  })

  test('name the configured server, else a variable that the document explains', async () => {
    const [first] = samplesOf(await served({ API_BASE_URL: 'https://shop.example' }).openapi())
    equal(first?.source, 'curl https://shop.example/api')
    const { tags } = await served().openapi()
    match(tags?.[0]?.description ?? '', 'such as `http://127.0.0.1:3000`')
  })

  test('show the credential if one is needed', async () => {
    const { api, close } = await openLibrary()
    await close()
    const samples = samplesOf(await api.openapi())
    const shows = (method: string): boolean | undefined =>
      samples
        .find((one) => one.method === method && one.path === '/api/books')
        ?.words.includes('Authorization: Bearer token')
    equal([shows('GET'), shows('POST')], [false, true])
  })
})
