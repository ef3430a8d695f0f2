// Documentation: the document of an API, which `openapi/` makes. Types only.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type { Representation } from '../endpoints/reads/representation.ts'

/** The cache of the OpenAPI document and of the texts that are made of it. */
export interface Documentation {
  /** Returns the document; builds it in slices on first use, so that other requests are served in between. */
  built(): Promise<OpenAPIObject>
  /**
   * Returns the text that is cached under this name, such as the JSON of the document or its page; `make` builds it in slices on first use.
   * Clients must not be able to choose the name, because the cache is small.
   */
  text(name: string, make: () => Generator<void, string>): Promise<Representation>
  /** Returns the script of the page, which the host passes with each request. */
  script(text: string): Representation
}
