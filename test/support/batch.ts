/** Sends batches, and compares a request with a batch of that one request. */
import type { Api, ApiRequest } from '@model-api/core'
import { type Answer, send } from './api.ts'
import { batchOfOne } from './batch-of-one.ts'

export interface Operation {
  readonly id?: string
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends a batch as text; operations without an id are called `a`, `b`, … */
export const sendBatch = (
  api: Api,
  operations: readonly Operation[],
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
  user?: unknown,
): Promise<Answer> =>
  send(api, 'POST', '/api/batch', {
    ...(user === undefined ? {} : { user }),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      operations: operations.map((one, i) => ({ id: String.fromCharCode(97 + i), ...one })),
      ...more,
    }),
  })

export const posting = (url: string, body: unknown): Operation => ({ method: 'POST', url, body })
export const getting = (url: string): Operation => ({ method: 'GET', url })

/** The parts of a response that must be the same whether the request is sent alone or as a batch of one. */
export interface Verdict {
  readonly status: number
  readonly value: unknown
  readonly errors: unknown
  readonly headers: unknown
}

const shownHeaders = [
  'location',
  'etag',
  'allow',
  'accept-query',
  'retry-after',
  'www-authenticate',
]

export const shown = (headers: Readonly<Record<string, string>>): unknown =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => shownHeaders.includes(name)))

export async function verdictAlone(api: Api, request: ApiRequest): Promise<Verdict> {
  const { status, headers, body } = await api.handle(request)
  const parts = partsOf(body)
  // Servers send no body for HEAD.
  const value = request.method === 'HEAD' ? null : parts.value
  // Only a QUERY that is sent alone has Accept-Query in its response.
  const { 'accept-query': _, ...others } = headers
  return { status, ...parts, value, headers: shown(request.method === 'QUERY' ? others : headers) }
}

export async function verdictInBatch(
  api: Api,
  request: ApiRequest,
  dryRun = false,
): Promise<Verdict> {
  const { status, headers, body } = await api.handle(batchOfOne(request, dryRun))
  const { value, errors } = partsOf(body)
  if (status !== 200) return { status, value, errors, headers: shown(headers) }
  const [result] = value as readonly [
    { status: number; value: unknown; headers: Record<string, string> },
  ]
  return {
    status: result.status,
    value: result.value,
    errors: null,
    headers: shown(result.headers),
  }
}

/** The value and the errors of an envelope, without `at`, which differs in a batch: there it names the operation. */
function partsOf(body: unknown): { value: unknown; errors: unknown } {
  const { value = null, errors = null } = (body ?? {}) as { value?: unknown; errors?: unknown }
  if (errors === null) return { value, errors }
  const { at: _, ...rest } = errors as Record<string, unknown>
  return { value, errors: rest }
}
