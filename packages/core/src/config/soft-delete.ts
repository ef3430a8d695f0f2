// Resolves soft delete: which models use it, with which column and values.

import type { AnyModel } from '../model/define-model.ts'
import { fits } from '../model/fits.ts'
import { didYouMean } from '../naming/suggest.ts'
import { shown } from './checks.ts'
import type { ApiConfig } from './config.ts'
import { keyTable } from './key-table.ts'
import type { Meta } from './meta.ts'
import type { Problems } from './problems.ts'
import type { ResourceSettings } from './settings.ts'

/** The default of API_SOFT_DELETE_VALUES. */
const standard = keyTable.API_SOFT_DELETE_VALUES.default ?? [false, true]

/** The soft delete settings of a model; null if it does not use soft delete. */
export function resolveSoftDelete(
  model: AnyModel,
  meta: Meta,
  config: ApiConfig,
  problems: Problems,
): ResourceSettings['softDelete'] {
  const at = `models.${model.name}.meta`
  if (!(meta.soft_delete ?? config.API_SOFT_DELETE)) return null
  const attribute = meta.soft_delete_attribute ?? config.API_SOFT_DELETE_ATTRIBUTE
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
  const [active, deleted] = meta.soft_delete_values ?? config.API_SOFT_DELETE_VALUES ?? standard
  for (const value of [active, deleted]) {
    // NULL is refused: it never compares equal.
    if (fits(column, value) && column.type !== 'json') continue
    problems.add(
      meta.soft_delete_values === undefined ? `${at}.soft_delete` : `${at}.soft_delete_values`,
      `${shown(value)} is not a value of ${attribute}, which is of type ${column.type}.`,
    )
  }
  return { attribute, active, deleted }
}

/** Checks of all models together: the attribute is set, and at least one model has it. */
export function checkSoftDelete(
  config: ApiConfig,
  models: readonly { readonly meta: Meta; readonly softDelete: ResourceSettings['softDelete'] }[],
  problems: Problems,
): void {
  const { API_SOFT_DELETE: wanted, API_SOFT_DELETE_ATTRIBUTE: attribute } = config
  if (wanted === true && attribute === undefined) {
    if (models.some(({ meta }) => meta.soft_delete_attribute === undefined)) {
      problems.add('config.API_SOFT_DELETE', 'needs API_SOFT_DELETE_ATTRIBUTE.')
    }
    return
  }
  if (wanted === true && !models.some(({ softDelete }) => softDelete !== null)) {
    problems.add('config.API_SOFT_DELETE', `no published model has the column "${attribute}".`)
  }
  if (wanted === undefined && attribute !== undefined) {
    if (!models.some(({ meta }) => meta.soft_delete !== undefined)) {
      problems.add('config.API_SOFT_DELETE_ATTRIBUTE', 'has no effect without API_SOFT_DELETE.')
    }
  }
}
