// Components: the shared parts of the document, each under a unique name, sorted.

import type {
  ComponentsObject,
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
  /** Memoises a value that several operations share and that is no component. */
  once<T>(key: string, make: () => T): T
  collected(): Pick<ComponentsObject, 'schemas' | 'parameters' | 'responses'>
}

/** `reserved` names belong to the keys of the same name: the schema of a record always has the name of its model. */
export function createComponents(reserved: readonly string[]): Components {
  const schemas = section<Schema>('schemas', reserved)
  const parameters = section<ParameterObject>('parameters', [])
  const responses = section<ResponseObject>('responses', [])
  const shared = new Map<string, unknown>()
  return {
    schema: schemas.ref,
    parameter: parameters.ref,
    response: responses.ref,
    once<T>(key: string, make: () => T): T {
      if (!shared.has(key)) shared.set(key, make())
      return shared.get(key) as T
    },
    collected: () => ({
      schemas: schemas.sorted(),
      ...(parameters.isEmpty() ? {} : { parameters: parameters.sorted() }),
      responses: responses.sorted(),
    }),
  }
}

function section<T>(folder: string, reserved: readonly string[]) {
  const given = new Map<string, string>(reserved.map((name) => [name, plainName(name)]))
  const kept = new Set(given.values())
  const refs = new Map<string, ReferenceObject>()
  const made = new Map<string, T | undefined>()
  const isTaken = (name: string): boolean => made.has(name) || kept.has(name)
  return {
    ref(key: string, wanted: string, make: () => T): ReferenceObject {
      const known = refs.get(key)
      if (known !== undefined) return known
      const name = given.get(key) ?? freeName(plainName(wanted), isTaken)
      const ref = { $ref: `#/components/${folder}/${name}` }
      // Schemas of records refer to each other in cycles: store the reference before building the part.
      refs.set(key, ref)
      made.set(name, undefined)
      made.set(name, make())
      return ref
    },
    isEmpty: () => made.size === 0,
    sorted(): Record<string, T> {
      const named = [...made.keys()].sort().map((name) => [name, made.get(name)] as const)
      // Every part has been built.
      return Object.fromEntries(named) as Record<string, T>
    },
  }
}

/** The name if it is free, otherwise with the first free number appended. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  for (let number = 2; ; number++) {
    const name = `${wanted}${number}`
    if (!isTaken(name)) return name
  }
}

/** Replaces characters that component names cannot have. */
const plainName = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_')
