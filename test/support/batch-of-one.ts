/** A request as the only operation of a batch. */
import type { ApiRequest } from '@model-api/core'

/** The headers that an operation of a batch may have. */
const own = [
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'prefer',
  'x-http-method-override',
]

/** A batch with this request as its only operation. */
export function batchOfOne(request: ApiRequest, dryRun = false): ApiRequest {
  const { method, url, headers = {}, body } = request
  const entries = Object.entries(headers)
  const operation = {
    id: 'a',
    method,
    url: url.replace(/[{}]/g, (brace) => (brace === '{' ? '%7B' : '%7D')),
    headers: Object.fromEntries(entries.filter(([name]) => own.includes(name))),
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? parsed(body, headers) : body }),
  }
  return {
    ...request,
    method: 'POST',
    url: '/api/batch',
    headers: {
      ...Object.fromEntries(entries.filter(([name]) => !own.includes(name))),
      'content-type': 'application/json',
    },
    body: { operations: [operation], ...(dryRun ? { dry_run: true } : {}) },
  }
}

const parsed = (body: string, headers: NonNullable<ApiRequest['headers']>): unknown =>
  /^application\/(?:merge-patch\+)?json/.test(String(headers['content-type']))
    ? JSON.parse(body)
    : body
