// Writes library.gen.d.ts: the types of the library's API, generated from its OpenAPI document.

import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { openLibrary } from '../library/library.ts'

/** The types as text. */
export async function typesOfLibrary(): Promise<string> {
  const { api, close } = await openLibrary()
  const document = await api.openapi()
  await close()
  // A copy, because the generator resolves references in place.
  const types = await openapiTS(JSON.parse(JSON.stringify(document)))
  return `${COMMENT_HEADER}${astToString(types)}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('library.gen.d.ts', import.meta.url), await typesOfLibrary())
}
