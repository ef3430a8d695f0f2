// The body of `POST /auth/keys`: `{ "name": "scale 3", "scopes": ["device"], "expires_at": "2030-01-01T00:00:00Z" }`.

import { keyLimitsOf } from '../../../access/roles/key-limits.ts'
import type { Caller } from '../../../access/roles/roles.ts'
import { type KeyDraft, longestName } from '../../../auth/keys/own-keys.ts'
import { wrongBody } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import {
  emptyText,
  missingField,
  momentIsPast,
  nameNotListed,
  notAListOfNames,
  notAString,
  textTooLong,
  unknownField,
} from '../../../problems.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { bodyLimitOf, readBody } from '../../../write/body/text/request-body.ts'

const datetime = { type: 'datetime' } as const

const members = ['name', 'scopes', 'expires_at'] as const

/**
 * Reads the body; throws 400 with all its problems. An unknown member is refused, because a misspelt `scopes` would make a key without
 * limits. Without `scopes` and `expires_at`, the key has those of the caller's own key, if one was sent.
 */
export function readKeyDraft(
  settings: Pick<ApiSettings, 'bodyLimit'>,
  request: ApiRequest,
  caller: Caller,
  now: number,
): KeyDraft {
  const problems = inputProblems()
  const body = readBody(request, bodyLimitOf(settings), problems)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongBody('a JSON object with name, and perhaps scopes and expires_at')
  }
  const given = body as Readonly<Record<string, JsonValue | undefined>>
  for (const name of Object.keys(given)) {
    if (members.some((member) => member === name)) continue
    problems.add(name, () => unknownField(name, didYouMean(name, members)))
  }
  const own = (name: (typeof members)[number]) =>
    Object.hasOwn(given, name) ? (given[name] ?? null) : null
  const limits = keyLimitsOf(caller.user)
  const name = nameIn(own('name'), problems)
  const scopes = scopesIn(own('scopes'), caller, problems) ?? limits?.scopes ?? null
  const expiresAt = expiryIn(own('expires_at'), now, limits?.expiresAt ?? null, problems)
  problems.refuse()
  return { name, scopes, expiresAt }
}

function nameIn(value: JsonValue, problems: InputProblems): string {
  if (value === null) problems.add('name', missingField)
  else if (typeof value !== 'string') problems.add('name', notAString)
  else if (value.trim() === '') problems.add('name', emptyText)
  else {
    const { length } = [...value.slice(0, 2 * longestName + 2)]
    if (length > longestName) problems.add('name', textTooLong(longestName, length))
    return value
  }
  return ''
}

/**
 * Returns the scopes of the body; undefined if it has none. The caller has only the roles that its own key leaves it, so no key has more than
 * the key that made it.
 */
function scopesIn(
  value: JsonValue,
  { roles }: Caller,
  problems: InputProblems,
): readonly string[] | undefined {
  if (value === null) return undefined
  if (!Array.isArray(value) || !value.every((role) => typeof role === 'string')) {
    problems.add('scopes', notAListOfNames)
    return undefined
  }
  const known = new Set(roles)
  for (const [i, role] of value.entries()) {
    if (!known.has(role)) problems.add(`scopes[${i}]`, () => nameNotListed(roles))
  }
  return [...new Set(value)]
}

/** Returns when the key expires: not after `latest`, when the key of the caller does. Null: never. */
function expiryIn(
  value: JsonValue,
  now: number,
  latest: number | null,
  problems: InputProblems,
): number | null {
  if (value === null) return latest
  // No moment is an empty text.
  const read = columnTypes.datetime.fromText(typeof value === 'string' ? value : '', datetime)
  if ('expected' in read) {
    problems.add('expires_at', read.expected.problem)
    return latest
  }
  const at = Date.parse(String(read.value))
  if (at <= now) problems.add('expires_at', momentIsPast)
  return latest === null ? at : Math.min(at, latest)
}
