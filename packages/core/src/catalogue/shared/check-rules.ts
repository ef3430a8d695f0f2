// Reads the rules that a CHECK constraint sets for single columns. A condition that is not fully understood sets none. `column-checks.ts` combines
// the rules of a column into the limits (`minimum: 0`) or the members that introspection declares.

import {
  closingOf,
  isKeyword,
  isSymbol,
  type SqlToken,
  splitTokens,
  sqlTokens,
  unwrapped,
} from '../../dialect/shared/sql/sql-tokens.ts'

export type CheckComparison = '>=' | '>' | '<=' | '<'

/** A rule of a CHECK for one column; NULL always passes it. */
export type CheckRule =
  /** The value is one of these strings. */
  | {
      readonly kind: 'members'
      readonly column: string
      readonly members: readonly string[]
      /** The names of types that the members are converted to, such as `citext`. */
      readonly types: readonly string[]
    }
  /** The value is compared with a number; its digits are as written in the constraint. */
  | {
      readonly kind: 'bound'
      readonly column: string
      readonly comparison: CheckComparison
      readonly number: string
      /** The constraint converts the column to a double for the comparison. */
      readonly asDouble: boolean
    }
  /** The length of the string is compared with a number. */
  | {
      readonly kind: 'length'
      readonly column: string
      readonly comparison: CheckComparison
      readonly length: number
      readonly unit: 'characters' | 'bytes'
    }

/** How a database writes the expressions of its constraints. */
export interface CheckSyntax {
  /** Whether a backslash in a string escapes the next character, or is a plain character. */
  readonly backslash: 'escapes' | 'plain'
  /** Its functions for the length of a string, in lower case. */
  readonly lengths: Readonly<Record<string, 'characters' | 'bytes'>>
  /** Whether to read strings with characters beyond ASCII. False if the catalogue garbles these characters. */
  readonly anyCharacters: boolean
}

/**
 * Reads the expression of a CHECK, without the word.
 *
 * `price >= 0 and status in ('new', 'sold') and day < until` → a bound of `price`, two members of `status`
 */
export const checkRules = (expression: string, syntax: CheckSyntax): readonly CheckRule[] =>
  rulesOfTokens(sqlTokens(expression, syntax.backslash), syntax)

/** As `checkRules`, of an expression that is split into tokens. */
export function rulesOfTokens(
  tokens: readonly SqlToken[],
  syntax: CheckSyntax,
): readonly CheckRule[] {
  // CASE combines conditions without brackets, and COLLATE changes the meaning of a comparison; neither is read.
  const isOpaque = ({ kind, text }: SqlToken): boolean =>
    kind === 'unknown' || (kind === 'name' && /^(?:case|collate|xor|escape)$/.test(text))
  return tokens.some(isOpaque) ? [] : conditionRules(tokens, syntax)
}

/** Reads each condition of an AND as a rule of its own, because a CHECK refuses a value that one of the conditions refuses. */
function conditionRules(condition: readonly SqlToken[], syntax: CheckSyntax): readonly CheckRule[] {
  const tokens = unwrapped(condition)
  const either = splitTokens(tokens, (token) => isKeyword(token, 'or'))
  if (either.length > 1) return alternativeRules(either, syntax)
  const parts = splitAnd(tokens)
  return parts.length > 1
    ? parts.flatMap((part) => conditionRules(part, syntax))
    : singleRules(tokens, syntax)
}

/** Splits a condition at AND, but not at the AND of BETWEEN. */
function splitAnd(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  let isOpen = false
  return splitTokens(tokens, (token) => {
    if (isKeyword(token, 'between')) isOpen = true
    if (!isKeyword(token, 'and')) return false
    const separates = !isOpen
    isOpen = false
    return separates
  })
}

/** Drops `x is null or …`, since NULL passes any CHECK; reads `x = 'a' or x = 'b'` as members. */
function alternativeRules(
  parts: readonly (readonly SqlToken[])[],
  syntax: CheckSyntax,
): readonly CheckRule[] {
  const nulls = parts.map((part) => nullTest(unwrapped(part)))
  const rules = parts.flatMap((part, i) =>
    nulls[i] === undefined ? [conditionRules(part, syntax)] : [],
  )
  const columns = new Set([
    ...nulls.flatMap((name) => name ?? []),
    ...rules.flatMap((own) => own.map(({ column }) => column)),
  ])
  if (columns.size !== 1 || rules.length === 0) return []
  // The only alternative besides tests for NULL sets its rules. Of several alternatives a value must fit only one, so they set none.
  if (rules.length === 1) return rules[0] ?? []
  const members = rules.map((own) => (own.length === 1 ? own[0] : undefined))
  const first = members[0]
  if (first?.kind !== 'members' || members.some((rule) => rule?.kind !== 'members')) return []
  const all = members.flatMap((rule) => (rule?.kind === 'members' ? [rule] : []))
  return [
    {
      ...first,
      members: [...new Set(all.flatMap((rule) => rule.members))],
      types: [...new Set(all.flatMap((rule) => rule.types))],
    },
  ]
}

