// The column type uuid: UUIDs of any version. Upper-case letters are accepted, and become lower case.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import {
  fromString,
  isString,
  neverCanonical,
  sameText,
  type TypeDefinition,
} from '../type-definition.ts'

const example = '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'

const expected = expectedType('uuid', `a UUID such as ${example}`)

export const uuidType: TypeDefinition = {
  json: 'string',
  number: false,
  text: false,
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: false,
  hasOneJsonForm: false,
  hasOneKeyText: true,
  holdsUuid: true,
  isOnlyRead: false,
  secrets: 'any',
  options: ['collation'],

  fromText: (text) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
      ? { value: text.toLowerCase() }
      : { expected },
  fromJson: fromString,
  canonicalTest: neverCanonical,
  fits: isString,
  queryValue: sameText,
  // Responses contain a uuid in lower case, however it is stored.
  pathText: (text) => text.toLowerCase(),
  fromCursor: 'asFilters',

  schema: { type: 'string', format: 'uuid' },
  example: () => example,
  hasPlainSchema: true,
}
