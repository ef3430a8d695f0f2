/**
 * Swagger UI's "Execute" on every GET of the demo: the request that swagger-client, its library, builds from the initial values
 * of the fields.
 */
import { equal, ok } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { resolved, startValue } from '../support/try-it-out.ts'
import { clients } from './packages.ts'
import { serveLibrary } from './served-library.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are read where they are understood
type Anything = any

const missing = clients.notInstalled()
if (missing === undefined) declare()
else notRun('clients/', missing)

function declare(): void {
  suite('"Execute" of Swagger UI', (test) => {
    test('gets 200 on every GET of the demo', async () => {
      const { default: client } = await clients.load('swagger-client')
      const library = await serveLibrary()
      try {
        const document: Anything = library.document
        const { spec, errors } = await client.resolve({ spec: structuredClone(document) })
        equal(errors, [])
        const authorization = `Bearer ${await library.token()}`
        const refused: string[] = []
        let asked = 0
        for (const { get } of Object.values<Anything>(document.paths)) {
          if (get === undefined) continue
          const fields = (get.parameters ?? [])
            .map((one: Anything) => resolved(document, one))
            .map((one: Anything) => [one.name, startValue(document, one)])
            .filter(([, value]: Anything) => value !== undefined)
          const request = client.buildRequest({
            spec,
            operationId: get.operationId,
            parameters: Object.fromEntries(fields),
            baseURL: library.url,
          })
          const headers = { ...request.headers, authorization }
          const answer = await fetch(request.url, { method: request.method, headers })
          asked++
          if (answer.status !== 200) refused.push(`${request.url}: ${await answer.text()}`)
        }
        equal(refused, [])
        ok(asked > 30, `${asked} operations`)
      } finally {
        await library.stop()
      }
    })
  })
}
