// ApiResponse: what an adapter writes. Types only.

import type { JsonValue } from '../json/json-value.ts'
import type { Envelope } from './envelope.ts'

/** One answer as adapters send it. */
export interface TextResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body; undefined where the status has none. */
  readonly text: string | undefined
}

/**
 * One answer, framework-free; `body` is the envelope, or the bare value where the configuration says so. Of the
 * documentation it is what the content type says: the document, or a page as text.
 */
export interface ApiResponse<T = JsonValue> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Envelope<T> | undefined
}
