// The body of a write's request, and the records of that of a POST.

import { wrongBody } from '../../../../errors.ts'
import type { JsonValue } from '../../../../lib/json/json-value.ts'
import type { InputProblems } from '../../../../write/body/input-problems.ts'
import {
  bodyLimitOf,
  bodyText,
  readBody,
  refuseUnreadable,
} from '../../../../write/body/text/request-body.ts'
import type { Call } from '../../../call/call.ts'
import type { StoreResponse } from '../response/idempotent-post.ts'

/** The records of a POST body, and its problems so far. */
export interface Items {
  readonly items: readonly JsonValue[]
  /** Whether the body is a list. */
  readonly many: boolean
  readonly problems: InputProblems
  /** Undefined without an Idempotency-Key. */
  readonly storeResponse: StoreResponse | undefined
}

/** Reads the body of the request as JSON; adds syntax problems to `problems`. `mayMerge`: it may be a merge patch. */
export const bodyOf = (
  { request, runtime }: Call,
  problems: InputProblems,
  mayMerge = false,
): JsonValue => readBody(request, bodyLimitOf(runtime.settings), problems, mayMerge)

/**
 * Throws 400 for a body with content on a request that takes none. An empty object is accepted, because some clients always send one.
 */
export function refuseFields({ request, runtime }: Call, expected: string): void {
  const { body } = request
  if (body === undefined || body === null) return
  const limit = bodyLimitOf(runtime.settings)
  refuseUnreadable(request, limit)
  const isText = typeof body === 'string' || body instanceof Uint8Array
  const isEmpty = isText
    ? /^(?:\{\s*\}|null|)$/.test(bodyText(body, limit).trim())
    : typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0
  if (!isEmpty) throw wrongBody(expected)
}
