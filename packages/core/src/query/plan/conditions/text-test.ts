// The `like` operators: how each of them matches. The searched string has no wildcards (docs/reference/query-language.md).

import { invalidValue } from '../../../errors.ts'

// In characters. Escaping lengthens the pattern, and SQLite refuses LIKE patterns of more than 50,000 bytes.
const longestText = 1000

/** Whether a string is short enough to search for. */
export const isSearchable = (text: string): boolean => text.length <= longestText

/** How a string is searched in a column: the members of a `text` condition. */
export interface PlannedTextTest {
  readonly match: 'contains' | 'startsWith' | 'endsWith'
  readonly text: string
  readonly ignoreCase: boolean
  readonly negated: boolean
}

const tests = {
  like: { match: 'contains', ignoreCase: false, negated: false },
  ilike: { match: 'contains', ignoreCase: true, negated: false },
  nlike: { match: 'contains', ignoreCase: false, negated: true },
  nilike: { match: 'contains', ignoreCase: true, negated: true },
  startswith: { match: 'startsWith', ignoreCase: false, negated: false },
  istartswith: { match: 'startsWith', ignoreCase: true, negated: false },
  endswith: { match: 'endsWith', ignoreCase: false, negated: false },
  iendswith: { match: 'endsWith', ignoreCase: true, negated: false },
} as const

/** Returns how an operator matches a string; throws 400 if the string is too long. */
export function textTest(
  operator: keyof typeof tests,
  text: string,
  field: string,
  at: string,
): PlannedTextTest {
  if (!isSearchable(text)) {
    throw invalidValue(
      `${text.slice(0, 20)}…`,
      field,
      `a text of at most ${longestText} characters`,
      at,
    )
  }
  return { ...tests[operator], text }
}
