// checkPrecondition: the preconditions of a change or removal, If-Match and If-None-Match of one record (docs/guide/writing.md).

import { preconditionFailed } from '../../errors.ts'
import type { Values } from '../nodes/node.ts'
import type { Precondition } from '../store/write-context.ts'

/**
 * Throws 412 if the stored record does not meet the headers. Called when the record is found and locked, before anything is written, and
 * only for a record that the caller sees, so that it does not tell which others exist.
 */
export function checkPrecondition(precondition: Precondition, stored: Values): void {
  if (!precondition.holdsFor(stored)) throw preconditionFailed()
}
