/** Records random writes: each request with its response, the rows, the calls of hooks and the statements that were sent. */
import { createHash } from 'node:crypto'
import type { ApiRequest } from '@model-api/core'
import { random } from '../../../bench/random.ts'
import { stepwiseDialect } from '../stepwise-dialect.ts'
import type { User } from './bodies.ts'
import { HookLog, type Variant, variants } from './hooks.ts'
import { nextWrite, type Write } from './requests.ts'
import { StoredTables, uuids } from './tables.ts'
import { type Any, diceOf, type Row, type Tools } from './tools.ts'
import { fillWorld, makeWorld } from './world.ts'

/** One request and what came of it. */
export interface Line {
  readonly chunk: number
  readonly index: number
  readonly variant: string
  readonly kind: string
  readonly fault: string
  readonly request: { method: string; url: string; user: string; headers: Row; body?: Any }
  readonly response: { status: number; headers: Row; body: Any }
  /** What was reported to `onError`. */
  readonly failures: readonly string[]
  /** Rows that went (`-`) and came (`+`), by table. */
  readonly changes: Readonly<Record<string, readonly string[]>>
  /** A digest of all tables afterwards. */
  readonly state: string
  /** All tables afterwards, on request. */
  readonly rows?: Readonly<Record<string, readonly string[]>>
  readonly calls: Readonly<Record<string, readonly string[]>>
  /** How many statements of each kind were sent, those of hooks included. */
  readonly statements: Readonly<Record<string, number>>
}

export interface Options {
  readonly seed: number
  readonly chunk: number
  /** The number of requests. */
  readonly size: number
  /** Whether lines have all rows. */
  readonly full: boolean
  /** Whether each step of a write has statements of its own. */
  readonly stepwise?: boolean
}

const viewer: User = { id: 7, roles: ['viewer'] }
const users: readonly User[] = [
  viewer,
  viewer,
  { id: 8, roles: ['viewer'] },
  { id: 1, roles: ['admin'] },
]
const headersShown = [
  'location',
  'etag',
  'x-total-count',
  'preference-applied',
  'idempotency-replayed',
]
/** The UUIDs of `countUuids`. */
const made = /10000000-0000-4000-8000-\d{12}/g
const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Runs one chunk of requests on an empty database, and returns its lines as JSON. */
export async function recordChunk(tools: Tools, options: Options): Promise<string[]> {
  const { seed, chunk, size, stepwise = false } = options
  const variant = variants[chunk % variants.length] as Variant
  const dice = (name: string) =>
    random(Number.parseInt(digest(`${seed} ${chunk} ${name}`).slice(0, 8), 16))
  const ofWorld = dice('world')
  const log = new HookLog()
  const world = makeWorld(tools, log, ofWorld, variant)
  const db = tools.open()
  const failures: string[] = []
  let now = Date.parse('2026-01-02T03:04:05.678Z')
  const api = tools.core.createApi({
    db: db.kysely,
    ...(stepwise && { dialect: stepwiseDialect(tools.detectDialect(db.kysely)) }),
    models: world.models as Any,
    config: {
      ...world.config,
      API_SESSION_GETTER: ({ host }: Any) => host?.connection ?? db.kysely,
    },
    clock: { now: () => now, elapsed: () => now },
    env: {},
    onWarning: () => {},
    onError: (error) => void failures.push(String(error)),
  })
  const send = async (request: ApiRequest, door: 'handle' | 'answer' = 'handle') => {
    const text = { 'content-type': 'application/json', 'x-request-id': 'transcript' }
    const headers = { ...text, ...request.headers }
    const answer: Any = await api[door]({ ...request, headers })
    const json = door === 'handle' ? tools.core.stringify(answer.body ?? null) : answer.text
    const {
      datetime: _,
      api_version: __,
      response_ms: ___,
      ...body
    } = JSON.parse(json || 'null') ?? {}
    return { status: answer.status as number, headers: answer.headers as Row, body }
  }
  const sendHosted = async (request: ApiRequest, door: 'handle' | 'answer') => {
    const connection = await db.kysely.startTransaction().execute()
    const answer = await send({ ...request, host: { connection } }, door)
    await (answer.status < 400 ? connection.commit() : connection.rollback()).execute()
    return answer
  }
  const restore = countUuids()
  try {
    await fillWorld(tools, db, world, ofWorld)
    // The table of the keys must exist before a transaction of the host uses it.
    const warm = {
      method: 'POST',
      url: '/api/tags',
      headers: { 'idempotency-key': 'key-of-the-transcripts' },
    }
    await send({ ...warm, body: { name: 'warm' }, user: users.at(-1) })
    const tables = new StoredTables(db, world)
    await tables.read(tables.names)
    const uuidNames = new Map<string, string>()
    const lines: string[] = []
    let keyed: Write | undefined
    for (let index = 0; index < size; index += 1) {
      const next = dice(`${index}`)
      const { one } = diceOf(next)
      const [user, door] = [one(users), one(['handle', 'answer'] as const)]
      const get = async (url: string) => {
        const { body, headers } = await send({ method: 'GET', url, user })
        return { value: body.value, etag: headers.etag }
      }
      now += 1000
      const { models } = world
      const { rows, highest } = tables
      const write = await nextWrite(next, user, { models, rows, highest, get, keyed })
      const { kind, fault, ...sent } = write
      const request: Any = structuredClone({ ...sent, user })
      // Adapters pass the text of a body; hosts that have read it pass an object.
      if (request.body !== undefined && next(2) === 0) request.body = JSON.stringify(request.body)
      failures.length = 0
      log.start(variant.hosted)
      const { result, statements } = await db.capture(() =>
        (variant.hosted ? sendHosted : send)(request, door),
      )
      // The callback after COMMIT is not waited for.
      await new Promise((resolve) => setImmediate(resolve))
      log.active = false
      if (kind === 'POST keyed' && result.status < 400) keyed = write
      const changes = await tables.follow(statements.map(({ sql }) => sql))
      const line: Line = {
        chunk,
        index,
        variant: variant.name,
        kind,
        fault,
        request: { ...sent, user: `${user.id} ${user.roles}`, headers: withoutEtag(sent.headers) },
        response: { ...result, headers: chosen(result.headers, headersShown) },
        failures: [...failures],
        changes,
        state: digest(JSON.stringify(tables.all()).replace(uuids, 'uuid')),
        ...(options.full && { rows: tables.all() }),
        calls: log.calls,
        statements: counted(statements.map(({ sql }) => sql)),
      }
      lines.push(withUuidNames(line, uuidNames))
    }
    return lines
  } finally {
    restore()
    await db.close()
  }
}

