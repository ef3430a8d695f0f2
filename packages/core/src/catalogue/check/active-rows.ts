// Which partial unique indexes cover every active record of a model with soft delete.

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
 * Whether every active record fulfils the condition, which tests the column of soft delete.
 *
 * `[null, 'now']` → `deleted_at is null`; `[false, true]` → `deleted = false` if the column is NOT NULL, `deleted is not true`
 */
export function holdsForActive(
  { softDelete: { active, deleted }, column, nullable }: ActiveRows,
  { operator, value }: RowCondition,
): boolean {
  if (active === null) return operator === 'is' && value === null
  if (value === null) return false
  const isFull = operator === 'is' || operator === 'is not' || !nullable
  if (operator === '=' || operator === 'is') {
    if (!isSame(column, value, active)) return false
    // With other values, every record that does not have the active one is deleted.
    return deleted.kind !== 'value' || (!nullable && hasOnly(column, [active, deleted.value]))
  }
  return deleted.kind === 'value' && isFull && isSame(column, value, deleted.value)
}

/** The condition to suggest for an index over the active records. */
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

/** Whether the constant of the database is this value of the column. */
function isSame({ type }: NamedColumn, { text, isString }: Constant, value: JsonValue): boolean {
  const { json, number } = columnTypes[type]
  if (json === 'boolean') return (value === true ? ['true', '1'] : ['false', '0']).includes(text)
  if (number !== false) return text !== '' && Number(text) === Number(value)
  return isString && text === value
}
