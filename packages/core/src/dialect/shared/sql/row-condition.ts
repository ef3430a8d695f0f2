// Reads a condition on one column, such as the predicate of a partial index, as a database prints it in its catalogue. `catalogue` compares
// it with the condition of a model's key, or writes the condition of that key as text.

import type { Constant } from '../values/constant.ts'
import { isKeyword, isSymbol, type SqlToken, splitTokens, unwrapped } from './sql-tokens.ts'

/**
 * A condition on one column. NULL fulfils `is` and `is not` like any other value, and never `=` and `<>`.
 *
 * `deleted_at is null` → `{ column: 'deleted_at', operator: 'is', value: null }`
 */
export interface RowCondition {
  readonly column: string
  readonly operator: '=' | '<>' | 'is' | 'is not'
  /** Null for the SQL value NULL. */
  readonly value: Constant | null
}

const truth: Constant = { text: 'true', isString: false }

/**
 * Reads a comparison of a column with a constant, in any form that the databases print: `(NOT deleted)`, `deleted = 0`,
 * `((state)::text = 'open'::text)`, `"deletedAt" IS NULL`. Undefined for every other condition.
 */
export function rowCondition(expression: readonly SqlToken[]): RowCondition | undefined {
  const tokens = unwrapped(expression)
  if (isKeyword(tokens[0], 'not')) {
    const condition = rowCondition(tokens.slice(1))
    return condition && { ...condition, operator: opposites[condition.operator] }
  }
  const at = operatorIndex(tokens)
  if (at === -1) return conditionOf(columnOf(tokens), '=', truth)
  const [left, right] = [tokens.slice(0, at), tokens.slice(at + 1)]
  if (isKeyword(tokens[at], 'is')) return identity(left, right)
  const operator = /^==?$/.test(tokens[at]?.text ?? '') ? '=' : '<>'
  return (
    conditionOf(columnOf(left), operator, constantOf(right)) ??
    conditionOf(columnOf(right), operator, constantOf(left))
  )
}

const opposites = { '=': '<>', '<>': '=', is: 'is not', 'is not': 'is' } as const

/**
 * The condition of the rows that do not fulfil `condition`, including those for which it is NULL; undefined if one condition cannot say
 * this.
 */
export function otherRows(condition: RowCondition): RowCondition | undefined {
  const { operator } = condition
  if (operator === '<>') return undefined
  return { ...condition, operator: operator === 'is not' ? 'is' : 'is not' }
}

/** `deleted_at is null`, `state = 'open'` */
export function rowConditionText({ column, operator, value }: RowCondition): string {
  if (value === null) return `${column} ${operator} null`
  const text = value.isString ? `'${value.text.replaceAll("'", "''")}'` : value.text
  return `${column} ${operator} ${text}`
}

const operatorIndex = (tokens: readonly SqlToken[]): number => {
  const [before = []] = splitTokens(tokens, isOperator)
  return before.length === tokens.length ? -1 : before.length
}

const isOperator = (token: SqlToken): boolean =>
  isKeyword(token, 'is') || (token.kind === 'symbol' && /^(?:==?|<>|!=)$/.test(token.text))

const conditionOf = (
  column: string | undefined,
  operator: RowCondition['operator'],
  value: Constant | null | undefined,
): RowCondition | undefined =>
  column === undefined || value === undefined ? undefined : { column, operator, value }

/** Reads `is null`, `is not true`, `is distinct from 'gone'`; `right` are the tokens after IS. */
function identity(left: readonly SqlToken[], right: readonly SqlToken[]): RowCondition | undefined {
  const isNot = isKeyword(right[0], 'not')
  const rest = isNot ? right.slice(1) : right
  const isDistinct = isKeyword(rest[0], 'distinct') && isKeyword(rest[1], 'from')
  const value = isDistinct ? rest.slice(2) : rest
  const isNull = value.length === 1 && isKeyword(value[0], 'null')
  const operator = isNot === isDistinct ? 'is' : 'is not'
  return conditionOf(columnOf(left), operator, isNull ? null : constantOf(value))
}

/** Words that are no column, and types that leave a text as it is. */
const words = new Set(['null', 'true', 'false', 'default', 'current_user', 'current_date'])
const textTypes = new Set(['text', 'character varying', 'varchar', 'bpchar', 'citext'])

/** Reads a column, also one that is cast to a text type; undefined for any other expression. */
function columnOf(expression: readonly SqlToken[]): string | undefined {
  const tokens = unwrapped(expression)
  const [value = [], type, ...more] = splitTokens(tokens, (token) => isSymbol(token, '::'))
  if (more.length > 0) return undefined
  if (type !== undefined) {
    return textTypes.has(type.map(({ text }) => text).join(' ')) ? columnOf(value) : undefined
  }
  const [token] = value
  if (token === undefined || value.length > 1) return undefined
  if (token.kind === 'quoted') return token.text
  return token.kind === 'name' && !words.has(token.text) ? token.raw : undefined
}

/** Reads a string, a number, or `true` or `false`, with or without a cast: `'open'::text`, `_utf8mb4'open'`, `-1`, and `-(1)` of MySQL. */
export function constantOf(expression: readonly SqlToken[]): Constant | undefined {
  const [value = [], ...casts] = splitTokens(unwrapped(expression), (token) =>
    isSymbol(token, '::'),
  )
  if (!casts.every((type) => type.every(isOfType))) return undefined
  const tokens = unwrapped(value)
  const isNegative = isSymbol(tokens[0], '-')
  const isMarked =
    tokens[0]?.kind === 'name' && /^_(?:utf8|utf8mb3|utf8mb4|latin1|ascii)$/.test(tokens[0].text)
  const rest = isNegative || isMarked ? tokens.slice(1) : tokens
  const [token, ...more] = isNegative ? unwrapped(rest) : rest
  if (token === undefined || more.length > 0) return undefined
  if (token.kind === 'number') {
    return { text: isNegative ? `-${token.text}` : token.text, isString: false }
  }
  if (isNegative) return undefined
  if (token.kind === 'string') return { text: token.text, isString: true }
  const isTruth = token.kind === 'name' && /^(?:true|false)$/.test(token.text)
  return isTruth ? { text: token.text, isString: false } : undefined
}

/** Whether the token can be a part of the name of a type: `public."Status"`, `numeric(10,2)`. */
const isOfType = (token: SqlToken): boolean =>
  (token.kind === 'name' && !/^(?:and|or|collate)$/.test(token.text)) ||
  token.kind === 'quoted' ||
  token.kind === 'number' ||
  /^[.(),]$/.test(token.text)
