// The bodies of login and refresh: texts under fixed names; members the service does not know are not its business.

import type { Runtime } from '../../call.ts'
import { settingNames } from '../../config/setting-names.ts'
import { wrongBody } from '../../errors.ts'
import type { ApiRequest } from '../../http/request.ts'
import { readBody } from '../../input/body.ts'
import { inputProblems } from '../../input/problems.ts'

/** The texts of a JSON body; 400 lists every one that is missing or is no text. */
export function readTexts<Name extends string>(
  { settings }: Runtime,
  request: ApiRequest,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const problems = inputProblems()
  const limit = { bytes: settings.bodyLimit, setting: settingNames.bodyLimit }
  const empty = request.body === undefined || request.body === ''
  const body = empty ? {} : readBody(request, limit, problems)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongBody(`a JSON object with ${names.join(' and ')}`)
  }
  const given = body as Readonly<Record<string, unknown>>
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (typeof value === 'string' && value !== '') texts[name] = value
    else problems.add(name, value === undefined ? 'is required' : 'must be a string')
  }
  problems.refuse()
  return texts as Record<Name, string>
}
