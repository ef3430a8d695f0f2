/** Everything of a response that a caller could learn from: status, headers and bytes. */
import { type Api, type ApiRequest, type JsonValue, stringify } from '@model-api/core'

/** How a request is sent: through `api.handle`, or through `api.answer`, which adapters use. */
type Way = 'handled' | 'sent'

/**
 * Returns a response as text. `HEAD /api/books` uses another method than GET; `follow /api/books` follows `next_url` and
 * returns all pages; `problem /api/books` requests errors as problem details.
 */
export async function answerOf(
  api: Api,
  request: string,
  suffix = '',
  way: Way = 'handled',
): Promise<string> {
  const [first = '', rest] = request.split(' ', 2)
  const follows = first === 'follow'
  const asksProblem = first === 'problem'
  const method = rest === undefined || follows || asksProblem ? 'GET' : first
  const accept = asksProblem ? { accept: 'application/problem+json' } : {}
  let url = rest ?? first
  if (suffix !== '') url += `${url.includes('?') ? '&' : '?'}${suffix}`
  const seen: string[] = []
  for (let page = 0; page < 20; page++) {
    const { told, text } = await ask(api, requestOf(method, url, accept), way)
    seen.push(told)
    const next = follows ? (JSON.parse(text) as { next_url?: string | null }).next_url : null
    if (next === null || next === undefined) break
    url = next
  }
  return seen.join('\n')
}

/** A QUERY has the query string of the URL as its body. */
export function requestOf(
  method: string,
  url: string,
  more: Readonly<Record<string, string>> = {},
): ApiRequest {
  const headers = { 'x-request-id': 'r', ...more }
  if (method !== 'QUERY') return { method, url, headers }
  const [path = '', body = ''] = url.split('?', 2)
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  return { method, url: path, headers: form, body }
}

/** Returns status, headers and body of a response, and the body alone. */
export async function ask(
  api: Api,
  request: ApiRequest,
  way: Way,
): Promise<{ readonly told: string; readonly text: string }> {
  const { status, headers, ...rest } =
    way === 'sent' ? await api.answer(request) : await api.handle(request)
  const text = 'text' in rest ? (rest.text ?? '') : bodyText(rest as { readonly body?: unknown })
  return { told: `${status} ${JSON.stringify(headers)} ${text}`, text }
}

const bodyText = ({ body }: { readonly body?: unknown }): string =>
  body === undefined ? '' : stringify(body as JsonValue)
