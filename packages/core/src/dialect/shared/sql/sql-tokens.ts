// The tokens of a SQL expression as a database writes it in its catalogue, such as the condition of a CHECK. `catalogue` reads rules of
// models from them.

export interface SqlToken {
  /** `name` is an unquoted name, `quoted` a quoted one; `unknown` is any other text. */
  readonly kind: 'name' | 'quoted' | 'string' | 'number' | 'symbol' | 'unknown'
  /** The text without quotes; an unquoted name in lower case, because keywords ignore case. */
  readonly text: string
  /** The text as written. */
  readonly raw: string
}

const patternWith = (string: string): RegExp =>
  new RegExp(
    [
      String.raw`\s+|--[^\n]*|/\*[\s\S]*?\*/`,
      `'((?:${string})*)'`,
      '"((?:[^"]|"")*)"',
      '`((?:[^`]|``)*)`',
      // A name in brackets, as SQLite reads it; other brackets belong to arrays.
      String.raw`\[([\p{L}_][^\]'"(),]*)\]`,
      String.raw`((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?![\w.]))`,
      String.raw`([\p{L}_][\p{L}\p{N}_$]*)`,
      String.raw`(::|<=|>=|<>|!=|==|[=<>()[\],+-])`,
      String.raw`[\s\S]`,
    ].join('|'),
    'gu',
  )

const patterns = {
  plain: patternWith("[^']|''"),
  escapes: patternWith(String.raw`[^'\\]|''|\\'`),
} as const

/**
 * Reads tokens; omits comments. With `backslash: 'escapes'`, `\'` is a quote inside a string. A string with any other backslash is
 * `unknown`, since its meaning depends on the mode of the session that wrote it.
 *
 * `"status" in ('new', 'it''s')` → quoted status, name in, symbol (, string new, symbol `,`, string it's, symbol )
 */
export function sqlTokens(text: string, backslash: 'escapes' | 'plain'): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  for (const match of text.matchAll(patterns[backslash])) {
    const [raw, string, double, backtick, bracket, number, name, symbol] = match
    if (/^(?:\s|--|\/\*)/.test(raw)) continue
    const quoted = double?.replaceAll('""', '"') ?? backtick?.replaceAll('``', '`') ?? bracket
    if (string !== undefined) {
      const value = string.replaceAll(backslash === 'escapes' ? /''|\\'/g : "''", "'")
      tokens.push({ kind: 'string', text: value, raw })
    } else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted, raw })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, raw })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.toLowerCase(), raw })
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol, raw })
    else tokens.push({ kind: 'unknown', text: raw, raw })
  }
  return tokens
}

export const isSymbol = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text

export const isKeyword = (token: SqlToken | undefined, word: string): boolean =>
  token?.kind === 'name' && token.text === word

/** Returns the parts between those separators that are outside of brackets. */
export function splitTokens<T extends SqlToken>(
  tokens: readonly T[],
  isSeparator: (token: T) => boolean,
): readonly (readonly T[])[] {
  const parts: T[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth += 1
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth -= 1
    if (depth === 0 && isSeparator(token)) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** Removes brackets around the whole expression. */
export function unwrapped(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let inner = tokens
  while (isSymbol(inner[0], '(') && closingOf(inner, 0) === inner.length - 1) {
    inner = inner.slice(1, -1)
  }
  return inner
}

/** Returns the index of the bracket that closes the one at `start`; -1 if there is none. */
export function closingOf(tokens: readonly SqlToken[], start: number): number {
  let depth = 0
  for (let i = start; i < tokens.length; i++) {
    const token = tokens[i]
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth += 1
    else if (isSymbol(token, ')') || isSymbol(token, ']')) depth -= 1
    if (depth === 0) return i
  }
  return -1
}
