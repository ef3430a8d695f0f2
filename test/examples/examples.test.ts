/** Starts every example as its README says, sends the requests that it suggests, and stops it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { equal, match, ok } from '../support/assert.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { suite } from '../support/suite.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

interface Example {
  readonly url: string
  /** The output of the example. */
  readonly text: string
}

function start(name: string, own: NodeJS.ProcessEnv = {}): ChildProcess {
  const args = [...sourceArguments, 'examples/start.ts', name]
  return spawn(process.execPath, args, { cwd: root, env: { ...process.env, PORT: '0', ...own } })
}

/** Runs an example; requires that it ends with exit code 0 after it was asked to. */
async function running(
  name: string,
  use: (example: Example) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = start(name, env)
  let text = ''
  let errors = ''
  child.stderr?.on('data', (data) => {
    errors += data
  })
  const ended = once(child, 'close')
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', (data) => {
        text += data
        const found = /Listening at (\S+)/.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      })
      child.once('close', () => reject(new Error(`${name} ended early: ${errors}`)))
    })
    await use({ url, text })
  } finally {
    child.kill('SIGTERM')
  }
  const [code] = (await ended) as [number | null]
  equal([code, errors], [0, ''])
}

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
  const response = await fetch(url, { ...init, headers: { connection: 'close', ...init.headers } })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: json ? JSON.parse(text) : text }
}

const posting = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

