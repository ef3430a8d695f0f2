// The parameters of endpoints that have no query language: the documentation, the index, batches and the authentication endpoints.

import { repeatedParameter, unknownParameter } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import { rawText, splitPairs } from '../../../query/parse/query-string.ts'
import { splitUrl } from '../../route-table.ts'

/**
 * Reads the parameters `names`: `?openapi=3.2` → `{ openapi: '3.2' }`. Throws 400 for any other parameter, with `hint` in the
 * message, and for a repeated one. Skips `additional`, the parameters of the host (API_ADDITIONAL_QUERY_PARAMS).
 */
export function ownParameters<Name extends string>(
  { url }: ApiRequest,
  names: readonly Name[],
  additional: readonly string[],
  hint: string,
): Readonly<Partial<Record<Name, string>>> {
  const values: Partial<Record<Name, string>> = {}
  for (const pair of splitPairs(splitUrl(url).query)) {
    const equals = pair.text.indexOf('=')
    const key = equals === -1 ? pair.text : pair.text.slice(0, equals)
    const name = names.find((one) => one === key)
    if (name === undefined) {
      if (additional.includes(key)) continue
      throw unknownParameter(key, hint, rawText(pair, 0, 0))
    }
    if (values[name] !== undefined) throw repeatedParameter(name, rawText(pair, 0, 0))
    values[name] = equals === -1 ? '' : pair.text.slice(equals + 1)
  }
  return values
}
