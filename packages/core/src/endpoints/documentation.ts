// The document and the page of an API: built once, in slices where a request waits for them, and kept as they are served.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { lruMap } from '../lru-map.ts'
import { documentTextSteps } from '../openapi/document-text.ts'
import { atOnce, inSlices } from './in-slices.ts'
import { createRepresentation, type Representation } from './representation.ts'

/** The versions of OpenAPI in whose forms there is a document. */
export const openApiVersions = ['3.1', '3.2'] as const

export type OpenApiVersion = (typeof openApiVersions)[number]

/** The document in either form. */
export type AnyDocument = OpenAPIObject | oas32.OpenAPIObject

export interface Documentation {
  /** The document; built at once if it is not there yet. */
  document(): OpenAPIObject
  /** The document; built in slices if it is not there yet. */
  built(): Promise<OpenAPIObject>
  /** The document in the form of OpenAPI 3.2; built at once if it is not there yet. */
  queryStringDocument(): oas32.OpenAPIObject
  /** The same; built in slices. */
  builtQueryStringDocument(): Promise<oas32.OpenAPIObject>
  /** The document as it is served below a mount, in which only `servers` differs. */
  text(mount: string, document: AnyDocument): Promise<Representation>
  /** The plain page below a mount. */
  page(mount: string, make: () => Generator<void, string>): Promise<Representation>
  /** The script of the page, which the host hands over with each request. */
  script(text: string): Representation
}

/** Mounts and pages that are kept. */
const keptTexts = 8

/** `steps` builds the document, `queryStringSteps` makes the form of OpenAPI 3.2 of it. */
export function createDocumentation(
  steps: () => Generator<void, OpenAPIObject>,
  queryStringSteps: (document: OpenAPIObject) => Generator<void, oas32.OpenAPIObject>,
): Documentation {
  const first = builtOnce(steps)
  const second = builtOnce(function* () {
    return yield* queryStringSteps(first.now())
  })
  let script: Representation | undefined
  const texts = lruMap<Promise<Representation>>(keptTexts)
  const kept = (key: string, make: () => Generator<void, string>): Promise<Representation> => {
    const known = texts.get(key)
    if (known !== undefined) return known
    const promise = inSlices(make()).then(createRepresentation)
    texts.set(key, promise)
    // What failed is tried again.
    promise.catch(() => texts.delete(key))
    return promise
  }
  return {
    document: first.now,
    built: first.soon,
    queryStringDocument: second.now,
    async builtQueryStringDocument() {
      await first.soon()
      return second.soon()
    },
    text: (mount, document) =>
      kept(`document ${document.openapi} ${mount}`, () => documentTextSteps(document)),
    page: (mount, make) => kept(`page ${mount}`, make),
    script(text) {
      if (script?.text !== text) script = createRepresentation(text)
      return script
    },
  }
}

/** The result of steps that run once: at once where it is needed now, else in slices. */
function builtOnce<T>(steps: () => Generator<void, T>): { now(): T; soon(): Promise<T> } {
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
    async soon() {
      if (made !== undefined) return made
      building ??= build()
      return building
    },
  }
}
