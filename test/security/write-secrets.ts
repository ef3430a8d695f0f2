/** What writes must not reveal: the secrets of the leak matrices; and the text of a response and of the reads after it. */
import { type Api, type ApiConfig, type JsonValue, stringify } from '@model-api/core'
import { equal, notEqual } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { Statement } from '../support/statements.ts'
import {
  another,
  apiOf,
  fillWorld,
  full,
  type OtherRows,
  tablesIn,
  undo,
  type Variant,
  viewer,
} from './world.ts'
import { current, type Write } from './write-doors.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Secret {
  readonly variant: Variant
  /** The world whose answers are expected, if that is not the full one. */
  readonly world?: Variant
  readonly change?: (row: Row, model: string) => Row | null
  /** Rows that only this world has. */
  readonly others?: OtherRows
}

export const secrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    variant: full,
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'a hidden column': { variant: { ...full, vault: 'absent' } },
  'the values of a write-only column': {
    world: { ...full, vault: 'writeOnly' },
    variant: { ...full, vault: 'writeOnly' },
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'a column of another role': { variant: { ...full, vault: 'ruled' } },
  'a relation by a column of another role': {
    world: { ...full, shelf: 'absent' },
    variant: { ...full, shelf: 'ruled' },
  },
  'the values of a column of another role': {
    variant: { ...full, vault: 'ruled' },
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'rows out of scope': {
    variant: full,
    change: (row) => (row.owner_id === 8 ? null : row),
  },
  'other values of rows out of scope': {
    variant: full,
    change: (row) => {
      if (row.owner_id !== 8) return row
      return Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, another(column, value)]),
      )
    },
  },
  'whether rows out of scope are deleted': {
    variant: full,
    change: (row) => (row.owner_id === 8 ? { ...row, deleted: row.deleted !== true } : row),
  },
  'soft-deleted rows': { variant: full, change: (row) => (row.deleted === true ? null : row) },
  'an unpublished model': {
    variant: { ...full, audit: 'absent' },
    change: (row, model) => (model === 'Audit' ? null : row),
  },
  'a resource of another role': {
    variant: full,
    change: (row, model) => (model === 'Payroll' || model === 'Ledger' ? null : row),
  },
}

/** Requires that a write tells the same as in a world without the secret; or not the same, if it reveals it by contract. */
export function requireAlike(
  secret: string,
  write: Write,
  expected: string | undefined,
  answer: string,
): void {
  const about = `${secret}: ${write.method} ${write.url} ${JSON.stringify({ ...write, url: undefined })}`
  if (write.reveals?.includes(secret)) notEqual(answer, expected, `is not revealed: ${about}`)
  else equal(answer, expected, about)
}

/**
 * Returns a function that sends writes of the viewer to a world. The world is filled before the first write; later, only what
 * the last write changed is restored, and then `filled` runs. Lists are read after each write, but only once for all writes
 * that sent nothing but SELECT. The text that it returns ends with the number of statements of the write.
 */
export function writerIn(
  db: TestDatabase,
  { variant, change, others }: Secret,
  config: ApiConfig = {},
  filled: () => Promise<void> = async () => {},
): (write: Write) => Promise<string> {
  const api = apiIn(db, variant, config)
  /** The statements since the world was filled; undefined before that. */
  let statements: readonly Statement[] | undefined
  /** The lists in the unchanged world, by the headers of the write, which the reads send too. */
  const unchanged = new Map<string, string>()
  return async (write) => {
    await api.ready
    if (statements === undefined) await fillWorld(db, change, others)
    else await undo(db, statements, change, others)
    if (statements?.length !== 0) await filled()
    const { result: answer, statements: sent } = await db.capture(() => answerTo(api, write))
    if (!sent.every(changesNothing)) {
      // A refused write changes nothing.
      statements = answer.startsWith('4') ? [] : sent
      return `${answer}\n${await readsOf(api, write)}\n${countOf(sent)}`
    }
    statements = []
    const headers = JSON.stringify(write.headers)
    const reads = unchanged.get(headers) ?? (await readsOf(api, write))
    unchanged.set(headers, reads)
    return `${answer}\n${reads}\n${countOf(sent)}`
  }
}

/** How many statements of a write are about the tables: another service may look up what the database is at the same time. */
const countOf = (sent: readonly Statement[]): string =>
  `${sent.filter((statement) => tablesIn([statement]).size > 0).length} statements`

const changesNothing = ({ sql }: Statement): boolean =>
  /^(?:select|begin|commit|rollback)\b/i.test(sql)

/** The APIs by declarations and settings; worlds that differ only in rows share one. */
const apis = new WeakMap<TestDatabase, Map<string, Api>>()

function apiIn(db: TestDatabase, variant: Variant, config: ApiConfig): Api {
  const known = apis.get(db) ?? new Map<string, Api>()
  apis.set(db, known)
  const key = JSON.stringify([variant, config], (_, value) =>
    typeof value === 'function' ? String(value) : value,
  )
  const api = known.get(key) ?? apiOf(db, variant, viewer, config)
  known.set(key, api)
  return api
}

const headersOf = ({ headers }: Write): Headers => ({
  'x-request-id': 'r',
  'content-type': 'application/json',
  ...headers,
})

type Headers = Readonly<Record<string, string>>

/** The ETag that the writer reads, in place of `current`; one of no record if there is none. */
async function withCurrentEtag(api: Api, url: string, headers: Headers): Promise<Headers> {
  const path = url.replace(/\/restore|\?.*/g, '')
  const read = await api.handle({ method: 'GET', url: `${path}?include_deleted=true`, headers: {} })
  return { ...headers, 'if-match': read.headers.etag ?? '"none"' }
}

async function answerTo(api: Api, write: Write): Promise<string> {
  const { method, url, body } = write
  const headers = headersOf(write)
  const answer = await api.handle({
    method,
    url,
    headers: headers['if-match'] === current ? await withCurrentEtag(api, url, headers) : headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = answer.body === undefined ? '' : stringify(answer.body as unknown as JsonValue)
  return `${answer.status} ${JSON.stringify(answer.headers)} ${text}`
}

/** Returns what the writer can read after a write. */
async function readsOf(api: Api, write: Write): Promise<string> {
  const after = []
  for (const url of [
    '/api/books?dump=json',
    '/api/authors?dump=json',
    '/api/tags',
    '/api/reviews',
  ]) {
    const { body: seen } = await api.handle({ method: 'GET', url, headers: headersOf(write) })
    after.push(stringify(seen as unknown as JsonValue))
  }
  return after.join('\n')
}
