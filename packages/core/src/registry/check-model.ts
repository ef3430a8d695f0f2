// Checks one published model: its names, its columns and its key.

import type { Problems } from '../config/problems.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { checkColumn } from './check-column.ts'
import { badFieldName, badRelationName } from './field-name.ts'
import type { Resource } from './resource.ts'

/** Reports everything that is wrong with a model apart from where its relations lead. */
export function checkModel(
  resource: Resource,
  dialect: Pick<Dialect, 'refuses'> | undefined,
  problems: Problems,
): void {
  const { model, allColumns, primaryKey } = resource
  const at = `models.${model.name}`
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(model.name)) {
    problems.add(at, 'a model name has letters, digits and _, and does not begin with a digit.')
  }
  if (Object.keys(model.columns).length === 0) {
    problems.add(`${at}.columns`, 'a published model needs at least one column.')
  } else if (primaryKey.length === 0) {
    problems.add(`${at}.columns`, 'a published model needs a primary key: primaryKey: true.')
  }
  for (const { name } of primaryKey.filter(({ hidden }) => hidden)) {
    problems.add(`${at}.columns.${name}`, 'a primary key column cannot be hidden.')
  }
  const dbNames = new Map<string, string>()
  for (const [name, column] of allColumns) {
    const place = `${at}.${column.computed === undefined ? 'columns' : 'computed'}.${name}`
    const wrong = badFieldName(name)
    if (wrong !== undefined) problems.add(place, wrong)
    checkColumn(column, place, problems)
    const refusal = dialect?.refuses?.(column)
    if (refusal !== undefined) problems.add(place, refusal)
    const other = dbNames.get(column.dbName)
    if (other !== undefined && column.computed === undefined) {
      problems.add(place, `the database column "${column.dbName}" is already the field "${other}".`)
    }
    dbNames.set(column.dbName, name)
  }
  for (const name of Object.keys(model.computed)) {
    if (!Object.hasOwn(model.columns, name)) continue
    problems.add(`${at}.computed.${name}`, 'a column has this name.')
  }
  for (const name of Object.keys(model.relations)) {
    const place = `${at}.relations.${name}`
    const wrong = badFieldName(name) ?? badRelationName(name)
    if (wrong !== undefined) problems.add(place, wrong)
    if (allColumns.has(name)) problems.add(place, 'a column has this name.')
  }
}
