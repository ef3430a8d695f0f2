// The column type json: any JSON value, stored as a document.
// `type-definition.ts` says what each member decides.

import { sameText, type TypeDefinition } from '../type-definition.ts'

export const jsonType: TypeDefinition = {
  json: 'any',
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
  options: ['json'],

  fromText: (text) => ({ value: text }),
  fromJson: (json) => ({ value: json }),
  canonicalTest: () => () => true,
  fits: () => true,
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: {},
  example: () => ({ any: ['JSON'] }),
  hasPlainSchema: false,
}
