// createDocumentation: the OpenAPI document and the page of an API. Both are built once, when a request first needs them, in slices between
// which other requests are served, and cached in the form in which they are sent.

import type { Documentation } from '../../http/call/documents.ts'
import { inSlices } from '../../http/endpoints/reads/in-slices.ts'
import {
  createRepresentation,
  type Representation,
} from '../../http/endpoints/reads/representation.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import { lruMap } from '../../lib/lru-map.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { Endpoints } from '../document.ts'

/** Maximum number of cached texts: more than there are names of documents and pages. */
const maxTexts = 16

const documents = lazyModule(() => import('../document.ts'))

/** Creates the cache of an API. The code that makes the document is loaded when something first needs the document. */
export function createDocumentation(
  registry: Registry,
  settings: ApiSettings,
  endpoints: Endpoints,
): Documentation {
  const built = builtOnce(async () =>
    (await documents()).documentSteps(registry, settings, endpoints),
  )
  let script: Representation | undefined
  const texts = lruMap<Promise<Representation>>(maxTexts)
  return {
    built,
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

/** Returns a function that runs the steps in slices, once. If that fails, its next call runs new ones. */
function builtOnce<T>(start: () => Promise<Generator<void, T>>): () => Promise<T> {
  let made: T | undefined
  let building: Promise<T> | undefined
  const build = async (): Promise<T> => {
    try {
      made = await inSlices(await start())
      return made
    } finally {
      building = undefined
    }
  }
  return async () => {
    if (made !== undefined) return made
    building ??= build()
    return building
  }
}
