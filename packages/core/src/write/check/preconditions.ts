// The preconditions of changes: If-Match and If-None-Match of one record, and the models that require If-Match (docs/guide/writing.md).

import {
  preconditionFailed,
  preconditionRequired,
  preconditionRequiredForEach,
} from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { Values } from '../nodes/node.ts'
import type { Precondition } from '../store/write-context.ts'

/**
 * Throws 412 if the stored record does not meet the headers, and 428 if its model requires an ETag that the request does not have. Called
 * only for a record that the caller sees, so that neither tells which others exist.
 */
export function checkPrecondition(
  { settings }: Resource,
  precondition: Precondition | undefined,
  stored: Values,
): void {
  if (settings.requireIfMatch && precondition?.namesVersion !== true) {
    throw preconditionRequired(settingNames.requireIfMatch)
  }
  if (precondition?.holdsFor(stored) === false) throw preconditionFailed()
}

/** For records of a write that has no place for their ETags, which `refuseWithoutVersion` has admitted. */
export const admitted: Precondition = {
  namesVersion: true,
  columns: [],
  holdsFor: () => true,
}

/** Throws 428 if the model requires If-Match everywhere: for a change of a stored record that the path of the request does not name. */
export function refuseWithoutVersion({ settings }: Resource, path: string): void {
  if (settings.requireIfMatchEverywhere)
    throw preconditionRequiredForEach(settingNames.requireIfMatch, path)
}
