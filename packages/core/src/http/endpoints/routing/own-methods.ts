// optionsResult: OPTIONS and 405 of endpoints that belong to no resource: documentation, health, index, batch and authentication. Each calls
// it first.

import { methodNotAllowed } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Result } from '../../envelope.ts'

/** The methods of an endpoint that only reads. */
export const readMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Returns the response to OPTIONS, with the methods in `Allow`; undefined for another method of the list. Throws 405 for the rest. */
export function optionsResult(
  request: ApiRequest,
  allowed: readonly string[],
): (Result & { readonly headers: Readonly<Record<string, string>> }) | undefined {
  const method = request.method.toUpperCase()
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed)
  if (method !== 'OPTIONS') return undefined
  const headers = { allow: allowed.join(', ') }
  return { status: 204, value: null, total: undefined, empty: true, headers }
}
