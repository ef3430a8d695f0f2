/** Sends a request in the way of this test run (`path.ts`), and returns the response in the form of the usual way. */
import type { Api, ApiRequest } from '@model-api/core'
import { batchOfOne } from './batch-of-one.ts'
import { way } from './path.ts'

interface Response {
  readonly cookies?: readonly string[]
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Ask = (request: ApiRequest) => Promise<Response>

/** The APIs that allow batches only because this run sends its requests as batches. */
export const takesBatches = new WeakSet<Api>()

/** Sends the request in the way of this run. A record has no QUERY, so it is read by GET. */
export async function askOnTheWay(api: Api, request: ApiRequest, ask: Ask): Promise<Response> {
  if (way === 'query' && hasQuery(request)) {
    const answer = await ask(asQuery(request))
    const isOfLists = answer.status !== 405 || answer.headers.allow?.includes('QUERY') === true
    return isOfLists ? withoutAcceptQuery(answer) : ask(request)
  }
  if (way === 'batch' && takesBatches.has(api) && isBatchable(request)) {
    return unbatched(request, await ask(batchOfOne(request)))
  }
  return ask(request)
}

/** A response to QUERY without `accept-query`, which responses to GET do not have. */
function withoutAcceptQuery({ headers, ...answer }: Response): Response {
  const { 'accept-query': accepted, ...others } = headers
  if (accepted !== 'application/x-www-form-urlencoded') throw new Error(`Accept-Query: ${accepted}`)
  return { ...answer, headers: others }
}

const hasQuery = ({ method, url }: ApiRequest): boolean => method === 'GET' && url.includes('?')

function asQuery(request: ApiRequest): ApiRequest {
  const [path = '', ...rest] = request.url.split('?')
  const headers = { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' }
  return { ...request, method: 'QUERY', url: path, headers, body: rest.join('?') }
}

function withoutPlace(answer: Response): Response {
  const { errors } = (answer.body ?? {}) as { readonly errors?: { readonly at?: string } | null }
  if (errors?.at !== 'operations[0]') return answer
  const { at: _, ...rest } = errors
  return { ...answer, body: { ...(answer.body as object), errors: rest } }
}

const isBatchable = ({ method, url }: ApiRequest): boolean =>
  /^(GET|POST|PUT|PATCH|DELETE)$/.test(method) && /^\/api\/(?!batch$)./.test(url)

interface Result {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly value: unknown
}

/**
 * Returns the response to the only operation of a batch, in the form that it would have without the batch. If the batch failed, that is
 * its response without the place of the operation.
 */
function unbatched({ method }: ApiRequest, answer: Response): Response {
  if (answer.status !== 200) return withoutPlace(answer)
  const [{ status, headers: own, value }] = (answer.body as { value: [Result] }).value
  const replayed = answer.headers['idempotency-replayed']
  const headers = replayed === undefined ? own : { ...own, 'idempotency-replayed': replayed }
  const count = headers['x-total-count']
  const link = (rel: string): string | null =>
    new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers.link ?? '')?.[1] ?? null
  const links =
    method === 'GET' && Array.isArray(value)
      ? { next_url: link('next'), previous_url: link('prev') }
      : {}
  const total_count = count === undefined ? 1 : Number(count)
  return { status, headers, body: { value, total_count, errors: null, ...links } }
}
