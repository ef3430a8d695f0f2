// Names for prepared statements: a statement gets one when it occurs for the second time, made of a hash of its text.

import { type Recurring, recurringStatements } from '../shared/recurring-statements.ts'

/** A statement that has a name. */
export interface Named extends Recurring {
  readonly name: string
}

/** Returns a statement with its name; undefined if it is sent without a name. */
export type NameOf = (text: string) => Named | undefined

/** Statements that PostgreSQL plans; preparing `begin`, `set` and the like saves nothing. */
const planned = /^(?:select|insert|update|delete|with) /i

/** Names statements from their second execution on, at most `size` of them. */
export const statementNames = (size: number): NameOf =>
  recurringStatements(
    size,
    ({ text }) => planned.test(text),
    ({ text, arrays }) => ({ text, arrays, name: nameFrom(text) }),
  )

/** The same text has the same name in every process, so that a pooler can share the statement. */
function nameFrom(text: string): string {
  const lanes = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    for (let lane = 0; lane < 4; lane++) {
      lanes[lane] = Math.imul((lanes[lane] as number) ^ (unit + lane), 0x01000193 + 2 * lane)
    }
  }
  const digits = lanes.map((lane) => ((lane ^ (lane >>> 15)) >>> 0).toString(36))
  return `model_api_${digits.join('_')}`
}
