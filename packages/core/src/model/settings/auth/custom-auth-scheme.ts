// CustomAuthScheme: where the custom strategy finds its credential (API_CUSTOM_AUTH_SCHEME), for the OpenAPI document and `Vary`; and the check of
// that setting.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { Check } from '../setting-checks.ts'

/** Where the custom strategy finds its credential. */
export type CustomAuthScheme =
  | {
      readonly in: 'cookie'
      /** The name of the cookie. */
      readonly name: string
      /** The header with a CSRF token, such as `x-csrf-token`, without which the function refuses writes. */
      readonly csrf?: string
      readonly description?: string
    }
  | {
      readonly in: 'header'
      /** The name of the header. */
      readonly name: string
      readonly description?: string
    }
  | {
      /** `Authorization: Bearer <token>` */
      readonly in: 'bearer'
      /** The format of the token, as information for readers of the document: `JWT`, `opaque`. */
      readonly format?: string
      readonly description?: string
    }

/** The members that a scheme of each kind may have. */
const members: Readonly<Record<CustomAuthScheme['in'], readonly string[]>> = {
  cookie: ['in', 'name', 'csrf', 'description'],
  header: ['in', 'name', 'description'],
  bearer: ['in', 'format', 'description'],
}

const places = Object.keys(members)

/** Valid names of a cookie or header. Code samples contain the name, so characters that a shell interprets are not allowed. */
const token = /^[A-Za-z0-9_.-]+$/

/** Accepts a `CustomAuthScheme`. */
export const customAuthScheme: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return "expected an object such as { in: 'cookie', name: 'session' }."
  }
  const scheme = value as Readonly<Record<string, unknown>>
  const place = String(scheme.in)
  if (!places.includes(place)) {
    return `in: expected one of ${places.join(', ')}.${didYouMean(place, places)}`
  }
  const known = members[place as CustomAuthScheme['in']]
  const unknown = Object.keys(scheme).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    return `"${unknown}" is not a member of the scheme "${place}": expected ${known.join(', ')}.`
  }
  if (known.includes('name') && !(typeof scheme.name === 'string' && token.test(scheme.name))) {
    return `name: expected the name of a ${place}.`
  }
  if (scheme.csrf !== undefined && !(typeof scheme.csrf === 'string' && token.test(scheme.csrf))) {
    return 'csrf: expected the name of a header.'
  }
  const wrong = ['format', 'description'].find(
    (key) => scheme[key] !== undefined && typeof scheme[key] !== 'string',
  )
  return wrong === undefined ? undefined : `${wrong}: expected a string.`
}
