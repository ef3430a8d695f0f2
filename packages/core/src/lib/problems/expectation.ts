// Expectation: what a value should have been, before it is known where the value stands. Column types return it for a wrong value; the
// body's validation then adds the path.

import {
  type CodedProblem,
  type ProblemCode,
  type ProblemParams,
  problem,
} from './problem-codes.ts'

/** What was expected of a value, as the end of "Expected …", with the code and the params of the problem. */
export interface Expectation {
  readonly text: string
  /** The problem of a value that is not so. */
  readonly problem: CodedProblem
}

/** Creates an expectation; `text` ends the sentence "Expected …". */
export const expectation = <Code extends ProblemCode>(
  code: Code,
  params: ProblemParams<Code>,
  text: string,
): Expectation => ({ text, problem: problem(code, params, `Expected ${text}.`) })

/** Expects a value of a type: of a column, or of JSON. */
export const expectedType = (type: string, text: string): Expectation =>
  expectation('wrong_type', { type }, text)
