// ErrorBody: the `errors` object of a response. `errors.ts` makes them, the envelope (`http/envelope.ts`) contains them. Types only.

import type { JsonValue } from './json/json-value.ts'
import type { FieldProblem } from './problems/problem-codes.ts'

/** The `errors` object of the envelope. */
export interface ErrorBody {
  /** Short name: the HTTP phrase, such as `Not Found`, or a phrase of the error's own, such as `Invalid join model: autor`. */
  readonly error: string
  /** What was wrong, what was expected, and a suggestion if there is one. */
  readonly reason?: JsonValue
  /** Stable identifier such as `unknown_column`; never reused for another failure. */
  readonly code?: string
  /** The client's own text that caused the failure, at most 200 characters of it. */
  readonly at?: string
  /** The problems of a body, whose messages `reason` has by path. */
  readonly problems?: readonly FieldProblem[]
}
