// Checks a published model at start-up, after its columns and before its relations are resolved: its names, columns, key, rights, unique sets and
// search. StartDialect is what these checks and the registry ask the dialect.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { AnyModel, ComputedColumn } from '../../define-model.ts'
import type { DialectColumn } from '../../dialect-column.ts'
import { boolean, callable, text } from '../../settings/setting-checks.ts'
import type { Problems } from '../../settings/setting-problems.ts'
import type { SpecialValues } from '../../type-definition.ts'
import { badColumnName, badFieldName, badRelationName } from '../field-name.ts'
import { checkJsonPaths } from '../json-paths.ts'
import type { NamedColumn, Resource } from '../resource.ts'
import { checkSearch } from '../search-columns.ts'
import { checkAggregate, checkColumn, checkComputed } from './check-column.ts'
import { isWriteOnly } from './field-rules.ts'

/** What is asked of the dialect when the API is created. */
export interface StartDialect {
  readonly name?: string
  /** Returns why a column cannot be served, or undefined. */
  readonly refuses?: (column: DialectColumn) => string | undefined
  /** Present if the database has columns of lists. */
  readonly listMatch?: unknown
  /** Present if the database has paths into JSON columns. */
  readonly jsonValue?: unknown
  /** Present if the database has locks of names. */
  readonly lockOfName?: unknown
  /** Returns the values that a column may contain in another form than its type has, such as `infinity` among timestamps. */
  readonly specialValues?: (column: DialectColumn) => SpecialValues | undefined
  /** Whether a column may contain values that are not of its type. */
  readonly keepsOtherForms?: (column: DialectColumn) => boolean
}

/** Reports the problems of a model, except those of relation targets. */
export function checkModel(
  resource: Resource,
  dialect: StartDialect | undefined,
  problems: Problems,
): void {
  const { model } = resource
  const at = `models.${model.name}`
  checkDeclaration(resource, at, problems)
  checkRights(resource, at, problems)
  checkUniqueSets(model, at, problems)
  checkSearch(resource, at, problems)
  checkColumns(model, at, problems)
  checkFields(resource, dialect, at, problems)
}

/** Reports problems of the model's name, table, description, methods and key. */
function checkDeclaration({ model, primaryKey }: Resource, at: string, problems: Problems): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(model.name)) {
    problems.add(at, 'a model name has letters, digits and _, and does not begin with a digit.')
  }
  if (model.table === '') problems.add(`${at}.table`, 'expected the name of a table.')
  if (model.schema !== undefined && (typeof model.schema !== 'string' || model.schema === '')) {
    problems.add(`${at}.schema`, 'expected the name of a schema.')
  }
  const wrongDescription = model.description === undefined ? undefined : text(model.description)
  if (wrongDescription !== undefined) problems.add(`${at}.description`, wrongDescription)
  for (const [name, method] of Object.entries(model.methods ?? {})) {
    const wrong = callable(method)
    if (wrong !== undefined) problems.add(`${at}.methods.${name}`, wrong)
  }
  if (Object.keys(model.columns).length === 0) {
    problems.add(`${at}.columns`, 'a published model needs at least one column.')
  }
  const wrongReadOnly = boolean(model.readOnly ?? false)
  if (wrongReadOnly !== undefined) problems.add(`${at}.readOnly`, wrongReadOnly)
  // `checkColumn` reports a write-only key.
  for (const column of primaryKey.filter(({ hidden }) => hidden)) {
    if (isWriteOnly(column)) continue
    problems.add(`${at}.columns.${column.name}`, 'a primary key column cannot be hidden.')
  }
}