/** Returns the column of `column is null`; undefined for other conditions. */
function nullTest(tokens: readonly SqlToken[]): string | undefined {
  const operand = operandAt(tokens, 0, { lengths: {} })
  if (operand?.kind !== 'column') return undefined
  const rest = tokens.slice(operand.end)
  return rest.length === 2 && isKeyword(rest[0], 'is') && isKeyword(rest[1], 'null')
    ? operand.column
    : undefined
}

/** Reads one comparison; no other tokens may follow. */
function singleRules(tokens: readonly SqlToken[], syntax: CheckSyntax): readonly CheckRule[] {
  const left = operandAt(tokens, 0, syntax)
  if (left === undefined) return []
  const rest = tokens.slice(left.end)
  const list = memberList(rest, syntax)
  if (list !== undefined) return membership(left, list, syntax)
  if (isKeyword(rest[0], 'between')) {
    const from = operandAt(rest, 1, syntax)
    if (from === undefined || !isKeyword(rest[from.end], 'and')) return []
    const to = operandAt(rest, from.end + 1, syntax)
    if (to?.end !== rest.length) return []
    const low = comparisonRules(left, '>=', from, syntax)
    const high = comparisonRules(left, '<=', to, syntax)
    return low.length === 0 || high.length === 0 ? [] : [...low, ...high]
  }
  const operator = rest[0]
  if (operator?.kind !== 'symbol') return []
  const right = operandAt(rest, 1, syntax)
  if (right?.end !== rest.length) return []
  return left.kind === 'literal'
    ? comparisonRules(right, turned[operator.text] ?? operator.text, left, syntax)
    : comparisonRules(left, operator.text, right, syntax)
}

/** The comparison of `10 > price` as one of `price`. */
const turned: Readonly<Record<string, string>> = { '>=': '<=', '>': '<', '<=': '>=', '<': '>' }

/** One side of a comparison: `price`, `length(name)` or `'new'::text`. */
type Operand = (
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'length'; readonly column: string; readonly unit: 'characters' | 'bytes' }
  | { readonly kind: 'literal'; readonly text: string; readonly isString: boolean }
) & {
  /** The types to which the operand is cast, in order. */
  readonly types: readonly string[]
  /** The index of the token after the operand. */
  readonly end: number
}

/** Reads a column, the length of a column, or a literal, with type conversions; undefined if the tokens are anything else. */
function operandAt(
  tokens: readonly SqlToken[],
  start: number,
  syntax: Pick<CheckSyntax, 'lengths'>,
): Operand | undefined {
  const plain = plainOperandAt(tokens, start, syntax)
  if (plain === undefined) return undefined
  const types = [...plain.types]
  let end = plain.end
  while (isSymbol(tokens[end], '::')) {
    const words: string[] = []
    for (end += 1; ; end++) {
      const { kind, text = '' } = tokens[end] ?? {}
      // With the setting quote_all_identifiers, PostgreSQL quotes types too. An unquoted keyword continues the condition.
      const isKeyword = kind === 'name' && /^(?:and|or|in|is|between|not|like)$/.test(text)
      if (isKeyword || (kind !== 'name' && kind !== 'quoted')) break
      words.push(text)
    }
    // A type with digits, such as numeric(10,2), changes the value.
    if (words.length === 0 || isSymbol(tokens[end], '(') || isSymbol(tokens[end], '[')) {
      return undefined
    }
    types.push(words.join(' '))
  }
  return { ...plain, types, end }
}

