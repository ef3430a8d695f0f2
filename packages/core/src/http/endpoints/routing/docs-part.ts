// docsPartAt: the paths of the documentation, which the endpoints in openapi/ serve.

import type { DocsSettings } from '../../../model/settings/settings.ts'

/** The HTML page, the script that it loads, or the OpenAPI document as JSON. */
export type DocsPart = 'page' | 'script' | 'document'

/** Returns which part of the documentation is at a path, or undefined. */
export function docsPartAt(docs: DocsSettings | null, path: string): DocsPart | undefined {
  if (docs === null) return undefined
  if (path === docs.spec || path === docs.commonSpec) return 'document'
  if (path === docs.page) return 'page'
  return path === docs.script ? 'script' : undefined
}
