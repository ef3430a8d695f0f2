// mergedDocumentProblem: the limits of the document of a json column after a merge patch (RFC 7396). They equal the limits of a body, so
// that clients cannot exceed these in several steps. Called in the transaction, when the stored document is known.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import { documentOfManyKeys, documentTooLarge } from '../../problems.ts'
import { isWithinLimits } from './text/json-limits.ts'
import { type BodyLimit, bodySize } from './text/request-body.ts'

/** Nesting level of the document: the body is level 1, and the document is a member of it. */
const level = 2

/**
 * Why a merged document cannot be stored, or undefined. A stored document that already exceeds a limit, because the host wrote
 * it, can be changed as long as it does not grow.
 */
export function mergedDocumentProblem(
  stored: JsonValue,
  merged: JsonValue,
  { bytes, setting }: BodyLimit,
): CodedProblem | undefined {
  const text = stringify(merged)
  const size = bodySize(text)
  if (size > bytes && size > bodySize(stringify(stored))) {
    return documentTooLarge(size, bytes, setting)
  }
  // `merged` contains objects that stand for numbers, and parsing the text replaces them.
  return exceeds(text) && !exceeds(stringify(stored)) ? documentOfManyKeys : undefined
}

/** Whether a document exceeds the limits of nesting and keys. */
const exceeds = (text: string): boolean => !isWithinLimits(JSON.parse(text) as JsonValue, level)
