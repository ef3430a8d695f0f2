// The headers If-Match, If-None-Match and Idempotency-Key of a write, checked by its endpoint before the body is read.

import { methodOf } from '../../../../access/action.ts'
import { hasPermission } from '../../../../access/reach.ts'
import { idempotencyKeyNotHere, preconditionOnMany } from '../../../../errors.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import { header } from '../../../../model/request.ts'
import { recordText } from '../../../../query/serialize/tag-text.ts'
import type { Precondition } from '../../../../write/store/write-context.ts'
import type { Call } from '../../../call/call.ts'
import { writeCondition } from '../../../etag.ts'

/** Throws 400 for If-Match and If-None-Match on a write that names no record in its path. */
export function refusePrecondition({ request }: Call): void {
  if (header(request, 'if-match') !== undefined) throw preconditionOnMany('If-Match')
  if (header(request, 'if-none-match') !== undefined) throw preconditionOnMany('If-None-Match')
}

/** Throws 400 for an Idempotency-Key on a write that would not repeat its response. */
export function refuseIdempotencyKey({ request, action }: Call): void {
  if (header(request, 'idempotency-key') === undefined) return
  throw idempotencyKeyNotHere(action === 'RESTORE' ? 'restore' : methodOf(action))
}

/**
 * `If-Match` and `If-None-Match` as a check of the stored record; undefined without these headers. If the caller may not read the record,
 * no ETag matches: a caller who knows all fields but one could otherwise compute the ETag for each guess of that field.
 */
export function preconditionOf(
  { request, caller, reach }: Call,
  resource: Resource,
): Precondition | undefined {
  const condition = writeCondition(request)
  if (condition === undefined) return undefined
  const { needsRecord, holdsFor } = condition
  // A caller who may list the records can read them one by one, too.
  const isReadable = reach(resource) || hasPermission(resource, 'GET_ONE', caller)
  return {
    columns: isReadable && needsRecord ? [...resource.columns.values()] : [],
    holdsFor: (stored) => holdsFor(isReadable ? recordText(resource, stored) : undefined),
  }
}
