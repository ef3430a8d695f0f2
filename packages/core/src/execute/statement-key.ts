// keyOfStatement: a string that is equal for two statements exactly if their SQL and values are equal.

import type { PrintedStatement } from '../compile/sendable.ts'

export const keyOfStatement = ({ printed: { sql, parameters } }: PrintedStatement): string =>
  parameters.length === 0 ? sql : `${sql}\n${JSON.stringify(parameters, digitsOf)}`

/** A bigint has no JSON form; no other parameter of a read has this one. */
const digitsOf = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { bigint: String(value) } : value
