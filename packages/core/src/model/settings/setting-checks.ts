// Checks of values in config, in meta and in declarations of models; each returns a sentence that says what was expected, or undefined if the value
// is valid. The table of settings has one for each key.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { isParameter, operatorSuffix } from '../query-words/query-names.ts'
import { parseIpRange } from './auth/ip-range.ts'
import { readRateWindows } from './auth/rate-windows.ts'

/** Returns what is wrong with a value, or undefined. */
export type Check = (value: unknown) => string | undefined

/** Formats a value for an error message: shortened, without the members of objects. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

const expected = (what: string, value: unknown): string =>
  `expected ${what}, got ${shownValue(value)}.`

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const boolean: Check = (value) =>
  typeof value === 'boolean' ? undefined : expected('true or false', value)

export const text: Check = (value) =>
  isText(value) ? undefined : expected('a non-empty string', value)

/** Accepts a non-empty string, which the message never quotes. */
export const secret: Check = (value) =>
  isText(value)
    ? undefined
    : `expected a non-empty string, got ${value === '' ? 'an empty string' : typeof value}.`

/** A list of secrets and keys, which no message shows. */
export const secrets: Check = (value) =>
  Array.isArray(value) && value.every((item) => secret(item) === undefined)
    ? undefined
    : 'expected a list of non-empty strings.'

export const callable: Check = (value) =>
  typeof value === 'function' ? undefined : expected('a function', value)

/** Accepts true, false or a list of words. */
export const booleanOrList =
  (words: readonly string[]): Check =>
  (value) => {
    if (typeof value === 'boolean') return undefined
    if (Array.isArray(value)) return listOf(oneOf(...words))(value)
    const what = `true, false or a list of ${words.join(', ')}`
    const isItem = typeof value === 'string' && words.includes(value)
    return expected(what, value) + (isItem ? ` Did you mean [${JSON.stringify(value)}]?` : '')
  }

/** Accepts an object that is neither an array nor a function. */
export const object: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : expected('an object', value)

/** Accepts an integer within bounds; `because` explains the upper bound. */
export const integer =
  (from: number, to: number = Number.MAX_SAFE_INTEGER, because = ''): Check =>
  (value) => {
    if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) {
      return undefined
    }
    const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`
    return `expected a whole number ${range}, got ${shownValue(value)}.${because && ` ${because}`}`
  }

/** Accepts one of a fixed set of strings. */
export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : expected(`one of ${words.join(', ')}`, value) +
        (typeof value === 'string' ? didYouMean(value, words) : '')

/** Accepts a list whose items all pass `item`. */
export const listOf =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) {
      const hint = item(value) === undefined ? ` Did you mean [${JSON.stringify(value)}]?` : ''
      return expected('a list', value) + hint
    }
    return together(
      value.map((entry, index) => {
        const wrong = item(entry)
        return wrong === undefined ? undefined : `item ${index}: ${wrong}`
      }),
    )
  }

/** Returns all problems as one message; undefined if there is none. */
export function together(problems: readonly (string | undefined)[]): string | undefined {
  const found = problems.filter((problem) => problem !== undefined)
  return found.length === 0 ? undefined : found.join(' ')
}

/** Accepts a value that passes `item`, or a list of at least one such value. */
export const oneOrMore =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return item(value)
    return value.length === 0 ? expected('at least one', value) : listOf(item)(value)
  }

/** Accepts a value that passes either check. If neither accepts it, the message is that of `first`. */
export const either =
  (first: Check, second: Check): Check =>
  (value) =>
    second(value) === undefined ? undefined : first(value)

/** Accepts an object whose keys are among `keys` and whose values pass `entry`. */
export const mapping =
  (keys: readonly string[], entry: Check): Check =>
  (value) => {
    const wrong = object(value)
    if (wrong !== undefined) return wrong
    return together(
      Object.entries(value as object).map(([key, inner]) => {
        if (!keys.includes(key)) {
          return `unknown key ${JSON.stringify(key)}.${didYouMean(key, keys)}`
        }
        const problem = entry(inner)
        return problem === undefined ? undefined : `${key}: ${problem}`
      }),
    )
  }

/** Accepts a string that matches a pattern. */
export const matching =
  (pattern: RegExp, what: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : expected(what, value)

/** A segment of a path, as part of a pattern. */
const segment = '[A-Za-z0-9._~-]+'

/** Refuses the segments `.` and `..`, which clients resolve before sending. */
const plain =
  (form: Check): Check =>
  (value) =>
    form(value) ??
    (/(^|\/)\.\.?(\/|$)/.test(String(value))
      ? expected('a path without "." and ".."', value)
      : undefined)

/** Accepts a URL path that begins with `/` and does not end with one. */
export const path: Check = plain(
  matching(
    new RegExp(`^(/${segment})+$`),
    'a path such as "/api", beginning with "/" and not ending with it',
  ),
)

/** Accepts a path below the prefix, with or without a leading `/`. */
export const endpointPath: Check = plain(
  matching(
    new RegExp(`^/?${segment}(/${segment})*$`),
    'a path below the prefix such as "library/books", of letters, digits and . _ ~ -',
  ),
)

/** Accepts an absolute origin: scheme and host, no path, and no `*` in place of a part. */
export const origin: Check = (value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  const isOrigin = url !== undefined && url.origin === value && !url.origin.includes('*')
  if (isOrigin && /^https?:$/.test(url.protocol)) return undefined
  return expected(
    'an origin such as "https://api.example.org", without a path, a trailing "/" or *',
    value,
  )
}

/** Accepts an absolute web address. */
export const url: Check = (value) =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
    ? undefined
    : expected('an address such as "https://example.org"', value)

/** Accepts `<count> per <period>` or `<count>/<period>`, several joined by `;`. */
export const rateLimit: Check = (value) =>
  typeof value === 'string' && readRateWindows(value) !== undefined
    ? undefined
    : expected(
        'a limit such as "5 per minute"; the period is second, minute, hour, day or "15 minutes", several limits are joined by ";"',
        value,
      )

/** Accepts a name for a query parameter of the host. */
export const hostParameter: Check = (value) => {
  const name = matching(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'a name of letters, digits, _ and -')(value)
  if (name !== undefined) return name
  const suffix = operatorSuffix(String(value))
  if (suffix !== undefined) return `${shownValue(value)} ends in "__${suffix}", which is a filter.`
  return isParameter(String(value))
    ? `${shownValue(value)} is a parameter of the query language.`
    : undefined
}

/** Accepts the values of the soft-delete column. */
export const softDeleteValues: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value[0] !== value[1]
    ? undefined
    : 'expected a pair of different values: of an active record, and of a deleted one.'

/** Accepts an IP address or range. */
export const ipRange: Check = (value) =>
  typeof value === 'string' && parseIpRange(value) !== undefined
    ? undefined
    : 'expected an address or a range such as "10.0.0.0/8".'

/** Accepts a token provider that is given as a string. */
export const tokenProvider: Check = matching(
  /^(?:header|cookie|[^#]+#[A-Za-z_$][\w$]*)$/,
  '"header", "cookie", a function, or "module#export"',
)

/** Accepts a store of rate limits. */
export const rateLimitStore: Check = (value) =>
  typeof (value as { hit?: unknown } | null)?.hit === 'function'
    ? undefined
    : 'expected a store with the method hit(key, windowMs, now), such as redisRateLimitStore(client).'
