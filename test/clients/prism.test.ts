/** Prism as a validating proxy in front of the demo: it compares requests and responses with the document, and finds no problem. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { equal, ok } from '../support/assert.ts'
import { freePort } from '../support/free-port.ts'
import { notRun, suite } from '../support/suite.ts'
import { resolved } from '../support/try-it-out.ts'
import { clients } from './packages.ts'
import { type ServedLibrary, serveLibrary } from './served-library.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are read where they are understood
type Anything = any

const missing = clients.notInstalled()
if (missing === undefined) declare()
else notRun('clients/', missing)

interface Proxy {
  readonly url: string
  stop(): Promise<void>
}

async function startProxy({ file, url }: ServedLibrary): Promise<Proxy> {
  const port = await freePort()
  const program = join(clients.folder, 'node_modules/.bin/prism')
  const child = spawn(program, ['proxy', file, url, '--port', String(port), '--host', '127.0.0.1'])
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let said = ''
    const read = (data: Buffer): void => {
      said += data
      if (said.includes('Prism is listening')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`prism ended: ${said}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** The problems that Prism reports in a header; undefined if there are none. */
const found = (answer: Response): string | undefined =>
  answer.headers.get('sl-violations') ?? undefined

function declare(): void {
  suite('Prism as a validating proxy of the demo', (test) => {
    let library: ServedLibrary
    let proxy: Proxy
    test.before(async () => {
      library = await serveLibrary()
      proxy = await startProxy(library)
    })
    test.after(async () => {
      await proxy?.stop()
      await library?.stop()
    })

    test('finds no violation in the response to any GET', async () => {
      const document: Anything = library.document
      const authorization = `Bearer ${await library.token()}`
      const findings: string[] = []
      let asked = 0
      for (const [path, { get }] of Object.entries<Anything>(document.paths)) {
        if (get === undefined) continue
        const keys = (get.parameters ?? [])
          .map((one: Anything) => resolved(document, one))
          .filter((one: Anything) => one.in === 'path')
        const url = keys.reduce(
          (text: string, { name, example, schema }: Anything) =>
            text.replace(`{${name}}`, String(example ?? schema.example)),
          path,
        )
        const answer = await fetch(`${proxy.url}${url}`, { headers: { authorization } })
        asked++
        const problem = found(answer)
        if (answer.status !== 200 || problem !== undefined) {
          findings.push(`${answer.status} ${url}: ${problem}`)
        }
      }
      equal(findings, [])
      ok(asked > 30, `${asked} operations`)
    })

    const reads: readonly (readonly [string, number])[] = [
      ['/api/books?price__ge=30&order_by=-price&fields=title,price&limit=3', 200],
      ['/api/books?join=author&author.country_code__eq=FR&fields=title,author.name', 200],
      ['/api/books?join=author&groupby=author.country_code&id|books__count=1', 200],
      ['/api/authors?dump=json&limit=2', 200],
      ['/api/books?price__ge=cheap', 400],
      ['/api/books?titel=Emma', 400],
      ['/api/books/99999', 404],
    ]

    test('finds no violation in reads and their errors', async () => {
      const findings: string[] = []
      for (const [url, status] of reads) {
        const answer = await fetch(`${proxy.url}${url}`)
        const problem = found(answer)
        if (answer.status !== status || problem !== undefined) {
          findings.push(`${answer.status} ${url}: ${problem}`)
        }
      }
      equal(findings, [])
    })

    test('finds no violation in writes and their errors', async () => {
      const token = await library.token()
      const findings: string[] = []
      const send = async (method: string, path: string, body: unknown, status: number) => {
        const answer = await fetch(`${proxy.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const problem = found(answer)
        const text = await answer.text()
        if (answer.status !== status || problem !== undefined) {
          findings.push(`${method} ${path}: ${answer.status} ${problem} ${text}`)
        }
        return JSON.parse(text)?.value
      }
      const category = { name: 'Sea stories', description: 'Ships, mostly.' }
      const { id } = await send('POST', '/api/categories', category, 201)
      await send('POST', '/api/categories', category, 409)
      await send('PATCH', `/api/categories/${id}`, { description: 'Only ships.' }, 200)
      await send('PATCH', '/api/categories/99999', { description: 'None.' }, 404)
      await send('DELETE', `/api/categories/${id}`, undefined, 200)
      await send('DELETE', `/api/categories/${id}`, undefined, 404)
      equal(findings, [])
    })
  })
}
