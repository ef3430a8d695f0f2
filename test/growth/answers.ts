/** The largest allowed response to a request. */
import type { ApiRequest } from '@model-api/core'

/** Describes what is wrong with a response; undefined if nothing is. */
export function wrongAnswer(
  request: ApiRequest,
  answer: { readonly status: number; readonly headers: object; readonly text?: string | undefined },
): string | undefined {
  const { status, headers, text = '' } = answer
  if (status >= 500) return `answered with ${status}`
  if (status < 400) return undefined
  const length = Buffer.byteLength(text) + JSON.stringify(headers).length
  const asked = lengthOf(request)
  return length > 2 * asked + 16_384 ? `${asked} bytes are answered with ${length}` : undefined
}

function lengthOf({ method, url, headers, body = '' }: ApiRequest): number {
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  return Buffer.byteLength(method + url + JSON.stringify(headers ?? {}) + sent)
}