/** Reads an operand without the casts that follow it: an operand in brackets, a signed number, a string, a length or a column. */
function plainOperandAt(
  tokens: readonly SqlToken[],
  start: number,
  syntax: Pick<CheckSyntax, 'lengths'>,
): Operand | undefined {
  const token = tokens[start]
  const next = tokens[start + 1]
  if (token === undefined) return undefined
  if (isSymbol(token, '(')) {
    const close = closingOf(tokens, start)
    const inner = tokens.slice(start + 1, close)
    const operand = close === -1 ? undefined : operandAt(inner, 0, syntax)
    return operand?.end === inner.length ? { ...operand, end: close + 1 } : undefined
  }
  if (isSymbol(token, '-') || isSymbol(token, '+')) {
    const number = plainOperandAt(tokens, start + 1, syntax)
    if (number?.kind !== 'literal' || number.isString || number.types.length > 0) return undefined
    if (/^[-+]/.test(number.text)) return undefined
    return { ...number, text: isSymbol(token, '-') ? `-${number.text}` : number.text }
  }
  if (token.kind === 'string' || token.kind === 'number') {
    const isString = token.kind === 'string'
    return { kind: 'literal', text: token.text, isString, types: [], end: start + 1 }
  }
  if (token.kind === 'name' && /^_(?:utf8|utf8mb3|utf8mb4|latin1|ascii)$/.test(token.text)) {
    if (next?.kind !== 'string') return undefined
    return { kind: 'literal', text: next.text, isString: true, types: [], end: start + 2 }
  }
  if (token.kind === 'name' && isSymbol(next, '(')) {
    const unit = Object.hasOwn(syntax.lengths, token.text) ? syntax.lengths[token.text] : undefined
    const close = closingOf(tokens, start + 1)
    if (unit === undefined || close === -1) return undefined
    const inner = tokens.slice(start + 2, close)
    const operand = operandAt(inner, 0, syntax)
    const isText = operand?.kind === 'column' && operand.types.every((type) => isTextType(type))
    if (!isText || operand.end !== inner.length) return undefined
    return { kind: 'length', column: operand.column, unit, types: [], end: close + 1 }
  }
  if (token.kind === 'quoted' || (token.kind === 'name' && !reserved.has(token.text))) {
    const column = token.kind === 'quoted' ? token.text : token.raw
    return { kind: 'column', column, types: [], end: start + 1 }
  }
  return undefined
}

/** Words that cannot be a column name. */
const reserved = new Set(
  'all and any array between cast current_date current_time current_timestamp exists false in is like not null or some true'.split(
    ' ',
  ),
)

/** Reads the literals of `in ('a', 'b')` and of PostgreSQL's `= any (array['a', 'b'])`; undefined for any other test. */
function memberList(
  tokens: readonly SqlToken[],
  syntax: CheckSyntax,
): readonly Operand[] | undefined {
  if (isKeyword(tokens[0], 'in') && isSymbol(tokens[1], '(')) {
    if (closingOf(tokens, 1) !== tokens.length - 1) return undefined
    return literals(tokens.slice(2, -1), syntax)
  }
  if (!isSymbol(tokens[0], '=') || !isKeyword(tokens[1], 'any') || !isSymbol(tokens[2], '(')) {
    return undefined
  }
  if (closingOf(tokens, 2) !== tokens.length - 1) return undefined
  return arrayItems(tokens.slice(3, -1), syntax)
}

/** Reads `array['a', 'b']`, also as `(array['a', 'b'])::text[]`. */
function arrayItems(
  array: readonly SqlToken[],
  syntax: CheckSyntax,
): readonly Operand[] | undefined {
  let tokens = array
  for (;;) {
    if (isSymbol(tokens.at(-1), ']') && isSymbol(tokens.at(-2), '[')) {
      const conversion = tokens.findLastIndex((token) => isSymbol(token, '::'))
      const type = tokens.slice(conversion + 1, -2)
      const name = type.map(({ text }) => text).join(' ')
      if (conversion === -1 || !isTextType(name)) return undefined
      tokens = tokens.slice(0, conversion)
    }
    const inner = unwrapped(tokens)
    if (inner.length === tokens.length) break
    tokens = inner
  }
  const isArray = isKeyword(tokens[0], 'array') && isSymbol(tokens[1], '[')
  if (!isArray || closingOf(tokens, 1) !== tokens.length - 1) return undefined
  return literals(tokens.slice(2, -1), syntax)
}

/** Reads a list of literals. Undefined if an item is neither a string nor a number; `in ('a', null)`, for example, refuses no value. */
function literals(
  tokens: readonly SqlToken[],
  syntax: CheckSyntax,
): readonly Operand[] | undefined {
  const items = splitTokens(tokens, (token) => isSymbol(token, ',')).map((part) => {
    const operand = operandAt(part, 0, syntax)
    return operand?.kind === 'literal' && operand.end === part.length ? operand : undefined
  })
  return items.every((item) => item !== undefined) ? items : undefined
}

