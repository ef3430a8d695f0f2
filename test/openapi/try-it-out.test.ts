/** "Try it out" and "Execute" of Swagger UI on every GET of the demo: the request with the initial values succeeds. */
import type { Api, ApiConfig } from '@model-api/core'
import { config, openLibrary } from '../../examples/library/library.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { resolved, startValue } from '../support/try-it-out.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are read where they are understood
type Anything = any

/** The URL that "Execute" requests. */
function urlOf(document: Anything, path: string, operation: Anything): string {
  const query: string[] = []
  let place = path
  for (const one of operation.parameters ?? []) {
    const parameter = resolved(document, one)
    const value = startValue(document, parameter)
    if (value === undefined) continue
    if (parameter.in === 'path') {
      place = place.replace(`{${parameter.name}}`, encodeURIComponent(String(value)))
    }
    if (parameter.in !== 'query') continue
    const pairs: [string, Anything][] =
      typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value)
        : [[parameter.name, value]]
    query.push(...pairs.map(([name, part]) => `${name}=${encodeURIComponent(String(part))}`))
  }
  return query.length === 0 ? place : `${place}?${query.join('&')}`
}

async function tokenOf(api: Api): Promise<string> {
  const body = { username: 'ada', password: 'ada-admin' }
  const answer = await api.handle<Anything>({ method: 'POST', url: '/auth/login', body })
  return answer.body?.value.access_token
}

const settings: Readonly<Record<string, ApiConfig>> = {
  'as it starts': config,
  'with everything closed': {
    ...config,
    API_ALLOW_JOIN: false,
    API_ALLOW_GROUPBY: false,
    API_ALLOW_AGGREGATION: false,
    API_COUNT: 'capped',
    API_SERIALIZATION_TYPE: 'json',
  },
}

suite('"Try it out" on every GET of the demo', (test) => {
  for (const [name, own] of Object.entries(settings)) {
    test(`returns 200: ${name}`, async () => {
      const { api, close } = await openLibrary(() => {}, own)
      try {
        const document: Anything = await api.openapi()
        const token = await tokenOf(api)
        ok(token !== undefined)
        const refused: string[] = []
        let asked = 0
        for (const [path, { get }] of Object.entries<Anything>(document.paths)) {
          if (get === undefined) continue
          const url = urlOf(document, path, get)
          ok(!url.includes('{'), `${path} has no example for its key`)
          const headers = { authorization: `Bearer ${token}` }
          const { status, body } = await api.handle<Anything>({ method: 'GET', url, headers })
          asked++
          if (status !== 200) refused.push(`${status} ${url} ${JSON.stringify(body?.errors)}`)
        }
        equal(refused, [])
        ok(asked > 30, `${asked} operations`)
      } finally {
        await close()
      }
    })
  }
})
