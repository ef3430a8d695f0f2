// The column types string and text: any text without the character NUL, which PostgreSQL cannot store.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import { isString, sameText, type TypeDefinition } from '../type-definition.ts'

const expected = expectedType('string', 'a string')

export const textType: TypeDefinition = {
  json: 'string',
  number: false,
  text: 'any',
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: true,
  hasOneJsonForm: true,
  hasOneKeyText: true,
  holdsUuid: true,
  isOnlyRead: false,
  secrets: 'any',
  options: ['maxLength', 'minLength', 'collation'],

  fromText: (text) => ({ value: text }),
  fromJson: (json, column, read) => (isString(json) ? read(column, json) : { expected }),
  canonicalTest: () => isString,
  fits: isString,
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'string' },
  example: () => undefined,
  hasPlainSchema: false,
}