const chosen = (values: Row, names: readonly string[]): Row =>
  Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  )

/** Counts statements by their first word; those that lock apart from those that only read. */
function counted(statements: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const sql of statements) {
    const [word = ''] = /^rollback to|^\w+/i.exec(sql.trim()) ?? []
    const isLock = /^select.*(for (no key |key )?(update|share)|lock in share mode)/is.test(sql)
    const name = isLock ? 'select locked' : word.toLowerCase()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** An ETag that is sent comes from a GET before, and tells nothing new. */
function withoutEtag(headers: Row): Row {
  const match = headers['if-match']
  return match?.length > 30 ? { ...headers, 'if-match': 'etag' } : headers
}

/**
 * Prints a line with names in place of the UUIDs that the service has made, because each version makes others in attempts that are
 * rolled back. Those of responses and rows keep their names. ETags beside UUIDs are left out: they depend on them.
 */
function withUuidNames(line: Line, names: Map<string, string>): string {
  const text = JSON.stringify(line)
  if (text.search(made) < 0) return text
  const kept = JSON.stringify([line.response, line.changes]).match(made) ?? []
  for (const uuid of kept) if (!names.has(uuid)) names.set(uuid, `uuid${names.size + 1}`)
  const others = new Map<string, string>()
  return text.replace(/"etag":"[^,}]*"/g, '"etag":"etag"').replace(made, (uuid) => {
    const name = names.get(uuid) ?? others.get(uuid) ?? `other${others.size + 1}`
    if (!names.has(uuid)) others.set(uuid, name)
    return name
  })
}

/** Makes UUIDs count upwards, so that the order of records does not depend on chance. Returns what ends that. */
function countUuids(): () => void {
  const { randomUUID } = crypto
  let count = 0
  const counting = (): string => {
    count += 1
    return `10000000-0000-4000-8000-${String(count).padStart(12, '0')}`
  }
  Object.assign(crypto, { randomUUID: counting })
  return () => void Object.assign(crypto, { randomUUID })
}
