// Components: collects `components` of the OpenAPI document, the parts that operations share and refer to by `$ref`, each under a unique
// name. `freeName` makes the names unique, also those of operations.

import type {
  ComponentsObject,
  HeaderObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { Schema } from './schema.ts'

/**
 * Collects shared parts while the document is built. `key` identifies a part, `wanted` is its preferred name; two parts with
 * the same preferred name get different names.
 */
export interface Components {
  schema(key: string, wanted: string, make: () => Schema): ReferenceObject
  parameter(key: string, wanted: string, make: () => ParameterObject): ReferenceObject
  response(key: string, wanted: string, make: () => ResponseObject): ReferenceObject
  header(key: string, wanted: string, make: () => HeaderObject): ReferenceObject
  /** Memoises a value that several operations share but that is not a component. */
  once<T>(key: string, make: () => T): T
  /** Builds the referenced parts, one in each step, and the parts to which these refer. */
  steps(): Generator<
    void,
    Pick<ComponentsObject, 'schemas' | 'parameters' | 'responses' | 'headers'>
  >
}

/**
 * Creates the collector. Only the schema whose key is a `reserved` name gets that name, so that the schema of a record always has
 * its model's name.
 */
export function createComponents(reserved: readonly string[]): Components {
  const schemas = section<Schema>('schemas', reserved)
  const parameters = section<ParameterObject>('parameters', [])
  const responses = section<ResponseObject>('responses', [])
  const headers = section<HeaderObject>('headers', [])
  const shared = new Map<string, unknown>()
  return {
    schema: schemas.ref,
    parameter: parameters.ref,
    response: responses.ref,
    header: headers.ref,
    once<T>(key: string, make: () => T): T {
      if (!shared.has(key)) shared.set(key, make())
      return shared.get(key) as T
    },
    *steps() {
      // Parameters and responses refer to schemas, which refer to schemas only; responses also to headers.
      yield* parameters.steps()
      yield* responses.steps()
      yield* headers.steps()
      yield* schemas.steps()
      return {
        schemas: schemas.sorted(),
        ...(parameters.isEmpty() ? {} : { parameters: parameters.sorted() }),
        responses: responses.sorted(),
        ...(headers.isEmpty() ? {} : { headers: headers.sorted() }),
      }
    },
  }
}

/** Creates the collector of one section of `components`, such as `schemas`. */
function section<T>(folder: string, reserved: readonly string[]) {
  const given = new Map<string, string>(reserved.map((name) => [name, plainName(name)]))
  const reservedNames = new Set(given.values())
  const refs = new Map<string, ReferenceObject>()
  const makers = new Map<string, () => T>()
  const made = new Map<string, T>()
  const isTaken = (name: string): boolean => makers.has(name) || reservedNames.has(name)
  return {
    /** Returns a reference. A later step builds the part, since schemas of records refer to each other in cycles. */
    ref(key: string, wanted: string, make: () => T): ReferenceObject {
      const known = refs.get(key)
      if (known !== undefined) return known
      const name = given.get(key) ?? freeName(plainName(wanted), isTaken)
      const ref = { $ref: `#/components/${folder}/${name}` }
      refs.set(key, ref)
      makers.set(name, make)
      return ref
    },
    *steps(): Generator<void, void> {
      // Building a part may add makers; iterating over a Map also visits entries that are added meanwhile.
      for (const [name, make] of makers) {
        made.set(name, make())
        yield
      }
    },
    isEmpty: () => made.size === 0,
    sorted: (): Record<string, T> =>
      Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Returns the name if it is free, otherwise with the first free number appended. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  for (let number = 2; ; number++) {
    const name = `${wanted}${number}`
    if (!isTaken(name)) return name
  }
}

/** Replaces characters that component names cannot have. */
const plainName = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_')
