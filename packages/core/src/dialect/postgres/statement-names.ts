// Which statements get a name, and which: those that came before, by a hash of their text.

import { type Recurring, recurringStatements } from '../shared/recurring-statements.ts'

/** A statement that has a name. */
export interface Named extends Recurring {
  readonly name: string
}

/** The name of a statement as it came, or undefined: it is sent without one. */
export type NameOf = (text: string) => Named | undefined

/** Statements that are planned; `begin`, `set` and their like are not worth a name. */
const planned = /^(?:select|insert|update|delete|with) /i

/** Names the texts that come a second time, `size` of them at most. */
export const statementNames = (size: number): NameOf =>
  recurringStatements(size, (statement) =>
    planned.test(statement.text) ? { ...statement, name: nameFrom(statement.text) } : undefined,
  )

/** The same for the same text in every process, so that a pooler may share it. */
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
