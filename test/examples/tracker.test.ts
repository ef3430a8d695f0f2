/** The tracker: its README shows the actual code and responses, on every database; imports, numbers and the audit. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Api, JsonValue } from '@model-api/core'
import type { Kysely } from 'kysely'
import { createTracker, type Event } from '../../examples/tracker/api.ts'
import { createApp } from '../../examples/tracker/app.ts'
import { createTables } from '../../examples/tracker/database.ts'
import type { Database } from '../../examples/tracker/models.ts'
import { accept, logIn, logOut, type Session, signUp } from '../../examples/tracker/sessions.ts'
import { equal, ok, rejects } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase, suite } from '../support/suite.ts'

const readme = readSource('examples/tracker/README.md')

suite('the tutorial of the tracker', (test) => {
  test('shows code that stands in its files', () => {
    const blocks = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)]
    ok(blocks.length > 8, `${blocks.length} blocks`)
    equal(blocks.length, readme.match(/^```ts$/gm)?.length)
    for (const [, file = '', code = ''] of blocks) {
      const source = readSource(`examples/tracker/${file}`)
      let from = 0
      for (const part of code.split('// …\n')) {
        const found = source.indexOf(part, from)
        ok(found !== -1, `not in ${file}:\n${part}`)
        from = found + part.length
      }
    }
  })
})

const types = {
  sqlite: { uuid: 'uuid', datetime: 'datetime' },
  postgres: { uuid: 'uuid', datetime: 'timestamptz' },
  mysql: { uuid: 'char(36)', datetime: 'datetime' },
}

interface Tracker {
  readonly api: Api
  readonly db: Kysely<Database>
  readonly events: Event[]
  readonly sessions: Record<string, Session>
}

const passwordOf = (name: string): string => `the password of ${name}`

/** Opens the tracker with Ann of Acme, her guest Gus, and Bob of another organisation. */
async function opened({ kysely, name }: TestDatabase): Promise<Tracker> {
  const db: Kysely<Database> = kysely
  await createTables(db, types[name])
  const events: Event[] = []
  const api = createTracker(db, (event) => events.push(event))
  await api.ready
  const owner = (person: string, organisation: string): Promise<Session> =>
    signUp(db, {
      organisation,
      name: person,
      email: `${person.toLowerCase()}@acme.example`,
      password: passwordOf(person),
    })
  const sessions = { ann: await owner('Ann', 'Acme'), bob: await owner('Bob', 'Other') }
  return { api, db, events, sessions }
}

const headersOf = (session: Session | undefined): Record<string, string> =>
  session === undefined
    ? {}
    : { cookie: session.cookie.split(';')[0] ?? '', 'x-csrf-token': session.csrf_token }