suite('examples', (test) => {
  test('node', () =>
    running('node', async ({ url }) => {
      const found = await ask(`${url}/api/books?join=author&author.name__ilike=austen`)
      equal([found.status, found.body.total_count], [200, 2])
      const made = await ask(
        `${url}/api/books`,
        posting({ title: 'Sanditon', price: '7.00', author_id: 1 }),
      )
      equal([made.status, made.body.value.id], [201, 4])
      match((await ask(`${url}/`)).body, 'A bookshop')
    }))

  test('express', () =>
    running('express', async ({ url }) => {
      const { body } = await ask(`${url}/v1/api/books?order_by=-price&limit=2`)
      equal(
        body.value.map((book: { title: string }) => book.title),
        ['Resurrection', 'Emma'],
      )
      match(body.next_url, '/v1/api/books?')
      equal((await ask(`${url}/v1/api/books/random`)).body.value.title, 'Persuasion')
      match((await ask(`${url}/`)).body, 'A bookshop')
      equal((await ask(`${url}/v1/api/books`, posting({}))).status, 400)
    }))

  test('koa', () =>
    running('koa', async ({ url }) => {
      const { body } = await ask(`${url}/api/authors/1?dump=json`)
      equal(body.value.books.length, 2)
      const bot = await ask(`${url}/api/books`, { headers: { 'user-agent': 'bad-bot' } })
      equal([bot.status, bot.body.errors.reason], [403, 'No bots, please.'])
      match((await ask(`${url}/`)).body, 'A bookshop')
      equal((await ask(`${url}/nowhere`)).status, 404)
    }))

  test('existing-database', () =>
    running('existing-database', async ({ url }) => {
      const { body } = await ask(`${url}/api/books?join=author&fields=title,author.name&limit=1`)
      equal(body.value, [{ title: 'Emma', name: 'Jane Austen' }])
      equal((await ask(`${url}/api/books`, posting({}))).status, 405)
    }))

  test('auth', () =>
    running('auth', async ({ url }) => {
      const tokenOf = async (username: string): Promise<Record<string, string>> => {
        const password = `${username}'s secret`
        const { body } = await ask(`${url}/auth/login`, posting({ username, password }))
        return { authorization: `Bearer ${body.value.access_token}` }
      }
      const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
      const get = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
        (await ask(`${url}${path}`, { headers })).status
      equal(await get('/api/books'), 200)
      equal([await get('/hello'), await get('/hello', bob)], [401, 200])
      equal((await ask(`${url}/hello`, { headers: ann })).body, 'Hello, ann.')
      equal(
        [await get('/office'), await get('/office', bob), await get('/office', ann)],
        [403, 403, 200],
      )
      const remove = async (headers: Record<string, string>): Promise<number> =>
        (await ask(`${url}/api/books/3`, { method: 'DELETE', headers })).status
      equal([await remove({}), await remove(bob), await remove(ann)], [401, 403, 200])
    }))

  test('policies', () =>
    running('policies', async ({ url }) => {
      const as = (key: string): RequestInit => ({ headers: { authorization: `Api-Key ${key}` } })
      const texts = async (key: string): Promise<string[]> =>
        (await ask(`${url}/api/notes`, as(key))).body.value.map((n: { text: string }) => n.text)
      equal(await texts('ann-key'), ['Buy milk', 'Meeting at ten'])
      equal(await texts('bob-key'), ['Meeting at ten', 'Plan B'])
      const { body } = await ask(`${url}/api/people/1?dump=json`, as('bob-key'))
      equal(body.value.notes.length, 1)
      equal((await ask(`${url}/api/notes`)).status, 401)
      const remove = async (id: number): Promise<number> =>
        (await ask(`${url}/api/notes/${id}`, { method: 'DELETE', ...as('bob-key') })).status
      equal([await remove(1), await remove(2), await remove(3)], [404, 403, 200])
    }))

  test('tracker', () =>
    running(
      'tracker',
      async ({ url }) => {
        const account = { organisation: 'Acme', name: 'Ann', email: 'ann@acme.example' }
        const signUp = (body: object): Promise<Response> =>
          fetch(`${url}/api/sign-up`, posting(body, { connection: 'close' }))
        const refused = await (await signUp(account)).json()
        equal(refused.errors.reason, { password: ['This field is required.'] })
        const signed = await signUp({ ...account, password: 'correct horse' })
        equal((await signUp({ ...account, password: 'correct horse' })).status, 409)
        const { csrf_token } = await signed.json()
        const set = signed.headers.get('set-cookie') ?? ''
        match(set, 'HttpOnly')
        const headers = { cookie: set.split(';')[0] ?? '', 'x-csrf-token': csrf_token }
        const made = await ask(`${url}/api/projects`, posting({ name: 'Website' }, headers))
        equal([made.status, made.body.value.name], [201, 'Website'])
        equal((await ask(`${url}/api/projects`, { headers })).body.total_count, 1)
        const gone = await ask(`${url}/api/session`, { method: 'DELETE', headers })
        equal([gone.status, (await ask(`${url}/api/projects`, { headers })).status], [204, 401])
      },
      { DATABASE_URL: ':memory:' },
    ))

  test('clinic', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-clinic-'))
    const env = { DATABASE_URL: join(folder, 'clinic.sqlite') }
    // The second start finds the tables and the first records.
    for (const _ of ['first', 'second']) {
      await running(
        'clinic',
        async ({ url }) => {
          const login = { username: 'desk', password: 'the password of the desk' }
          const { body } = await ask(`${url}/auth/login`, posting(login))
          const headers = { authorization: `Bearer ${body.value.access_token}` }
          const sites = await ask(`${url}/api/sites?fields=name,open_appointments`, { headers })
          equal(sites.body.value, [
            { name: 'Harbour', open_appointments: 0 },
            { name: 'North', open_appointments: 0 },
          ])
          equal((await ask(`${url}/api/my-day`, { headers })).body, [])
        },
        env,
      )
    }
    rmSync(folder, { recursive: true })
  })

  test('typed-client: its types are generated, it compiles with them, and it runs', async () => {
    const folder = `${root}examples/typed-client`
    await run(process.execPath, [...sourceArguments, `${folder}/generate.ts`])
    await run(`${root}node_modules/.bin/tsc`, ['-p', folder])
    const { stdout } = await run(process.execPath, [
      ...sourceArguments,
      `${root}examples/start.ts`,
      'typed-client',
    ])
    const lines = stdout.trim().split('\n')
    equal(lines.length, 5)
    match(lines[0] ?? '', 'Island')
    equal(lines.slice(3), ['404: Not Found', 'created: Sea stories'])
  })

  test('an unknown name', async () => {
    const child = start('nothing')
    let errors = ''
    child.stderr?.on('data', (data) => {
      errors += data
    })
    const [code] = (await once(child, 'close')) as [number]
    equal(code, 2)
    match(errors, 'express')
  })

  test('each has a line in the README', () => {
    const readme = readFileSync(`${root}examples/README.md`, 'utf8')
    const folders = readdirSync(`${root}examples`, { withFileTypes: true })
    for (const { name } of folders.filter((entry) => entry.isDirectory())) {
      ok(readme.includes(`[${name}](${name}/`), name)
    }
  })
})
