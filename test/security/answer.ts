/** What an answer tells to whoever looks closely: status, headers and bytes. */
import { type Api, type ApiRequest, type JsonValue, stringify } from '@model-api/core'

/** One answer as it is given to `api.handle`, or sent by an adapter through `api.answer`. */
type Way = 'handled' | 'sent'

/**
 * One answer as a text. `HEAD /api/books` has another method than GET; `follow /api/books` goes on along `next_url` and
 * gives all pages; `problem /api/books` asks for errors as problem details.
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

/** Status, headers and body of one answer, and the body alone. */
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
