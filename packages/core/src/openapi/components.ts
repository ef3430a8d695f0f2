// Components: what several operations share, each under a name of its own, written once and sorted.

import type {
  ComponentsObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { Schema } from './schema.ts'

/**
 * Gathers shared parts while the document is written. `key` says what a part is, `wanted` how it would like to be
 * called; two parts that want one name get two.
 */
export interface Components {
  schema(key: string, wanted: string, make: () => Schema): ReferenceObject
  parameter(key: string, wanted: string, make: () => ParameterObject): ReferenceObject
  response(key: string, wanted: string, make: () => ResponseObject): ReferenceObject
  /** What several operations have in common and is no component: made once, and shared. */
  once<T>(key: string, make: () => T): T
  collected(): Pick<ComponentsObject, 'schemas' | 'parameters' | 'responses'>
}

/** `reserved` names are given to the keys that are spelt like them: a record is called as its model, come what may. */
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
      // Records refer to each other in circles: the reference is there before the part is made.
      refs.set(key, ref)
      made.set(name, undefined)
      made.set(name, make())
      return ref
    },
    isEmpty: () => made.size === 0,
    sorted(): Record<string, T> {
      const named = [...made.keys()].sort().map((name) => [name, made.get(name)] as const)
      // Every part is made by now.
      return Object.fromEntries(named) as Record<string, T>
    },
  }
}

/** The name itself where it is free, else with the first number that is. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  for (let number = 2; ; number++) {
    const name = `${wanted}${number}`
    if (!isTaken(name)) return name
  }
}

/** What a component may be called. */
const plainName = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_')
