// The column type enum: one of the strings that the model lists in `enum`.
// `type-definition.ts` says what each member decides.

import { expectation } from '../../lib/problems/expectation.ts'
import { fromString, isString, sameText, type TypeDefinition } from '../type-definition.ts'

export const enumType: TypeDefinition = {
  json: 'string',
  number: false,
  text: 'listed',
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: true,
  hasOneJsonForm: true,
  hasOneKeyText: true,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: ['enum', 'collation'],

  fromText(text, { enum: members = [] }) {
    if (members.includes(text)) return { value: text }
    const expected = `one of ${members.join(', ')}`
    return { expected: expectation('not_listed', { allowed: members }, expected) }
  },
  fromJson: fromString,
  canonicalTest({ enum: members }) {
    const all = new Set<unknown>(members)
    return (json) => isString(json) && all.has(json)
  },
  fits: (value, { enum: members = [] }) => isString(value) && members.includes(value),
  queryValue: sameText,
  pathText: sameText,
  // A column may hold a text that the model does not list.
  fromCursor: sameText,

  schema: { type: 'string' },
  example: ({ enum: members }) => members?.[0],
  hasPlainSchema: false,
}
