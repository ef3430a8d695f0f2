// Checks the request that a host passes to `handle` or `answer`; a mistake is reported, and the response is 500.

import type { ApiRequest } from './request.ts'

/** Throws a TypeError that names the wrong property of a request. */
export function checkRequest(request: ApiRequest): void {
  const { method, url } = request
  if (typeof url === 'string' && typeof method === 'string') return
  throw new TypeError(
    `request.${wrongProperty(method, url, request)} Pass an object such as { method: 'GET', url: '/api/books?page=2', headers: {} }.`,
  )
}

function wrongProperty(method: unknown, url: unknown, given: object): string {
  if (typeof method !== 'string') return `method: expected a string, got ${typeof method}.`
  const meant = 'path' in given ? ' "path" is not read: did you mean "url"?' : ''
  return `url: expected a string, got ${typeof url}.${meant}`
}
