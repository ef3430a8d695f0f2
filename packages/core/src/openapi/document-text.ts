// Writes the OpenAPI document as JSON text in steps, one path or component each, so that `inSlices` can serve other requests in between.

import type { OpenAPIObject } from 'openapi3-ts/oas31'

/** The depth at which each entry is a separate step: the entries of `components` are grouped in sections. */
const depths: Readonly<Record<string, number>> = { paths: 1, components: 2 }

/** Returns `JSON.stringify` of the document, in steps. */
export function* documentTextSteps(document: OpenAPIObject): Generator<void, string> {
  const parts: string[] = []
  for (const [name, value] of Object.entries(document)) {
    parts.push(`${JSON.stringify(name)}:${yield* textSteps(value, depths[name] ?? 0)}`)
  }
  return `{${parts.join(',')}}`
}

/** Writes a value as JSON text, with a step for each entry at `depth`. */
function* textSteps(value: unknown, depth: number): Generator<void, string> {
  if (depth === 0) {
    yield
    return JSON.stringify(value)
  }
  const parts: string[] = []
  for (const [name, part] of Object.entries(value as object)) {
    parts.push(`${JSON.stringify(name)}:${yield* textSteps(part, depth - 1)}`)
  }
  return `{${parts.join(',')}}`
}
