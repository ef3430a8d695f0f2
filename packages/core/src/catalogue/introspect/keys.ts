// chooseKey: which columns identify the rows of a table, so that `/books/{key}` can name a record: the declared primary key, a unique index,
// SQLite's row id, or the option `keys` of `introspect` (whose tables checkKeyTables checks). Without any, the model has no key and the API
// serves only its list.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { columnTypes } from '../../model/column-types.ts'
import { canBeKey } from '../../model/type-rules.ts'
import type { CatalogueColumn, CatalogueTable } from '../shared/catalogue.ts'
import { isCredential } from './credential-columns.ts'

/** Keys of tables and views whose key the database does not declare, by the name of the table or view. */
export type GivenKeys = Readonly<Record<string, readonly string[]>>

/** A table with its key, and a note about how it was chosen. */
export interface KeyedTable {
  readonly table: CatalogueTable
  /** How the key was found, if it is not declared as the primary key. */
  readonly note?: string
  /** Why there is no key; the table is then served as a list. */
  readonly listOnly?: string
}

/** Chooses the key: the given one, otherwise the primary key, otherwise a unique index on columns that are never NULL, otherwise the number of the row. */
export function chooseKey(
  table: CatalogueTable,
  givenKey: readonly string[] | undefined,
): KeyedTable {
  if (givenKey !== undefined) {
    checkGiven(table, givenKey)
    return {
      table: withKey(table, givenKey),
      note: `its key is (${givenKey.join(', ')}), as given`,
    }
  }
  const what = table.kind ?? 'table'
  const wrong = table.primaryKey.find((name) => misfit(table, name) !== undefined)
  if (table.primaryKey.length > 0 && wrong === undefined) {
    return table.kind === undefined
      ? { table }
      : { table, note: `a ${what}; its key is that of ${table.projection?.table}` }
  }
  const unique = uniqueKey(table)
  const says = `its key is (${unique?.join(', ')}), a unique index`
  if (unique !== undefined) {
    return {
      table: withKey(table, unique),
      note: table.kind === undefined ? says : `a ${what}; ${says}`,
    }
  }
  const why =
    wrong === undefined
      ? (table.whyNoKey ?? `a ${what} without a key`)
      : `its key column ${wrong} ${misfit(table, wrong)}`
  const [rowId] = table.rowIds ?? []
  return rowId === undefined
    ? { table: withKey(table, []), listOnly: why }
    : {
        table: withRowId(table, rowId),
        note: `${why}, so its key is ${rowId.name} and it is read-only`,
      }
}

/** Why a path cannot name the values of a column; undefined if it can. */
function misfit({ columns }: CatalogueTable, name: string): string | undefined {
  const { shape, databaseType, responsesLoseDigits } =
    columns.find((column) => column.name === name) ?? {}
  if (shape === undefined || !canBeKey(shape)) {
    return `is of type ${databaseType || 'unknown'}, which cannot stand in a path`
  }
  return responsesLoseDigits === true
    ? `holds more digits than responses show: ${databaseType}`
    : undefined
}

/** Chooses a unique index whose columns are never NULL and can be part of a URL: the first of those with the fewest columns. */
function uniqueKey(table: CatalogueTable): readonly string[] | undefined {
  const names = table.columns.map(({ name }) => name)
  const candidates = table.uniqueKeys.filter((key) => key.every((name) => identifies(table, name)))
  const first = (key: readonly string[]): number =>
    Math.min(...key.map((name) => names.indexOf(name)))
  return [...candidates].sort((a, b) => a.length - b.length || first(a) - first(b))[0]
}

/** Whether the column can be part of a key that was found, and not declared. */
function identifies(table: CatalogueTable, name: string): boolean {
  const column = table.columns.find((other) => other.name === name)
  const type = column?.shape?.type
  return (
    column?.nullable === false &&
    type !== undefined &&
    columnTypes[type].number !== 'approximate' &&
    misfit(table, name) === undefined &&
    !isCredential(table, column)
  )
}

/** Adds the row id of SQLite as a column, which is the key. */
const withRowId = (table: CatalogueTable, rowId: CatalogueColumn): CatalogueTable =>
  withKey({ ...table, columns: [rowId, ...table.columns] }, [rowId.name])

/** Sets the key, in the order of the table's columns, because a model's key has that order. Another primary key becomes a unique key. */
function withKey(table: CatalogueTable, key: readonly string[]): CatalogueTable {
  const isKey = (columns: readonly string[]): boolean =>
    columns.length === key.length && columns.every((name) => key.includes(name))
  const before = table.primaryKey.length > 0 && !isKey(table.primaryKey) ? [table.primaryKey] : []
  return {
    ...table,
    primaryKey: table.columns.map(({ name }) => name).filter((name) => key.includes(name)),
    uniqueKeys: [...before, ...table.uniqueKeys.filter((columns) => !isKey(columns))],
  }
}

/** Throws if the option `keys` names a wrong key for a table. */
function checkGiven(table: CatalogueTable, givenKey: readonly string[]): void {
  const at = `key of ${table.name}`
  if (table.primaryKey.length > 0 && table.kind === undefined) {
    throw new Error(`${at}: it has the primary key (${table.primaryKey.join(', ')}).`)
  }
  const names = table.columns.map(({ name }) => name)
  if (givenKey.length === 0)
    throw new Error(`${at}: expected columns, such as ${names[0] ?? 'id'}.`)
  for (const name of givenKey) {
    if (!names.includes(name)) {
      throw new Error(`${at}: there is no column "${name}".${didYouMean(name, names)}`)
    }
    const wrong = misfit(table, name)
    if (wrong !== undefined) throw new Error(`${at}: ${name} ${wrong}.`)
  }
}

/** Throws for a misspelt table, which would otherwise silently stay a list. */
export function checkKeyTables(tables: readonly CatalogueTable[], keys: GivenKeys): void {
  const known = tables.map(({ name }) => name)
  const unknown = Object.keys(keys).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new Error(`keys: there is no table "${unknown}".${didYouMean(unknown, known)}`)
}
