// Which partial unique indexes cover every active record of a model with soft delete: for `compare-keys.ts`, which accepts
// `create unique index … on books (isbn) where deleted_at is null` in place of a declared `unique: true`.

import type { RowCondition } from '../../dialect/shared/sql/row-condition.ts'
import type { Constant } from '../../dialect/shared/values/constant.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { SoftDeleteSettings } from '../../model/settings/settings.ts'

/** The soft delete of a model, and its column. */
export interface ActiveRows {
  readonly softDelete: SoftDeleteSettings
  readonly column: NamedColumn
  /** Whether the database's column may be NULL. */
  readonly nullable: boolean
}

/**
 * Whether every active record fulfils the condition of an index, which tests the column of soft delete. Examples, by the model's
 * `soft_delete_values` (of an active and of a deleted record):
 *
 * - `[null, 'now']`: true for `deleted_at is null`
 * - `[false, true]`: true for `deleted is not true`; for `deleted = false` only if the column is NOT NULL, because a record with NULL is active
 */
export function holdsForActive(
  { softDelete: { active, deleted }, column, nullable }: ActiveRows,
  { operator, value }: RowCondition,
): boolean {
  if (active === null) return operator === 'is' && value === null
  if (value === null) return false
  // `deleted <> true` is not true of NULL, so that the index would leave out active records with NULL.
  const includesNull = operator === 'is' || operator === 'is not' || !nullable
  if (operator === '=' || operator === 'is') {
    if (!isSame(column, value, active)) return false
    // With other values, every record that does not have the active one is deleted.
    return deleted.kind !== 'value' || (!nullable && hasOnly(column, [active, deleted.value]))
  }
  return deleted.kind === 'value' && includesNull && isSame(column, value, deleted.value)
}

/** Returns the condition of an index over exactly the active records, to suggest it in a message. */
export function activeCondition({ softDelete, column, nullable }: ActiveRows): RowCondition {
  const { active, deleted } = softDelete
  const { dbName } = column
  if (active === null) return { column: dbName, operator: 'is', value: null }
  if (deleted.kind !== 'value' || (!nullable && hasOnly(column, [active, deleted.value]))) {
    return { column: dbName, operator: '=', value: constantOf(active) }
  }
  const operator = nullable ? 'is not' : '<>'
  return { column: dbName, operator, value: constantOf(deleted.value) }
}

const constantOf = (value: JsonValue): Constant => ({
  text: String(value),
  isString: typeof value === 'string',
})

/** Whether the type of the column has no other values: a boolean, or an enum of these members. */
const hasOnly = (column: NamedColumn, values: readonly JsonValue[]): boolean =>
  columnTypes[column.type].json === 'boolean' ||
  column.enum?.every((member) => values.includes(member)) === true

/** Whether a constant in the condition of an index, such as `1` for `true`, is this value of the column. */
function isSame({ type }: NamedColumn, { text, isString }: Constant, value: JsonValue): boolean {
  const { json, number } = columnTypes[type]
  if (json === 'boolean') return (value === true ? ['true', '1'] : ['false', '0']).includes(text)
  if (number !== false) return text !== '' && Number(text) === Number(value)
  return isString && text === value
}
