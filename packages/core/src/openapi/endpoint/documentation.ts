// The OpenAPI document and the page of an API. Both are built once, in slices if a request waits for them, and cached in the
// form in which they are sent.

import type { Documentation, Documents, OpenApiVersion } from '../../http/call/documents.ts'
import { atOnce, inSlices } from '../../http/endpoints/reads/in-slices.ts'
import {
  createRepresentation,
  type Representation,
} from '../../http/endpoints/reads/representation.ts'
import { lruMap } from '../../lib/lru-map.ts'

export const openApiVersions: readonly OpenApiVersion[] = ['3.1', '3.2']

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
