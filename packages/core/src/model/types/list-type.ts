// The column type list: JSON arrays of values of one type, such as `["red", null, "blue"]`; PostgreSQL stores them as `text[]`.
// `type-definition.ts` says what each member decides.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { type Expectation, expectedType } from '../../lib/problems/expectation.ts'
import type { ItemType } from '../column.ts'
import {
  neverCanonical,
  sameText,
  type TypeDefinition,
  type TypedColumn,
} from '../type-definition.ts'

/** The type of lists, whose items have one of these types. */
export function listType(types: Readonly<Record<ItemType, TypeDefinition>>): TypeDefinition {
  const itemOf = (column: TypedColumn): TypedColumn & { readonly type: ItemType } => ({
    ...column,
    type: column.items ?? 'text',
  })
  const list: TypeDefinition = {
    json: 'array',
    number: false,
    text: false,
    comparison: 'none',
    fromClock: false,
    standsForRange: false,
    responsesLoseDigits: false,
    isShownInFull: false,
    hasOneJsonForm: false,
    hasOneKeyText: false,
    holdsUuid: false,
    isOnlyRead: false,
    secrets: 'any',
    options: ['items', 'enum', 'precision', 'scale'],

    fromText: (text) => ({ value: text }),
    /** In a list of lists, all inner lists have the same length, as in a multidimensional array. */
    fromJson(json, column, read) {
      if (!Array.isArray(json)) return { expected: expectedType('list', 'a list') }
      const item = itemOf(column)
      // The lengths of inner lists; -1 stands for an item that is no list.
      const lengths = new Set(json.map((entry) => (Array.isArray(entry) ? entry.length : -1)))
      if (lengths.size > 1 || lengths.has(0)) {
        const even = 'a list of values, or of lists that have as many values each'
        return { expected: expectedType('list', even) }
      }
      const values: JsonValue[] = []
      const wrong = new Map<string, Expectation>()
      for (const [i, entry] of json.entries()) {
        const converted =
          entry === null
            ? { value: null }
            : Array.isArray(entry)
              ? list.fromJson(entry, column, read)
              : types[item.type].fromJson(entry, item, read)
        if ('value' in converted) values.push(converted.value)
        else if (converted.items === undefined) wrong.set(`[${i}]`, converted.expected)
        else for (const [at, expected] of converted.items) wrong.set(`[${i}]${at}`, expected)
      }
      const [first] = wrong
      if (first === undefined) return { value: values }
      const [at, expectedItem] = first
      return {
        expected: expectedType('list', `a list whose item ${at} is ${expectedItem.text}`),
        items: wrong,
      }
    },
    canonicalTest: neverCanonical,
    fits(value, column) {
      const item = itemOf(column)
      return (
        Array.isArray(value) &&
        value.every((entry) => entry === null || types[item.type].fits(entry, item))
      )
    },
    queryValue: sameText,
    pathText: sameText,
    fromCursor: 'asFilters',

    schema: { type: 'array' },
    example: () => undefined,
    hasPlainSchema: false,
  }
  return list
}
