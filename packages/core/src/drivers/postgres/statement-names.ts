// Names for prepared statements: a statement gets one when it occurs for the second time, made of a hash of its text.

import {
  type Recurring,
  recurringStatements,
} from '../../dialect/shared/session/recurring-statements.ts'
import { hashOfText } from '../../lib/text-hash.ts'

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

/**
 * The same text has the same name in every process, so that a pooler can share the statement. Two texts never have the same name,
 * because the name contains 192 bits of SHA-256: otherwise a connection could execute another statement than was sent.
 */
const nameFrom = (text: string): string => `model_api_${hashOfText(text)}`
