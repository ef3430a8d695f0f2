// Documentation: the documents of an API, which `openapi/` makes. Types only.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import type { Representation } from '../endpoints/reads/representation.ts'

/** The document in each version of OpenAPI in which it is available. */
export interface Documents {
  readonly '3.1': OpenAPIObject
  readonly '3.2': oas32.OpenAPIObject
}

export type OpenApiVersion = keyof Documents

/** The document in either version. */
export type AnyDocument = Documents[OpenApiVersion]

export interface Documentation {
  /** Returns the document; builds it synchronously on first use. */
  document<V extends OpenApiVersion>(version: V): Documents[V]
  /** Returns the document; builds it in slices on first use, so that other requests are served in between. */
  built<V extends OpenApiVersion>(version: V): Promise<Documents[V]>
  /** Returns a text with this name; builds it in slices on first use. Clients must not be able to choose the name. */
  text(name: string, make: () => Generator<void, string>): Promise<Representation>
  /** Returns the script of the page, which the host passes with each request. */
  script(text: string): Representation
}
