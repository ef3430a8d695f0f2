// Partial unique indexes of PostgreSQL and SQLite: reading one from the catalogue, and describing one in a message. `mysql-partial-key.ts` does
// both for MySQL.

import {
  type RowCondition,
  rowCondition,
  rowConditionText,
} from '../../dialect/shared/sql/row-condition.ts'
import { sqlTokens, unwrapped } from '../../dialect/shared/sql/sql-tokens.ts'
import type { PartialKey } from './catalogue.ts'

/** Makes a partial key of an index. `predicate` is the expression after WHERE, as the database prints it: `(deleted_at IS NULL)`. */
export function partialKey(
  name: string,
  columns: readonly string[],
  predicate: string,
): PartialKey {
  const tokens = sqlTokens(predicate, 'plain')
  const rows = rowCondition(tokens)
  const text = unwrapped(tokens).length < tokens.length ? predicate.slice(1, -1) : predicate
  return { name, columns, condition: rows ? rowConditionText(rows) : text.trim(), rows }
}

/** `a unique index on (organisation_id, name) where deleted_at is null` */
export const partialIndexText = (columns: readonly string[], rows: RowCondition): string =>
  `a unique index on (${columns.join(', ')}) where ${conditionText(rows)}`

/** `state is distinct from 'gone'`: PostgreSQL allows `is not` only before NULL and truth values. */
function conditionText(rows: RowCondition): string {
  const text = rowConditionText(rows)
  const isPlain = rows.value === null || /^(?:true|false)$/.test(rows.value.text)
  return isPlain ? text : text.replace(' is not ', ' is distinct from ')
}
