// A text that is equal for equal statements with equal values only.

import type { PrintedStatement } from '../compile/sendable.ts'

export const keyOfStatement = ({ printed: { sql, parameters } }: PrintedStatement): string =>
  parameters.length === 0 ? sql : `${sql}\n${JSON.stringify(parameters, digitsOf)}`

/** Whole numbers of 64 bits have no JSON; no other value of a read looks like this. */
const digitsOf = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { bigint: String(value) } : value