/** Reads a list of strings as members, and a list of whole numbers as the range from the smallest to the largest. */
function membership(
  left: Operand,
  list: readonly Operand[],
  syntax: CheckSyntax,
): readonly CheckRule[] {
  if (left.kind !== 'column' || list.length === 0) return []
  if (list.every((item) => item.kind === 'literal' && isText(item, syntax))) {
    if (!left.types.every(isTextType)) return []
    const members = list.map((item) => (item.kind === 'literal' ? item.text : ''))
    const types = [...new Set([...left.types, ...list.flatMap((item) => item.types)])]
    return [{ kind: 'members', column: left.column, members: [...new Set(members)], types }]
  }
  const numbers = list.map(numberOf)
  if (!numbers.every((number) => number !== undefined && Number.isSafeInteger(Number(number)))) {
    return []
  }
  const sorted = numbers.map(Number).sort((a, b) => a - b)
  const [low, high] = [String(sorted[0]), String(sorted.at(-1))]
  return [...boundRule(left, '>=', low), ...boundRule(left, '<=', high)]
}

/** Reads `left operator right`; `right` must be a literal. `<> ''` is a length of at least 1. */
function comparisonRules(
  left: Operand,
  operator: string,
  right: Operand,
  syntax: CheckSyntax,
): readonly CheckRule[] {
  if (right.kind !== 'literal') return []
  if (operator === '=' || operator === '==') {
    if (isText(right, syntax)) return membership(left, [right], syntax)
    return [
      ...comparisonRules(left, '>=', right, syntax),
      ...comparisonRules(left, '<=', right, syntax),
    ]
  }
  const isEmptyTest = operator === '<>' || operator === '!='
  if (left.kind === 'column' && isEmptyTest && isText(right, syntax) && right.text === '') {
    const { column } = left
    if (!left.types.every(isTextType)) return []
    return [{ kind: 'length', column, comparison: '>=', length: 1, unit: 'characters' }]
  }
  if (!isComparison(operator)) return []
  const number = numberOf(right)
  if (number === undefined) return []
  if (left.kind === 'column') return boundRule(left, operator, number)
  const length = Number(number)
  if (left.kind !== 'length' || left.types.length > 0 || !Number.isSafeInteger(length)) return []
  const { column, unit } = left
  return [{ kind: 'length', column, comparison: operator, length, unit }]
}

const isComparison = (operator: string): operator is CheckComparison => /^[<>]=?$/.test(operator)

/** Returns a bound of a column; none if the constraint converts the column to a type that rounds. */
function boundRule(
  left: Operand,
  comparison: CheckComparison,
  number: string,
): readonly CheckRule[] {
  if (left.kind !== 'column') return []
  const asDouble = left.types.includes('double precision')
  // Other conversions round.
  if (!left.types.every((type) => type === 'numeric' || type === 'double precision')) return []
  return [{ kind: 'bound', column: left.column, comparison, number, asDouble }]
}

const textTypes = new Set(['text', 'character varying', 'varchar', 'bpchar', 'citext'])

const isTextType = (type: string): boolean => textTypes.has(type)

const numberTypes = new Set(['integer', 'bigint', 'smallint', 'numeric', 'double precision'])

/** Whether the operand is a string that the database compares as a string, and that the catalogue shows without garbled characters. */
const isText = (operand: Operand, { anyCharacters }: CheckSyntax): boolean =>
  operand.kind === 'literal' &&
  operand.isString &&
  operand.types.every(isTextType) &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  (anyCharacters || /^[\x00-\x7f]*$/.test(operand.text))

/** Returns the digits of a number, or of a string that is cast to one, without zeros at both ends: `007.50` → `7.5`. */
function numberOf(operand: Operand): string | undefined {
  if (operand.kind !== 'literal' || !operand.types.every((type) => numberTypes.has(type))) {
    return undefined
  }
  if (operand.isString && operand.types.length === 0) return undefined
  const match = /^(-?)0*([0-9]+)(?:\.([0-9]*?)0*)?$/.exec(operand.text)
  if (match === null) return undefined
  const fraction = match[3] ?? ''
  // Conversion to an integer rounds.
  const isWholeType = operand.types.some((type) => /int/.test(type))
  if (fraction !== '' && isWholeType) return undefined
  const digits = `${match[2]}${fraction === '' ? '' : `.${fraction}`}`
  return /[1-9]/.test(digits) ? `${match[1]}${digits}` : '0'
}
