// ErrorBody: the `errors` object of a response. Types only.

import type { JsonValue } from './json/json-value.ts'

/** The `errors` object of the envelope. */
export interface ErrorBody {
  /** Short name: the HTTP phrase unless the specification gives another text. */
  readonly error: string
  /** What was wrong, what was expected, and a suggestion if there is one. */
  readonly reason?: JsonValue
  /** Stable identifier such as `unknown_column`; never reused for another failure. */
  readonly code?: string
  /** The client's own text that caused the failure, at most 200 characters of it. */
  readonly at?: string
}
