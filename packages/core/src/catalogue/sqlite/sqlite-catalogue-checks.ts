// Reads the rules for single columns from the CHECK constraints in the CREATE TABLE text that SQLite stores: `check (price >= 0)` → a bound of
// `price`.

import { closingOf, isKeyword, isSymbol, sqlTokens } from '../../dialect/shared/sql/sql-tokens.ts'
import { type CheckRule, type CheckSyntax, rulesOfTokens } from '../shared/check-rules.ts'

const syntax: CheckSyntax = {
  backslash: 'plain',
  lengths: { length: 'characters', octet_length: 'bytes' },
  anyCharacters: true,
}

/** Reads the rules of all columns; column names are spelt as in the constraints. */
export function sqliteChecks(createTable: string): readonly CheckRule[] {
  if (!/check/i.test(createTable)) return []
  const tokens = sqlTokens(createTable, 'plain')
  const rules: CheckRule[] = []
  let depth = 0
  for (const [i, token] of tokens.entries()) {
    if (isSymbol(token, '(')) depth += 1
    else if (isSymbol(token, ')')) depth -= 1
    const isCheck = depth === 1 && isKeyword(token, 'check') && isSymbol(tokens[i + 1], '(')
    const close = isCheck ? closingOf(tokens, i + 1) : -1
    if (close !== -1) rules.push(...rulesOfTokens(tokens.slice(i + 2, close), syntax))
  }
  return rules
}
