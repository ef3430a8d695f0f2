// keyOfStatement: a string that is equal for two statements only if their SQL and values are equal, so that requests with equal
// counts can share one (`shared-counts.ts`).

import type { PrintedStatement } from './sendable.ts'

/** Undefined if a value has no exact form as JSON, such as a Date that a policy compares with. */
export const keyOfStatement = ({
  printed: { sql, parameters },
}: PrintedStatement): string | undefined => {
  if (parameters.length === 0) return sql
  return parameters.every(isExact) ? `${sql}\n${JSON.stringify(parameters, digitsOf)}` : undefined
}

const isExact = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  typeof value === 'bigint' ||
  Number.isFinite(value)

/** Writes a bigint, which has no JSON form, as an object; no other parameter of a read is an object. */
const digitsOf = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { bigint: String(value) } : value
