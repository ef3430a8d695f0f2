// Checks the request object that a host or adapter passes to `api.handle` or `api.answer`; a mistake is reported, and the response is 500.

import type { ApiRequest } from '../model/request.ts'

/** Throws a TypeError that names the wrong property of a request. */
export function checkRequest(request: ApiRequest): void {
  const { method, url, headers } = request
  if (typeof url === 'string' && typeof method === 'string' && areHeaders(headers)) return
  throw new TypeError(
    `request.${wrongProperty(method, url, request)} Pass an object such as { method: 'GET', url: '/api/books?page=2', headers: {} }.`,
  )
}

/** Whether headers can be looked up as members: those of a web Request cannot, and its sender would seem to be anonymous. */
const areHeaders = (headers: ApiRequest['headers'] | null): boolean =>
  headers === undefined ||
  headers === null ||
  (typeof headers === 'object' && !Array.isArray(headers) && typeof headers.get !== 'function')

function wrongProperty(method: unknown, url: unknown, given: object): string {
  if (typeof method !== 'string') return `method: expected a string, got ${typeof method}.`
  if (typeof url === 'string') {
    return 'headers: expected an object with a member for each header. A web Request is served by api.fetch(request).'
  }
  const meant = 'path' in given ? ' "path" is not read: did you mean "url"?' : ''
  return `url: expected a string, got ${typeof url}.${meant}`
}
