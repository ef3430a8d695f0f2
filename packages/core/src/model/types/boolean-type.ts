// The column type boolean: `true` and `false` in JSON; queries also accept `1`, `yes`, `0` and `no`, as do parameters such as
// `include_deleted`, which use `parseBoolean`.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import { sameText, type TypeDefinition } from '../type-definition.ts'

const truths = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** Parses `true`, `1`, `yes`, `false`, `0` or `no`; undefined for any other string. */
export function parseBoolean(text: string): boolean | undefined {
  return truths.get(text)
}

const expected = expectedType('boolean', 'true or false')

export const booleanType: TypeDefinition = {
  json: 'boolean',
  number: false,
  text: false,
  comparison: 'equal',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: false,
  hasOneJsonForm: true,
  hasOneKeyText: true,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: [],

  fromText(text) {
    const value = parseBoolean(text)
    return value === undefined ? { expected } : { value }
  },
  fromJson: (json) => (typeof json === 'boolean' ? { value: json } : { expected }),
  canonicalTest: () => (json) => typeof json === 'boolean',
  fits: (value) => typeof value === 'boolean',
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'boolean' },
  example: () => true,
  hasPlainSchema: true,
}
