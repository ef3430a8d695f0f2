// Schema: a JSON Schema of OpenAPI 3.1, with keywords that the types of openapi3-ts lack, and the name of our own one (`shapedByCallback`).

import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'

/** A schema, or a reference to one. */
export interface Schema extends SchemaObject {
  patternProperties?: Readonly<Record<string, SchemaObject | ReferenceObject>>
  /** Like `additionalProperties`, but for the members that no part of `allOf` names. */
  unevaluatedProperties?: boolean
}

/**
 * Marks a value that a callback changes: the schema beside it describes the callback's input, since its output is unknown.
 */
export const shapedByCallback = 'x-shaped-by-callback'
