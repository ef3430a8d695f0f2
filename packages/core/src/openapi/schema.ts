// Schema: a JSON Schema as OpenAPI 3.1 writes it, with the keyword that the published types leave out. Types only.

import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'

/** A schema, or a reference to one. */
export interface Schema extends SchemaObject {
  patternProperties?: Readonly<Record<string, SchemaObject | ReferenceObject>>
}

/**
 * The mark of a value that a callback of the author's shapes: what stands beside it is what the service hands to the
 * callback, and only the author knows what comes out.
 */
export const shapedByCallback = 'x-shaped-by-callback'
