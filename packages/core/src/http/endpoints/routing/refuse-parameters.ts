// refuseParameters: for endpoints without a query language (the OpenAPI document, the index, batches, authentication), which would otherwise
// ignore a parameter that the client means.

import { unknownParameter } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import { splitPairs, wholeText } from '../../../query/parse/query-string.ts'
import { splitUrl } from '../../route-table.ts'

/** Throws 400, with `hint` in the message, for any parameter but `additional`, those of the host (API_ADDITIONAL_QUERY_PARAMS). */
export function refuseParameters(
  { url }: ApiRequest,
  additional: readonly string[],
  hint: string,
): void {
  for (const pair of splitPairs(splitUrl(url).query)) {
    const equals = pair.text.indexOf('=')
    const key = equals === -1 ? pair.text : pair.text.slice(0, equals)
    const isKnown = additional.includes(key)
    // An empty part means the whole pair.
    if (!isKnown) throw unknownParameter(key, hint, wholeText(pair))
  }
}
