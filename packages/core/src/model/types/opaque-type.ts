// The column type opaque: values of database types that the service does not interpret. Responses show their text; clients cannot write
// them.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import { isString, sameText, type TypeDefinition } from '../type-definition.ts'

const expected = expectedType('string', 'a string')

export const opaqueType: TypeDefinition = {
  json: 'string',
  number: false,
  text: false,
  comparison: 'none',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: false,
  hasOneJsonForm: true,
  hasOneKeyText: false,
  holdsUuid: false,
  isOnlyRead: true,
  secrets: 'any',
  options: [],

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