/** Reports problems of the declared and the computed columns. */
function checkColumns(model: AnyModel, at: string, problems: Problems): void {
  const dbNames = new Map<string, string>()
  for (const [name, column] of Object.entries(model.columns)) {
    const place = `${at}.columns.${name}`
    checkColumn(column, place, problems)
    const dbName = column.column ?? name
    const other = dbNames.get(dbName)
    if (other !== undefined) {
      problems.add(place, `the database column "${dbName}" is already the field "${other}".`)
    }
    dbNames.set(dbName, name)
  }
  for (const [name, aggregate] of Object.entries(model.aggregates)) {
    checkAggregate(aggregate, `${at}.aggregates.${name}`, problems)
  }
  for (const [name, column] of Object.entries(model.computed)) {
    const place = `${at}.computed.${name}`
    checkComputed(column as ComputedColumn, place, problems)
    // One subquery selects the computed columns and the columns of the table, so their names must differ.
    if (Object.hasOwn(model.columns, name) || dbNames.has(name)) {
      problems.add(place, 'a column has this name.')
    }
  }
}

/** Reports names that fields cannot have, and columns that the database does not support. */
function checkFields(
  { model, allColumns }: Resource,
  dialect: StartDialect | undefined,
  at: string,
  problems: Problems,
): void {
  for (const [name, column] of allColumns) {
    const place = `${at}.${column.computed === undefined ? 'columns' : 'computed'}.${name}`
    const wrong =
      badFieldName(name) ??
      badColumnName(name) ??
      noLists(dialect, column) ??
      dialect?.refuses?.(column)
    if (wrong !== undefined) problems.add(place, wrong)
    checkJsonPaths(column, dialect, place, problems)
  }
  for (const name of Object.keys(model.aggregates)) {
    const place = `${at}.aggregates.${name}`
    const taken = Object.hasOwn(model.relations, name)
      ? 'a relation has this name.'
      : allColumns.has(name)
        ? 'a column has this name.'
        : undefined
    const wrong = badFieldName(name) ?? badColumnName(name) ?? taken
    if (wrong !== undefined) problems.add(place, wrong)
  }
  for (const name of Object.keys(model.relations)) {
    const place = `${at}.relations.${name}`
    const wrong = badFieldName(name) ?? badRelationName(name)
    if (wrong !== undefined) problems.add(place, wrong)
    if (allColumns.has(name)) problems.add(place, 'a column has this name.')
  }
}

/** Returns the problem of a list column on a database that has none. */
function noLists(dialect: StartDialect | undefined, { type }: NamedColumn): string | undefined {
  if (type !== 'list' || dialect === undefined || dialect.listMatch !== undefined) return undefined
  return (
    `${dialect.name ?? 'this database'} has no columns of lists. Declare type: 'json', which holds any list, or a model ` +
    'of the items with a relation.'
  )
}

/** Reports rights that have no effect, or that clients could bypass by another query parameter. */
function checkRights({ allColumns, settings }: Resource, at: string, problems: Problems): void {
  for (const column of allColumns.values()) {
    const { name, hidden, definition, computed } = column
    const place = `${at}.${computed === undefined ? 'columns' : 'computed'}.${name}`
    const right = definition.read !== undefined ? 'read' : definition.write && 'write'
    // `checkColumn` reports `read` of a write-only column.
    if (right === undefined || isWriteOnly(column)) continue
    if (hidden) {
      const why = definition.hidden === true ? 'it is hidden' : 'its name looks like a credential'
      const fix = `leave ${right} out, or declare hidden: false`
      problems.add(`${place}.${right}`, `${why}, so that nobody can use it; ${fix}.`)
    }
    if (name === settings.softDelete?.attribute && definition.read !== undefined) {
      const why = 'include_deleted tells which records are deleted'
      problems.add(`${place}.read`, `${why}; declare hidden: true, or leave read out.`)
    }
  }
}

/** Reports unique sets that name other than stored columns, or a column twice. */
function checkUniqueSets({ unique, columns }: AnyModel, at: string, problems: Problems): void {
  for (const [i, set] of (unique ?? []).entries()) {
    const place = `${at}.unique[${i}]`
    for (const name of set) {
      if (Object.hasOwn(columns, name)) continue
      problems.add(place, `no column named "${name}".${didYouMean(name, Object.keys(columns))}`)
    }
    if (set.length === 0 || new Set(set).size < set.length) {
      problems.add(place, 'expected different columns, such as ["shelf", "place"].')
    }
  }
}
