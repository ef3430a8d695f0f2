// The document and the page of an API: built once, in slices where a request waits for them, and kept as they are served.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { lruMap } from '../lru-map.ts'
import { documentTextSteps } from '../openapi/document-text.ts'
import { atOnce, inSlices } from './in-slices.ts'
import { createRepresentation, type Representation } from './representation.ts'

export interface Documentation {
  /** The document; built at once if it is not there yet. */
  document(): OpenAPIObject
  /** The document; built in slices if it is not there yet. */
  built(): Promise<OpenAPIObject>
  /** The document as it is served below a mount, in which only `servers` differs. */
  text(mount: string, document: OpenAPIObject): Promise<Representation>
  /** The plain page below a mount. */
  page(mount: string, make: () => Generator<void, string>): Promise<Representation>
  /** The script of the page, which the host hands over with each request. */
  script(text: string): Representation
}

/** Mounts and pages that are kept. */
const keptTexts = 8

/** `steps` builds the document. */
export function createDocumentation(steps: () => Generator<void, OpenAPIObject>): Documentation {
  let made: OpenAPIObject | undefined
  let building: Promise<OpenAPIObject> | undefined
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
  const build = async (): Promise<OpenAPIObject> => {
    try {
      const document = await inSlices(steps())
      made ??= document
      return made
    } finally {
      building = undefined
    }
  }
  return {
    document() {
      made ??= atOnce(steps())
      return made
    },
    async built() {
      if (made !== undefined) return made
      building ??= build()
      return building
    },
    text: (mount, document) => kept(`document ${mount}`, () => documentTextSteps(document)),
    page: (mount, make) => kept(`page ${mount}`, make),
    script(text) {
      if (script?.text !== text) script = createRepresentation(text)
      return script
    },
  }
}
