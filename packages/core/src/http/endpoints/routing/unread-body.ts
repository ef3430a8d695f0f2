// refusalOfUnread: the error for a request whose body the host's parser (`express.json()`) could not read. Such a request is always refused,
// if possible with the error that this API would have answered.

import { ApiError, type UnreadBody } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { ApiRequest } from '../../../model/request.ts'
import { notAnObject } from '../../../problems.ts'
import { inputProblems } from '../../../write/body/input-problems.ts'
import { wholeQuery } from '../../../write/body/query-body.ts'
import { bodyLimitOf, readBody } from '../../../write/body/text/request-body.ts'
import type { Call, Runtime } from '../../call/call.ts'
import { splitUrl } from '../../route-table.ts'
import { isOwnEndpoint } from './own-endpoint.ts'
import { refuseLongUrl, routeRequest } from './route-request.ts'
import { methodFactsOf } from './serve-call.ts'

/**
 * Returns the error of this API for the URL, the method or the body; `unread`, the error of the parser, if the API has none: the
 * parser may refuse what the API would accept. `stamp` is that of the request's envelope.
 */
export function refusalOfUnread(
  runtime: Runtime,
  request: ApiRequest,
  unread: UnreadBody,
  stamp: Call['stamp'],
): unknown {
  try {
    refuseUnread(runtime, request, unread, stamp)
    return unread
  } catch (error) {
    return error instanceof ApiError ? error : unread
  }
}

/** Throws in the order in which the stages of a request do. */
function refuseUnread(
  runtime: Runtime,
  request: ApiRequest,
  unread: UnreadBody,
  stamp: Call['stamp'],
): void {
  refuseLongUrl(runtime.settings, request)
  const { method, url, headers = {} } = request
  // Without its text, the error stands for the body, and is thrown where the body is read.
  const sent: ApiRequest = { method, url, headers, body: unread.text ?? unread }
  const limit = bodyLimitOf(runtime.settings)
  const place = splitUrl(url)
  if (isOwnEndpoint(runtime.settings, runtime.routing.table, place.path)) {
    refuseValue(sent, limit, { mayMerge: false })
    return
  }
  const parts = { wantsText: false, stamp }
  const { call, route } = routeRequest(runtime, sent, place, parts)
  // Only for its 405.
  if (call.method !== 'OPTIONS') methodFactsOf(route, call)
  if (call.isQuery) wholeQuery(sent, '', limit)
  else refuseValue(sent, limit, { mayMerge: route.kind === 'item' && call.method === 'PATCH' })
}

/** Throws 400, 413 or 415 unless the body is an object or a list. `mayMerge`: it may be a merge patch. */
function refuseValue(
  sent: ApiRequest,
  limit: Parameters<typeof readBody>[1],
  { mayMerge }: { readonly mayMerge: boolean },
) {
  const problems = inputProblems()
  if (!isObject(readBody(sent, limit, problems, mayMerge))) problems.add('', notAnObject)
  problems.refuse()
}

const isObject = (value: JsonValue): boolean => typeof value === 'object' && value !== null
