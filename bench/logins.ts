/**
 * Measures how long a small GET takes while two hundred users sign in at once: `pnpm bench:logins`. One server process, one client
 * process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

const logins = 200
const password = 'a long enough password'

if (process.send !== undefined) await serve(process.send.bind(process))
else await measure()

async function serve(tell: (message: unknown) => void): Promise<void> {
  const sqlite = new Database(':memory:')
  sqlite.exec('create table users (id integer primary key, name varchar(40), hash varchar(80))')
  sqlite.prepare('insert into users values (1, ?, ?)').run('ann', await hashPassword(password))
  const User = defineModel('User', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      name: { type: 'string', maxLength: 40 },
      hash: { type: 'string', maxLength: 80 },
    },
    methods: { check: passwordCheck('hash') },
    meta: {},
  })
  const api = createApi({
    db: new Kysely({ dialect: new SqliteDialect({ database: sqlite }) }),
    models: [User],
    config: {
      API_AUTHENTICATE_METHOD: ['jwt'],
      API_AUTH_REQUIREMENTS: { GET: false },
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      API_LOGIN_RATE_LIMIT: '100000 per second',
      ACCESS_SECRET_KEY: 'a'.repeat(32),
      REFRESH_SECRET_KEY: 'b'.repeat(32),
    },
    env: {},
  })
  tell(await createServer(api).listen(0))
}

async function measure(): Promise<void> {
  const server = fork(new URL(import.meta.url), { stdio: 'inherit' })
  const [url] = (await once(server, 'message')) as [string]
  const get = async (): Promise<number> => {
    const started = performance.now()
    await (await fetch(`${url}/api/users/1`)).text()
    return performance.now() - started
  }
  const signIn = async (): Promise<number> => {
    const response = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ann', password }),
    })
    await response.text()
    return response.status
  }
  for (let i = 0; i < 500; i++) await get()
  const until = Date.now() + 2_000
  const alone = await timesOf(get, () => Date.now() < until)
  let open = logins
  const statuses = new Map<number, number>()
  const all = Promise.all(
    Array.from({ length: logins }, async () => {
      const status = await signIn()
      open -= 1
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
  )
  const meanwhile = await timesOf(get, () => open > 0)
  await all
  server.kill()
  console.log(`sign-ins      ${[...statuses].map(([status, n]) => `${n} × ${status}`).join(', ')}`)
  console.log(`GET alone     ${describe(alone)}`)
  console.log(`GET meanwhile ${describe(meanwhile)}`)
}

async function timesOf(ask: () => Promise<number>, isGoingOn: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (isGoingOn()) times.push(await ask())
  return times.sort((a, b) => a - b)
}

function describe(times: readonly number[]): string {
  const at = (share: number): string =>
    `${(times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1)} ms`
  return `${times.length} requests, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(0.999999)}`
}
