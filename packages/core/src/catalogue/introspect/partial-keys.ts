// Notes of `introspect` about unique indexes that cover only some rows, which a model cannot declare without soft delete.

import type { RowCondition } from '../../dialect/shared/sql/row-condition.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { CatalogueColumn, PartialKey } from '../shared/catalogue.ts'
import type { ModelDraft } from './relations/foreign-key-links.ts'

/**
 * Returns a sentence for each partial unique index of the table, with the declaration if its condition looks like soft delete.
 *
 * `create unique index labels_name on labels (name) where deleted_at is null` →
 * `its index labels_name makes (name) unique only in rows where deleted_at is null, so that is not declared. With soft delete, …`
 */
export const partialKeyNotes = (draft: ModelDraft): readonly string[] =>
  draft.table.partialKeys.map((key) => {
    const { name, columns, condition } = key
    const what = `its index ${name} makes (${columns.join(', ')}) unique only in rows where ${condition}, so that is not declared`
    const declared = declaration(draft, key)
    return declared === undefined ? what : `${what}. With soft delete, declare ${declared}`
  })

/** `unique: [['organisation_id', 'name']]` with the meta of soft delete; undefined for another condition. */
function declaration(
  { table, fields }: ModelDraft,
  { columns, rows }: PartialKey,
): string | undefined {
  const column = rows && table.columns.find(({ name }) => name === rows.column)
  const values = column && softDeleteValues(column, rows)
  const names = columns.flatMap((name) => fields.get(name) ?? [])
  const attribute = fields.get(rows?.column ?? '')
  if (values === undefined || attribute === undefined || names.length < columns.length) {
    return undefined
  }
  const [only] = names
  const unique =
    names.length === 1
      ? `unique: true of ${only}`
      : `unique: [[${names.map((name) => `'${name}'`).join(', ')}]]`
  return `${unique}, and in meta soft_delete: true, soft_delete_attribute: '${attribute}', soft_delete_values: ${values}`
}

/** The values of soft delete by which the rows of the condition are the active ones, if the column is named like one of soft delete. */
function softDeleteValues(
  { name, shape, nullable }: CatalogueColumn,
  { operator, value }: RowCondition,
): string | undefined {
  if (!/delet|remov|archiv|trash|discard/i.test(name)) return undefined
  if (shape === undefined) return undefined
  const { json, fromClock } = columnTypes[shape.type]
  if (fromClock !== false) return operator === 'is' && value === null ? "[null, 'now']" : undefined
  if (json !== 'boolean' || value === null) return undefined
  const isTrue = value.text === 'true' || value.text === '1'
  const isActive = operator === '=' || operator === 'is' ? !isTrue : isTrue
  const coversNull = operator === 'is not' || !nullable
  return isActive && coversNull ? '[false, true]' : undefined
}
