/** Creates APIs for tests and sends requests to them. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  createApi,
  type FieldProblem,
  type JsonValue,
  stringify,
} from '@model-api/core'
import { equal } from './assert.ts'
import type { TestDatabase } from './databases.ts'
import { checkAnswer } from './openapi-check.ts'
import { plainOnly, way } from './path.ts'
import { plainDialect } from './plain-dialect.ts'
import { askOnTheWay, takesBatches } from './ways.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape
  readonly body: any
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape
  readonly value: any
  readonly total: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape
  readonly errors: any
  /** The text of the body, with times replaced by fixed ones. */
  readonly text: string
}

/** A stopped clock, which `tick` moves. */
export function frozenClock(start: string = '2026-01-02T03:04:05.678Z'): {
  now(): number
  elapsed(): number
  tick(ms: number): void
} {
  let now = Date.parse(start)
  const first = now
  return {
    now: () => now,
    elapsed: () => now - first,
    tick: (ms) => {
      now += ms
    },
  }
}

/** An API on a test database, with a stopped clock. */
export function testApi(
  db: TestDatabase,
  models: readonly AnyModel[],
  config: ApiConfig = {},
  options: Partial<Parameters<typeof createApi>[0]> = {},
): Api {
  const given = {
    db: db.kysely,
    models,
    // Most tests create only the columns that they need, so the schema check would report differences.
    config: { API_SCHEMA_CHECK: 'off' as const, ...config },
    clock: frozenClock(),
    // Each API would warn that the test servers have no time limits.
    onWarning: () => {},
    ...options,
  }
  if (way === 'batch') {
    const api = createApi({ ...given, config: { API_ALLOW_BATCH: true, ...given.config } })
    takesBatches.add(api)
    return api
  }
  return createApi(plainOnly ? { dialect: plainDialect(db.kysely), ...given } : given)
}

/** Sends a request, and throws unless the OpenAPI document of the API allows the response, and its problems are those of its reason. */
export async function send(
  api: Api,
  method: string,
  url: string,
  extra: { headers?: Record<string, string>; body?: unknown; user?: unknown } = {},
): Promise<Answer> {
  const headers = { 'x-request-id': 'test', ...extra.headers }
  const request = { method, url, ...extra, headers }
  const response = await askOnTheWay(api, request, (sent) =>
    plainOnly || way === 'batch' ? api.handle(sent) : api.answer(sent),
  )
  const { status, headers: answered, cookies = [] } = response
  const text =
    'body' in response
      ? textOf(response.body as unknown as JsonValue)
      : ((response as { text?: string }).text ?? '')
  const body = text === '' ? undefined : JSON.parse(text)
  // OpenAPI 3.1 has no operation for QUERY, so its responses are checked as those of GET.
  const isQuery = method === 'QUERY' || 'x-http-method-override' in headers
  const [type] = (answered['content-type'] ?? '').split(';')
  const isMinimal = answered['preference-applied'] === 'return=minimal'
  const isDocumented = !isQuery && !(isMinimal && text === '' && status === 201)
  if (isDocumented && way !== 'batch') {
    checkAnswer(await api.openapi(), method, url, { status, text, type })
  }
  checkProblems(body?.errors)
  return {
    status,
    headers: answered,
    cookies,
    body,
    value: body?.value,
    total: body?.total_count,
    errors: body?.errors,
    text,
  }
}

/** Throws unless the messages of `problems`, by path, are the reason. A reason of a hook in another form has no problems. */
function checkProblems(errors: { reason?: unknown; problems?: unknown } | null | undefined): void {
  const { reason, problems = [] } = errors ?? {}
  const messages = new Map<string, string[]>()
  for (const { path, message } of problems as readonly FieldProblem[]) {
    messages.set(path, [...(messages.get(path) ?? []), message])
  }
  const isListed =
    typeof reason === 'object' && reason !== null && Object.values(reason).every(Array.isArray)
  // As lists of members, since one may be called "constructor".
  const derived = Object.entries(Object.fromEntries(messages))
  equal(derived, isListed ? Object.entries(reason) : [], 'the problems of a reason')
}

const textOf = (body: JsonValue | undefined): string => (body === undefined ? '' : stringify(body))

export const get = (api: Api, url: string, headers?: Record<string, string>): Promise<Answer> =>
  send(api, 'GET', url, headers === undefined ? {} : { headers })
