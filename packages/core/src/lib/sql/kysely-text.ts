// kyselyText: prints a query of Kysely, such as that of a policy: its SQL text, divided at its parameters, so that the text can stand in
// a stored statement while the values change.

import { createQueryId } from 'kysely'
import type { AnyDatabase } from './any-database.ts'
import { type Fragment, sql } from './fragment.ts'
import type { Param } from './param.ts'
import type { TextStyle } from './print.ts'

type RootNode = Parameters<ReturnType<AnyDatabase['getExecutor']>['compileQuery']>[0]

/** `select id from books where price > $1`, printed; its `strings` are `(select id from books where price > ` and `)`. */
export interface KyselyText {
  /** The SQL with Kysely's placeholders. */
  readonly text: string
  /** The texts before, between and after the parameters; the first and the last have parentheses. */
  readonly strings: readonly string[]
  readonly parameters: readonly unknown[]
}

/** The SQL in parentheses as a fragment, with these parameters. */
export const fragmentOfText = (
  { strings }: Pick<KyselyText, 'strings'>,
  parameters: Param<readonly unknown[]>,
): Fragment => sql(strings, ...parameters.items(strings.length - 1))

/** Prints a node by the compiler of the host's own dialect; undefined if the text cannot be separated from its parameters. */
export function kyselyText(
  db: AnyDatabase,
  { placeholders }: TextStyle,
  node: RootNode,
): KyselyText | undefined {
  const { sql: text, parameters } = db.getExecutor().compileQuery(node, createQueryId())
  const strings = text.split(placeholders === 'numbered' ? /\$\d+/ : '?')
  // Each parameter has one placeholder. If the number of matches differs, a literal or an operator looks like a placeholder.
  if (strings.length !== parameters.length + 1 || !parameters.every(isBindable)) return undefined
  strings[0] = `(${strings[0]}`
  strings[parameters.length] += ')'
  return { text, strings, parameters }
}

/** Whether a value can be bound in a fragment; other objects could be mistaken for a fragment or an identifier. */
const isBindable = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  Array.isArray(value) ||
  value instanceof Date ||
  value instanceof Uint8Array
