// Resolves soft delete at start-up: which models mark records as deleted instead of deleting them, with which column and values.

import { didYouMean } from '../../lib/naming/suggest.ts'
import type { Column, ColumnType } from '../column.ts'
import { columnTypes, fits, isColumnType } from '../column-types.ts'
import type { AnyModel } from '../define-model.ts'
import type { DefaultFunction, SoftDeleteValues } from './access/hook-types.ts'
import type { ApiConfig } from './config.ts'
import type { Meta } from './meta.ts'
import { shownValue } from './setting-checks.ts'
import type { Problems } from './setting-problems.ts'
import type { SettingReader } from './setting-reader.ts'
import type { DeletedValue, ResourceSettings } from './settings.ts'

/** Resolves the soft delete settings of a model; null if it does not use soft delete. */
export function resolveSoftDelete(
  model: AnyModel,
  meta: Meta,
  { get, find, at: placeOf }: SettingReader,
  problems: Problems,
): ResourceSettings['softDelete'] {
  const at = `models.${model.name}.meta`
  if (!get('API_SOFT_DELETE')) return null
  const attribute = find('API_SOFT_DELETE_ATTRIBUTE')
  if (attribute === undefined) {
    // Without the attribute in config, `checkSoftDelete` reports one problem for config instead of one per model.
    if (meta.soft_delete) problems.add(`${at}.soft_delete`, 'needs soft_delete_attribute.')
    return null
  }
  const column = Object.hasOwn(model.columns, attribute) ? model.columns[attribute] : undefined
  if (column === undefined) {
    const asked = meta.soft_delete_attribute === undefined ? 'soft_delete' : 'soft_delete_attribute'
    const hint = didYouMean(attribute, Object.keys(model.columns))
    // With soft delete enabled in config, models without the column are left out.
    if (meta[asked]) {
      problems.add(`${at}.${asked}`, `${model.name} has no column "${attribute}".${hint}`)
    }
    return null
  }
  // `checkColumn` reports a type that does not exist.
  if (!isColumnType(column.type)) return null
  const [active, deleted] = get('API_SOFT_DELETE_VALUES')
  if (placeOf('API_SOFT_DELETE_VALUES') === undefined && !isValueOf(column, active)) {
    const which = `${shownValue(active)} and ${shownValue(deleted)} are not values of ${attribute}, which is of type ${column.type}.`
    problems.add(
      `${at}.soft_delete`,
      `the default soft_delete_values ${which} ${valuesFor(column)}`,
    )
    return null
  }
  const wrong = (value: unknown, why = ''): void =>
    problems.add(
      meta.soft_delete_values === undefined ? `${at}.soft_delete` : `${at}.soft_delete_values`,
      `${shownValue(value)} is not a value of ${attribute}, which is ${why || `of type ${column.type}`}.`,
    )
  if (active === null && column.nullable !== true) wrong(active, 'not nullable')
  if (active !== null && !isValueOf(column, active)) wrong(active)
  const value = deletedValueOf(column, deleted)
  // Refuses NULL as the value of deleted records: records that were never deleted may contain it.
  if (value.kind === 'value' && !isValueOf(column, value.value)) wrong(deleted)
  return { attribute, active, deleted: value }
}

/** Returns the column of soft delete that a model lacks where soft delete is enabled: records of the model are deleted for good. */
export function lackedSoftDeleteColumn(
  { columns }: AnyModel,
  { get, find }: SettingReader,
): string | undefined {
  const attribute = get('API_SOFT_DELETE') ? find('API_SOFT_DELETE_ATTRIBUTE') : undefined
  return attribute !== undefined && Object.hasOwn(columns, attribute) ? undefined : attribute
}

/** Whether the type is a date or datetime, whose value may be `'now'`. */
const isMomentType = (type: ColumnType): boolean => columnTypes[type].fromClock !== false

/** Returns which values of active and deleted records to set for a column that does not hold false and true. */
function valuesFor({ type, nullable, enum: members }: Column): string {
  if (isMomentType(type)) {
    const first = nullable === true ? 'Set' : 'Make the column nullable and set'
    return `${first} soft_delete_values: [null, 'now'].`
  }
  const { json, number } = columnTypes[type]
  if (number === 'whole' && json === 'number') return 'Set soft_delete_values: [0, 1].'
  const example = members === undefined ? '' : `, two of ${members.join(', ')}`
  return `Set soft_delete_values to the value of active records and that of deleted ones${example}.`
}

/** Returns how a DELETE makes the value of the column. */
function deletedValueOf({ type }: Column, deleted: SoftDeleteValues[1]): DeletedValue {
  if (typeof deleted === 'function') return { kind: 'function', make: deleted as DefaultFunction }
  return isMomentType(type) && deleted === 'now'
    ? { kind: 'now' }
    : { kind: 'value', value: deleted }
}

/** Whether the value is one of the column, NULL aside. */
function isValueOf(column: Column, value: unknown): boolean {
  if (columnTypes[column.type].json === 'any' || !fits(column, value)) return false
  return !isMomentType(column.type) || /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(value as string)
}

/** Checks of all models together: the attribute is set, and at least one model has it. */
export function checkSoftDelete(
  config: ApiConfig,
  models: readonly { readonly meta: Meta; readonly columns: AnyModel['columns'] }[],
  problems: Problems,
): void {
  const { API_SOFT_DELETE: wanted, API_SOFT_DELETE_ATTRIBUTE: attribute } = config
  if (wanted === true && attribute === undefined) {
    if (models.some(({ meta }) => meta.soft_delete_attribute === undefined)) {
      problems.add('config.API_SOFT_DELETE', 'needs API_SOFT_DELETE_ATTRIBUTE.')
    }
    return
  }
  const columnOf = (meta: Meta): string => meta.soft_delete_attribute ?? attribute ?? ''
  const takesPart = ({ meta, columns }: (typeof models)[number]): boolean =>
    meta.soft_delete !== false && Object.hasOwn(columns, columnOf(meta))
  if (wanted === true && !models.some(takesPart)) {
    const optsOut = models.some(({ meta }) => meta.soft_delete === false)
    const without = optsOut ? ' without soft_delete: false in its meta' : ''
    const names = models.flatMap(({ columns }) => Object.keys(columns))
    const others = names.filter((name) => name !== attribute)
    problems.add(
      'config.API_SOFT_DELETE',
      `no published model has the column "${attribute}"${without}.${didYouMean(attribute ?? '', others)}`,
    )
  }
  if (wanted === undefined && attribute !== undefined) {
    if (!models.some(({ meta }) => meta.soft_delete !== undefined)) {
      problems.add('config.API_SOFT_DELETE_ATTRIBUTE', 'has no effect without API_SOFT_DELETE.')
    }
  }
}