interface Asked {
  readonly as?: Session | undefined
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const asking =
  ({ api }: Tracker) =>
  async ({ as, headers, body, ...request }: Asked) => {
    const sent = { 'content-type': 'application/json', ...headersOf(as), ...headers }
    // biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
    return api.handle<any>({
      ...request,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

/** Whether a response contains what the page shows of it. `{name}` stands for a value, which is remembered when it first occurs. */
function shown(expected: JsonValue, actual: unknown, names: Map<string, string>): boolean {
  if (typeof expected === 'string' && /^\{\w+\}$/.test(expected) && typeof actual === 'string') {
    const known = names.get(expected)
    names.set(expected, known ?? actual)
    return known === undefined || known === actual
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false
    return expected.every((item, i) => shown(item, actual[i], names))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return false
    return Object.entries(expected).every(([key, value]) =>
      shown(value as JsonValue, Reflect.get(actual, key), names),
    )
  }
  return expected === actual
}

eachDatabase('the tracker', (test, database) => {
  let tracker: Tracker
  test.before(async () => {
    tracker = await opened(database)
  })
  test.after(() => tracker?.api.close())

  test('needs the token against cross-site requests for writes, not for reads', async () => {
    const ask = async (method: string, more: Partial<Asked> = {}) => {
      const headers = { 'x-csrf-token': '', ...more.headers }
      const as = tracker.sessions.ann
      return (await asking(tracker)({ as, method, url: '/api/projects', ...more, headers })).status
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    equal(
      [await ask('GET'), await ask('HEAD'), await ask('QUERY', { headers: form })],
      [200, 200, 200],
    )
    equal(await ask('POST', { body: { name: 'Forged' } }), 403)
    equal(await ask('PATCH', { url: '/api/projects/1', body: { name: 'Forged' } }), 403)
    equal(await ask('DELETE', { url: '/api/projects/1' }), 403)
    equal(await ask('POST', { headers: { ...form, 'x-http-method-override': 'QUERY' } }), 403)
  })

  test('responds as its page shows', async () => {
    const { sessions, db, events } = tracker
    const names = new Map<string, string>()
    const filled = (text: string): string =>
      text.replaceAll(/\{\w+\}/g, (name) => names.get(name) ?? name)
    for (const { line, method, url, headers, body, answer } of examplesOf(readme)) {
      const { as = '', ...own } = headers
      if (as === 'gus' && sessions.gus === undefined) {
        const invited = events.find(({ type }) => type === 'create Member')
        sessions.gus = await accept(db, invited?.record.invitation, passwordOf('Gus'))
      }
      const { body: got } = await asking(tracker)({
        ...{ as: sessions[as], method, url: filled(url), headers: own },
        ...(body === undefined ? {} : { body: JSON.parse(filled(body)) }),
      })
      const expected = JSON.parse(answer?.text ?? '') as JsonValue
      ok(shown(expected, got, names), `line ${line}: ${JSON.stringify(got)}`)
    }
    equal(names.size, 3)
  })

  test('returns the signed-in user on its own route, and refuses others like the API', async () => {
    const { db, api, sessions } = tracker
    const server = createApp(db, api).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const me = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/api/me`, { headers })
    try {
      const [known, unknown] = [await me(headersOf(sessions.ann)), await me({})]
      const { roles } = (await known.json()) as { readonly roles: readonly string[] }
      equal([known.status, roles], [200, ['owner']])
      const { errors } = (await unknown.json()) as { readonly errors: { readonly error: string } }
      equal([unknown.status, errors.error], [401, 'Unauthorized'])
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  test('imports a thousand issues once, numbered, audited and published', async () => {
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const project = await ask({ as, method: 'POST', url: '/api/projects', body: { name: 'Old' } })
    const project_id: string = project.body?.value?.id
    const body = Array.from({ length: 1000 }, (_, i) => ({ project_id, title: `Issue ${i + 1}` }))
    tracker.events.length = 0
    const request = {
      ...{ as, method: 'POST', url: '/api/issues?fields=number,title', body },
      headers: { 'idempotency-key': 'a-thousand-issues' },
    }
    const [first, again] = [await ask(request), await ask(request)]
    equal([first.status, again.status, first.body?.value?.length], [201, 201, 1000])
    equal(first.body?.value?.[999], { number: 1000, title: 'Issue 1000' })
    equal(again.body?.value, first.body?.value)
    const stored = await ask({
      ...{ as, method: 'GET', url: `/api/issues?project_id__eq=${project_id}&limit=1` },
    })
    equal(stored.body?.total_count, 1000)
    const issues = new Set(tracker.events.map(({ record }) => record.id))
    equal([tracker.events.length, issues.size], [1000, 1000])
    const entries = await tracker.db.selectFrom('audit_entries').select('record_id').execute()
    equal(entries.filter(({ record_id }) => issues.has(record_id)).length, 1000)
  })

  test('imports a thousand issues with labels by name', async () => {
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const project = await ask({ as, method: 'POST', url: '/api/projects', body: { name: 'Named' } })
    const project_id: string = project.body?.value?.id
    const body = Array.from({ length: 1000 }, (_, i) => ({
      ...{ project_id, title: `Issue ${i + 1}` },
      labels: [{ name: `Kind ${i % 40}` }, { name: 'Imported' }],
    }))
    const url = '/api/issues?fields=number&labels.on_conflict=name'
    tracker.events.length = 0
    const { status } = await ask({ as, method: 'POST', url, body })
    equal([status, tracker.events.length], [201, 1041])
    const labels = await ask({
      as,
      method: 'GET',
      url: '/api/labels?name__startswith=Kind&limit=1',
    })
    equal(labels.body?.total_count, 40)
    const imported = '/api/issues?exists(labels.name__eq=Imported)&limit=1'
    equal((await ask({ as, method: 'GET', url: imported })).body?.total_count, 1000)
  })

  test('audits a batch with more changes than one statement can bind values', async () => {
    tracker.events.length = 0
    // An entry has six values; PostgreSQL takes 65,535 in one statement, SQLite half of that.
    const operations = Array.from({ length: 11 }, (_, n) => ({
      ...{ id: `list${n}`, method: 'POST', url: '/api/labels' },
      headers: { prefer: 'return=minimal' },
      body: Array.from({ length: 1000 }, (_, i) => ({ name: `Label ${n} ${i}` })),
    }))
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const answer = await ask({ as, method: 'POST', url: '/api/batch', body: { operations } })
    equal([answer.status, tracker.events.length], [200, 11_000])
    const entries = tracker.db.selectFrom('audit_entries').select('id')
    equal((await entries.where('model', '=', 'Label').execute()).length >= 11_000, true)
  })

  test('an import that fails stores nothing, and publishes no event', async () => {
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const project = await ask({ as, method: 'POST', url: '/api/projects', body: { name: 'New' } })
    const project_id: string = project.body?.value?.id
    const before = await tracker.db.selectFrom('audit_entries').select('id').execute()
    tracker.events.length = 0
    const body = [
      { project_id, title: 'Fine' },
      { project_id: crypto.randomUUID(), title: 'Of no project' },
    ]
    const refused = await ask({ as, method: 'POST', url: '/api/issues', body })
    equal([refused.status, tracker.events.length], [422, 0])
    const after = await tracker.db.selectFrom('audit_entries').select('id').execute()
    equal(after.length, before.length)
    const list = await ask({ as, method: 'GET', url: `/api/issues?project_id__eq=${project_id}` })
    equal(list.body?.total_count, 0)
  })

  test('issues that are created concurrently have different numbers', async () => {
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const project = await ask({ as, method: 'POST', url: '/api/projects', body: { name: 'Rush' } })
    const body = { project_id: project.body?.value?.id, title: 'Now' }
    const created = await Promise.all(
      Array.from({ length: 8 }, () => ask({ as, method: 'POST', url: '/api/issues', body })),
    )
    equal(
      created.map(({ status }) => status),
      Array(8).fill(201),
    )
    const numbers = created.map(({ body: answer }): number => answer?.value?.number)
    equal(
      numbers.sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8],
    )
  })

  /** Two new projects, and the numbers of their issues. */
  async function twoProjects() {
    const ask = asking(tracker)
    const as = tracker.sessions.ann
    const ids: string[] = []
    for (const name of ['First', 'Second']) {
      const { body } = await ask({ as, method: 'POST', url: '/api/projects', body: { name } })
      ids.push(body?.value?.id)
    }
    const numbers = async (project: string | undefined): Promise<readonly number[]> => {
      const url = `/api/issues?project_id__eq=${project}&order_by=number&fields=number`
      const { body } = await ask({ as, method: 'GET', url })
      return body?.value?.map(({ number }: { readonly number: number }) => number)
    }
    /** Sends eight requests at once. Every second one gets the two projects in the opposite order. */
    const eight = async (
      status: number,
      request: (projects: readonly string[], n: number) => Omit<Asked, 'as'>,
    ): Promise<void> => {
      const all = Array.from({ length: 8 }, (_, n) =>
        ask({ as, ...request(n % 2 === 0 ? ids : [...ids].reverse(), n) }),
      )
      const answers = await Promise.all(all)
      equal(
        answers.map((answer) => answer.status),
        Array(8).fill(status),
      )
    }
    return { ids, numbers, eight, ask: (asked: Omit<Asked, 'as'>) => ask({ as, ...asked }) }
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

  test('concurrent lists that name two projects in opposite orders are numbered without gaps', async () => {
    const { ids, numbers, eight, ask } = await twoProjects()
    const [first, second] = ids
    const list = (body: unknown) => ({ method: 'POST', url: '/api/issues', body })
    await eight(201, (projects) =>
      list(projects.map((project_id) => ({ project_id, title: 'By its key' }))),
    )
    await eight(201, (projects) =>
      list(projects.map((id) => ({ project: { id }, title: 'Nested' }))),
    )
    equal([await numbers(first), await numbers(second)], [upTo(16), upTo(16)])
    const url = `/api/issues?project_id__eq=${first}&number__eq=1`
    const found = await ask({ method: 'GET', url })
    const issue = `/api/issues/${found.body?.value?.[0]?.id}`
    const moved = await ask({ method: 'PATCH', url: issue, body: { project_id: second } })
    equal([moved.status, moved.body?.value?.number], [200, 17])
  })

  test('concurrent lists that move issues both ways are numbered without gaps', async () => {
    const { ids, numbers, eight, ask } = await twoProjects()
    const old = (await twoProjects()).ids[0]
    const body = Array.from({ length: 16 }, () => ({ project_id: old, title: 'Moves' }))
    const { body: made } = await ask({ method: 'POST', url: '/api/issues', body })
    await eight(200, (projects, n) => ({
      ...{ method: 'PATCH', url: '/api/issues' },
      body: projects.map((project_id, i) => ({ id: made?.value?.[2 * n + i].id, project_id })),
    }))
    equal([await numbers(ids[0]), await numbers(ids[1])], [upTo(8), upTo(8)])
  })

  test('concurrent batches that name two projects in opposite orders are numbered without gaps', async () => {
    const { ids, numbers, eight } = await twoProjects()
    await eight(200, (projects) => ({
      ...{ method: 'POST', url: '/api/batch' },
      body: {
        operations: projects.map((project_id, i) => ({
          ...{ id: `issue${i}`, method: 'POST', url: '/api/issues' },
          body: { project_id, title: 'In a batch' },
        })),
      },
    }))
    equal([await numbers(ids[0]), await numbers(ids[1])], [upTo(8), upTo(8)])
  })

  test('a session begins with a password and ends with a logout', async () => {
    const { db, sessions } = tracker
    await rejects(logIn(db, 'ann@acme.example', 'a guess'))
    await rejects(logIn(db, 'nobody@acme.example', passwordOf('Ann')))
    const session = await logIn(db, 'ann@acme.example', passwordOf('Ann'))
    const ask = asking(tracker)
    const list = { as: session, method: 'GET', url: '/api/projects' }
    equal((await ask(list)).status, 200)
    equal((await ask({ ...list, url: '/api/organisations' })).body?.value?.[0]?.name, 'Acme')
    await logOut(db, headersOf(session).cookie)
    equal([(await ask(list)).status, (await ask({ ...list, as: sessions.ann })).status], [401, 200])
  })
})
