/** The conformance list of the adapters in an app of Next.js with a `basePath`, built and started as for production. */
import type { Envelope } from '@model-api/core'
import { conforms, send } from '../http/conformance.ts'
import { equal } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { startNext } from './next.ts'
import { notInstalled } from './packages.ts'

/** Cases that Next decides itself, before it calls a route or after the response. */
const except: readonly string[] = [
  // It supports seven methods.
  'a list whose query is the body',
  'a query of another media type',
  'a method nobody knows',
  'a body for a route of the host',
  // It parses and rewrites query strings.
  'a group with raw brackets and an escaped comma',
  'a broken group',
  'an aggregate of related records with escaped brackets',
  'malformed encoding in a value',
  // It adds its own names to Vary.
  'the index',
  'the index as a page',
  'an error as a page',
  'an unknown path, as problem details',
  // It redirects.
  'no alias with a slash',
  'two slashes inside',
  // The API of the app has no sign-in.
  'two cookies',
  // It refuses paths that cannot be decoded.
  'malformed encoding in the path',
  'a malformed path below it',
  // The route of the app has no other route to pass requests on to.
  'a path below the health routes',
  'a record of a canonical URL the host owns',
]

const missing = notInstalled()
if (missing === undefined) await declare()
else notRun('runtimes/next', missing)

async function declare(): Promise<void> {
  const mount = '/v1'
  // Before the tests, because a build takes longer than a test may take.
  const { port, stop } = await startNext(mount)
  conforms('Next.js', {
    mount,
    web: true,
    except,
    // The app creates its own API.
    start: async () => ({ ask: (one) => send(port, one), stop: async () => {} }),
    adds: ['vary', 'transfer-encoding', 'content-length'],
  })
  suite('the app of Next.js', (test) => {
    test.after(stop)
    test('compresses with gzip once, by itself', async () => {
      const headers = { 'accept-encoding': 'gzip' }
      const document = await fetch(`http://127.0.0.1:${port}${mount}/openapi.json`, { headers })
      JSON.parse(await document.text())
    })

    test('preserves a quoted comma in a group, and the query in a body', async () => {
      const list = `http://127.0.0.1:${port}${mount}/api/books`
      const quoted = 'or[id__eq=1,title__eq="Persuasion%2C%20a%20novel"]'
      const byUrl = (await (await fetch(`${list}?${quoted}`)).json()) as Envelope
      const byBody = await fetch(list, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-http-method-override': 'QUERY',
        },
        body: 'or[id__eq=1,title__eq=Persuasion%2C%20a%20novel]',
      })
      equal([byUrl.total_count, ((await byBody.json()) as Envelope).total_count], [2, 2])
    })
  })
}
