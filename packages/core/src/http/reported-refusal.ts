// reportedRefusal: the report of a 401, 403 or 429 that `onRefusal` of the host receives, safe to log unchanged.

import type { ApiError } from '../errors.ts'
import type { Refusal } from '../model/refusal-report.ts'
import type { ApiRequest } from '../model/request.ts'
import { splitUrl } from './route-table.ts'

const reported: ReadonlySet<number> = new Set([401, 403, 429])

/** Returns the refusal to report; undefined for any other status. */
export function reportedRefusal(
  request: ApiRequest,
  requestId: string,
  { status, body }: ApiError,
): Refusal | undefined {
  if (!reported.has(status)) return undefined
  const { path } = splitUrl(request.url)
  return {
    status,
    code: body.code,
    requestId,
    method: request.method.slice(0, 20),
    path: escaped(path.slice(0, 200)),
    address: request.ip,
  }
}

/** Escapes control characters: a line break would start a new entry in a log. */
function escaped(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\x${code.toString(16).padStart(2, '0')}`
  })
}
