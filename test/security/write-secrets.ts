/** What writes must not tell: the secrets of the leak matrices, and what an answer and the reads after it say. */
import { type Api, type ApiConfig, type JsonValue, stringify } from '@model-api/core'
import type { TestDatabase } from '../support/databases.ts'
import type { Statement } from '../support/statements.ts'
import { apiOf, fillWorld, full, undo, type Variant, viewer } from './world.ts'
import type { Write } from './write-doors.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Secret {
  readonly variant: Variant
  /** The world whose answers are expected, if that is not the full one. */
  readonly world?: Variant
  readonly change?: (row: Row, model: string) => Row | null
  /** What the contract says cannot be hidden. */
  readonly exceptions?: readonly Write[]
}

export const secrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    variant: full,
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'a hidden column': { variant: { ...full, vault: 'absent' } },
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

/**
 * Sends writes of the viewer to a world. It is filled at first, and what a write has changed, which was not refused, is filled
 * again; `filled` then looks at it.
 */
export function writerIn(
  db: TestDatabase,
  { variant, change }: Secret,
  config: ApiConfig = {},
  filled: () => Promise<void> = async () => {},
): (write: Write) => Promise<string> {
  const api = apiIn(db, variant, config)
  /** What has changed since it was filled. */
  let statements: readonly Statement[] | undefined
  return async (write) => {
    if (statements === undefined) await fillWorld(db, change)
    else await undo(db, statements, change)
    if (statements?.length !== 0) await filled()
    const told = await db.capture(() => answerAndReads(api, write))
    // What is refused changes nothing.
    statements = told.result.startsWith('4') ? [] : told.statements
    return told.result
  }
}

/** By declarations and settings: worlds that differ in their rows alone have one API. */
const apis = new WeakMap<TestDatabase, Map<string, Api>>()

function apiIn(db: TestDatabase, variant: Variant, config: ApiConfig): Api {
  const known = apis.get(db) ?? new Map<string, Api>()
  apis.set(db, known)
  const key = JSON.stringify([variant, config])
  const api = known.get(key) ?? apiOf(db, variant, viewer, config)
  known.set(key, api)
  return api
}

/** The answer to a write and what the writer sees afterwards. */
async function answerAndReads(api: Api, write: Write): Promise<string> {
  const { method, url, body, headers } = write
  const request = { 'x-request-id': 'r', 'content-type': 'application/json', ...headers }
  const answer = await api.handle({
    method,
    url,
    headers: request,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const after = []
  for (const look of [
    '/api/books?dump=json',
    '/api/authors?dump=json',
    '/api/tags',
    '/api/reviews',
  ]) {
    const { body: seen } = await api.handle({ method: 'GET', url: look, headers: request })
    after.push(stringify(seen as unknown as JsonValue))
  }
  const text = answer.body === undefined ? '' : stringify(answer.body as unknown as JsonValue)
  return [`${answer.status} ${JSON.stringify(answer.headers)} ${text}`, ...after].join('\n')
}
