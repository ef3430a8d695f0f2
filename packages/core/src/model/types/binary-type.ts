// The column type binary: bytes, as a base64 string in JSON: the bytes 1, 2 and 3 are `"AQID"`.
// `type-definition.ts` says what each member decides.

import { base64, bytesOfBase64 } from '../../lib/json/base64.ts'
import { expectedType } from '../../lib/problems/expectation.ts'
import { isString, neverCanonical, sameText, type TypeDefinition } from '../type-definition.ts'

const expected = expectedType('binary', 'bytes as a base64 text')

export const binaryType: TypeDefinition = {
  json: 'string',
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
  options: ['maxLength'],

  fromText: (text) => ({ value: text }),
  fromJson(json) {
    if (!isString(json) || !/^[A-Za-z0-9+/]*={0,2}$/.test(json)) return { expected }
    try {
      const canonical = base64(bytesOfBase64(json))
      return canonical === json ? { value: json } : { expected }
    } catch {
      return { expected }
    }
  },
  canonicalTest: neverCanonical,
  fits: isString,
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'string', contentEncoding: 'base64' },
  example: () => 'AQID',
  hasPlainSchema: false,
}
