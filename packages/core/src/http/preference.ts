// The preference `return` of a write (RFC 7240), `Prefer: return=minimal`: whether the response has the record, or no body. Applied to the
// result of the endpoint after COMMIT, and asked before, so that records which nobody needs are not read.

import { type ApiRequest, wholeHeader } from '../model/request.ts'
import type { Result } from './envelope.ts'

/** The supported values of the preference. */
export type ReturnPreference = 'minimal' | 'representation'

/**
 * Returns the first `return` preference of the header `Prefer`; undefined if there is none or its value is not supported. Ignores
 * other preferences.
 */
export function returnPreference(request: ApiRequest): ReturnPreference | undefined {
  const given = wholeHeader(request, 'prefer')
  if (given === undefined) return undefined
  for (const preference of given.split(',')) {
    const [named = ''] = preference.split(';', 1)
    const at = named.indexOf('=')
    if (at < 0 || named.slice(0, at).trim().toLowerCase() !== 'return') continue
    const value = named.slice(at + 1).trim()
    const known = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
    return known === 'minimal' || known === 'representation' ? known : undefined
  }
  return undefined
}

/** A write whose client may have a preference. */
export interface Preferring {
  readonly request: ApiRequest
  /** Whether the write deletes records, so that there is no record to return. */
  readonly removes: boolean
  /** Whether the write is about several records, chosen by filters or given as a list. */
  readonly many: boolean
}

/** Applies the client's preference to the result of a write. `return=minimal` removes the body; a 200 becomes 204. */
export function asPreferred({ request, removes, many }: Preferring, result: Result): Result {
  const preference = returnPreference(request)
  if (preference === undefined || result.empty === true) return result
  if (preference === 'representation' && removes) return result
  const headers = { ...result.headers, 'preference-applied': `return=${preference}` }
  if (preference === 'representation') return { ...result, headers }
  const { status, total, keys } = result
  return {
    status: status === 200 ? 204 : status,
    value: null,
    total,
    ...(keys === undefined ? {} : { keys }),
    headers: many && total !== undefined ? { ...headers, 'x-total-count': String(total) } : headers,
    empty: true,
    finished: true,
  }
}
