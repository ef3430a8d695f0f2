/** Sends requests by the client in the process, `api.as`, and compares their results with those of `handle`. */
import { type Api, type ApiRequest, type JsonValue, stringify } from '@model-api/core'
import type { Call } from '../../packages/core/src/client/client-call.ts'
import { failureOf } from '../../packages/core/src/client/transport.ts'
import { shown, type Verdict } from './batch.ts'

/** A client without the types of models. */
type AnyClient = Readonly<Record<string, { list(): Call<unknown> }>>

/**
 * The result of a request by `api.as(user)`, which has the method, path, query, headers and body of this one. `collection` is any of the
 * client.
 */
export async function verdictAs(
  api: Api,
  user: object | null | undefined,
  request: ApiRequest,
  collection = 'books',
): Promise<Verdict> {
  const { method, url, headers = {}, body } = request
  const client = api.as(user ?? null) as unknown as AnyClient
  const call = (client[collection] as AnyClient[string]).list()
  const [path = '', ...query] = url.split('?')
  const content = { method, path: path.slice('/api'.length), query: query.join('?') }
  Object.assign(call.request, { ...content, headers, body, many: false, read: undefined })
  const result = await call.send()
  if (!result.ok) return { ...failed, status: result.status, errors: told(result.error) }
  const { status, value, headers: sent } = result
  // `verdictAlone` leaves it out.
  if (method === 'QUERY') sent.delete('accept-query')
  return {
    status,
    value: method === 'HEAD' ? null : value,
    errors: null,
    headers: shown(Object.fromEntries(sent)),
  }
}

const failed = { value: null, headers: undefined }

const told = ({ message, code, problems, retryAfter }: ReturnType<typeof failureOf>['error']) => ({
  message,
  code,
  problems,
  retryAfter,
})

/** `verdictAlone`, in the form of `verdictAs`. */
export function inFormOfAs(alone: Verdict): Verdict {
  const { status, value, errors, headers } = alone
  const plain = JSON.parse(stringify(value as JsonValue)) as unknown
  if (errors === null) return { ...alone, value: plain }
  const wait = (headers as Readonly<Record<string, string>>)['retry-after']
  const { error } = failureOf(status, { errors } as never, wait)
  return { ...failed, status, errors: told(error) }
}
