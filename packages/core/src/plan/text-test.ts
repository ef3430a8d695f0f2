// The like family: which operator tests for what, always with the literal text (contract §4 Operators).

import { invalidValue } from '../errors.ts'
import type { FilterOperator } from '../parse/operators.ts'

// Patterns grow with the text, and one of the databases refuses patterns beyond 50,000 bytes.
const longestText = 1000

/** Whether a text is short enough to be looked for. */
export const isTestable = (text: string): boolean => text.length <= longestText

export interface TextTest {
  readonly match: 'contains' | 'startsWith' | 'endsWith'
  readonly text: string
  readonly ignoreCase: boolean
  readonly negated: boolean
}

const tests: Readonly<Partial<Record<FilterOperator, Omit<TextTest, 'text'>>>> = {
  like: { match: 'contains', ignoreCase: false, negated: false },
  ilike: { match: 'contains', ignoreCase: true, negated: false },
  nlike: { match: 'contains', ignoreCase: false, negated: true },
  nilike: { match: 'contains', ignoreCase: true, negated: true },
  startswith: { match: 'startsWith', ignoreCase: false, negated: false },
  istartswith: { match: 'startsWith', ignoreCase: true, negated: false },
  endswith: { match: 'endsWith', ignoreCase: false, negated: false },
  iendswith: { match: 'endsWith', ignoreCase: true, negated: false },
}

/** The test an operator of the like family stands for. */
export function textTest(
  operator: FilterOperator,
  text: string,
  field: string,
  at: string,
): TextTest {
  const test = tests[operator]
  if (test === undefined) throw new Error(`"${operator}" does not test text`)
  if (!isTestable(text)) {
    throw invalidValue(
      `${text.slice(0, 20)}…`,
      field,
      `a text of at most ${longestText} characters`,
      at,
    )
  }
  return { ...test, text }
}
