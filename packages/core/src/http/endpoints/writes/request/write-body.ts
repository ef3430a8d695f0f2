// Reads the body of a write as JSON (`bodyOf`), and refuses one where the request takes none (`refuseFields`).

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

/** The objects of a POST body, not yet checked, and the problems of the body so far. */
export interface Items {
  readonly items: readonly JsonValue[]
  /** Whether the body is a list. */
  readonly many: boolean
  readonly problems: InputProblems
  /** Stores the response under the Idempotency-Key of the request; undefined if it has no key. */
  readonly storeResponse: StoreResponse | undefined
}

/** Reads the body of the request as JSON; adds syntax problems to `problems`. `mayMerge`: it may be a JSON Merge Patch, by its media type. */
export const bodyOf = (
  { request, runtime }: Call,
  problems: InputProblems,
  { mayMerge }: { readonly mayMerge: boolean } = { mayMerge: false },
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
  // `{}`, `null` and an empty text are no content.
  const isEmpty = isText
    ? /^(?:\{\s*\}|null|)$/.test(bodyText(body, limit).trim())
    : typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0
  if (!isEmpty) throw wrongBody(expected)
}
