// The bodies of login and refresh: JSON objects with string members. Unknown members are ignored.

import { wrongBody } from '../../../errors.ts'
import type { CodedProblem } from '../../../lib/problems/problem-codes.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import { emptyText, missingField, notAString } from '../../../problems.ts'
import { inputProblems } from '../../../write/body/input-problems.ts'
import { bodyLimitOf, readBody } from '../../../write/body/text/request-body.ts'

/**
 * Reads the members `names` of the JSON body, and those of `optional` that are there and not null; throws 400 that lists each one that is
 * missing, empty or not a string.
 */
export function readStrings<Name extends string, Optional extends string = never>(
  settings: Pick<ApiSettings, 'bodyLimit'>,
  request: ApiRequest,
  names: readonly Name[],
  optional: readonly Optional[] = [],
): Readonly<Record<Name, string> & Partial<Record<Optional, string>>> {
  const problems = inputProblems()
  const empty = request.body === undefined || request.body === ''
  const body = empty ? {} : readBody(request, bodyLimitOf(settings), problems)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongBody(`a JSON object with ${[...names, ...optional].join(' and ')}`)
  }
  const members = body as Readonly<Record<string, unknown>>
  const own = (name: string) => (Object.hasOwn(members, name) ? members[name] : undefined)
  const strings: Partial<Record<Name | Optional, string>> = {}
  for (const name of [...names, ...optional.filter((member) => (own(member) ?? null) !== null)]) {
    const value = own(name)
    if (typeof value === 'string' && value !== '') strings[name] = value
    else problems.add(name, problemOf(value))
  }
  problems.refuse()
  return strings as Record<Name, string> & Partial<Record<Optional, string>>
}

/** Why a member cannot be used, in the words of other bodies. */
function problemOf(value: unknown): CodedProblem {
  if (value === undefined) return missingField
  return value === '' ? emptyText : notAString
}
