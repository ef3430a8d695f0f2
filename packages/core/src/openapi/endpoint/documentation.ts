// The OpenAPI document and the page of an API. Both are built once, in slices if a request waits for them, and cached in the
// form in which they are sent.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { atOnce, inSlices } from '../../http/endpoints/reads/in-slices.ts'
import {
  createRepresentation,
  type Representation,
} from '../../http/endpoints/reads/representation.ts'
import { lruMap } from '../../lib/lru-map.ts'

/** The document in each version of OpenAPI in which it is available. */
interface Documents {
  readonly '3.1': OpenAPIObject
  readonly '3.2': oas32.OpenAPIObject
}

export type OpenApiVersion = keyof Documents

export const openApiVersions: readonly OpenApiVersion[] = ['3.1', '3.2']

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

/** Maximum number of cached texts: more than there are names of documents and pages. */
const maxTexts = 16

/** `steps` builds the document in each version. */
export function createDocumentation(
  steps: {
    readonly [V in OpenApiVersion]: () => Generator<void, Documents[V]>
  },
): Documentation {
  const documents: { readonly [V in OpenApiVersion]: BuiltOnce<Documents[V]> } = {
    '3.1': builtOnce(steps['3.1']),
    '3.2': builtOnce(steps['3.2']),
  }
  let script: Representation | undefined
  const texts = lruMap<Promise<Representation>>(maxTexts)
  return {
    document: (version) => documents[version].now(),
    built: (version) => documents[version].inSlices(),
    text(name, make) {
      const known = texts.get(name)
      if (known !== undefined) return known
      const promise = inSlices(make()).then(createRepresentation)
      texts.set(name, promise)
      // A failed text is built again by the next request.
      promise.catch(() => texts.delete(name))
      return promise
    },
    script(text) {
      if (script?.text !== text) script = createRepresentation(text)
      return script
    },
  }
}

/** The result of steps that are run once: `now` runs them synchronously, `inSlices` in slices. */
interface BuiltOnce<T> {
  now(): T
  inSlices(): Promise<T>
}

function builtOnce<T>(steps: () => Generator<void, T>): BuiltOnce<T> {
  let made: T | undefined
  let building: Promise<T> | undefined
  const build = async (): Promise<T> => {
    try {
      const result = await inSlices(steps())
      made ??= result
      return made
    } finally {
      building = undefined
    }
  }
  return {
    now() {
      made ??= atOnce(steps())
      return made
    },
    async inSlices() {
      if (made !== undefined) return made
      building ??= build()
      return building
    },
  }
}
