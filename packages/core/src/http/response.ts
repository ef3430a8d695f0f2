// ApiResponse and TextResponse: the responses that the core returns. Types only.

import type { JsonValue } from '../lib/json/json-value.ts'
import type { Envelope } from './envelope.ts'

/** A response as adapters send it. */
export interface TextResponse {
  readonly status: number
  /** All headers but `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>
  /** The values of `Set-Cookie`, each to be sent as a header of its own; absent if there are none. */
  readonly cookies?: readonly string[]
  /** The body; undefined if the status has none. */
  readonly text: string | undefined
  /**
   * The compressed body, which is sent in place of `text`; the headers name its `content-encoding`. Only for requests with
   * `takesBytes`.
   */
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/**
 * A response, independent of any framework; `body` is the envelope, or the bare value if API_DUMP_ENVELOPE is false. For
 * documentation routes it is the OpenAPI document, or the page as text.
 */
export interface ApiResponse<T = JsonValue> {
  readonly status: number
  /** All headers but `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>
  /** The values of `Set-Cookie`, each to be sent as a header of its own; absent if there are none. */
  readonly cookies?: readonly string[]
  /** Undefined if the response has no body. */
  readonly body: Envelope<T> | undefined
}
