/** What an answer tells to whoever looks closely: status, headers and bytes. */
import { type Api, type JsonValue, stringify } from '@model-api/core'

/**
 * One answer as a text. `HEAD /api/books` has another method than GET; `follow /api/books` goes on along `next_url` and
 * gives all pages.
 */
export async function answerOf(api: Api, request: string, suffix = ''): Promise<string> {
  const [first = '', rest] = request.split(' ', 2)
  const follows = first === 'follow'
  const method = rest === undefined || follows ? 'GET' : first
  let url = rest ?? first
  if (suffix !== '') url += `${url.includes('?') ? '&' : '?'}${suffix}`
  const seen: string[] = []
  for (let page = 0; page < 20; page++) {
    const { status, headers, body } = await api.handle({
      method,
      url,
      headers: { 'x-request-id': 'r' },
    })
    const text = body === undefined ? '' : stringify(body as unknown as JsonValue)
    seen.push(`${status} ${JSON.stringify(headers)} ${text}`)
    const next = (body as { next_url?: string } | undefined)?.next_url
    if (!follows || next === null || next === undefined) break
    url = next
  }
  return seen.join('\n')
}
