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
  collected(): Pick<ComponentsObject, 'schemas' | 'parameters' | 'responses'>
}

/** `reserved` names are given to the keys that are spelt like them: a record is called as its model, come what may. */
export function createComponents(reserved: readonly string[]): Components {
  const schemas = section<Schema>('schemas', reserved)
  const parameters = section<ParameterObject>('parameters', [])
  const responses = section<ResponseObject>('responses', [])
  return {
    schema: schemas.ref,
    parameter: parameters.ref,
    response: responses.ref,
    collected: () => ({
      schemas: schemas.sorted(),
      ...(parameters.isEmpty() ? {} : { parameters: parameters.sorted() }),
      responses: responses.sorted(),
    }),
  }
}

function section<T>(folder: string, reserved: readonly string[]) {
  const names = new Map<string, string>(reserved.map((name) => [name, plainName(name)]))
  const taken = new Set(names.values())
  const made = new Map<string, T | undefined>()
  const nameOf = (key: string, wanted: string): string => {
    const known = names.get(key)
    if (known !== undefined) return known
    const name = freeName(plainName(wanted), taken)
    names.set(key, name)
    taken.add(name)
    return name
  }
  return {
    ref(key: string, wanted: string, make: () => T): ReferenceObject {
      const name = nameOf(key, wanted)
      if (!made.has(name)) {
        // Records refer to each other in circles: the name is taken before the part is made.
        made.set(name, undefined)
        made.set(name, make())
      }
      return { $ref: `#/components/${folder}/${name}` }
    },
    isEmpty: () => made.size === 0,
    sorted(): Record<string, T> {
      const entries = [...made].flatMap(([name, part]) =>
        part === undefined ? [] : ([[name, part]] as const),
      )
      return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

/** The name itself where it is free, else with the first number that is. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let number = 2; ; number++) {
    const name = `${wanted}${number}`
    if (!taken.has(name)) return name
  }
}

/** What a component may be called. */
const plainName = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_')
