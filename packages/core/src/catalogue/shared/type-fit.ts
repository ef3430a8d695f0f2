// Decides whether a database column can hold the values of a declared type, by the type that introspection would declare for it. The check at
// start-up reports a column that cannot.

import type { ColumnType } from '../../model/column.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { CatalogueColumn } from './catalogue.ts'

/** For each declared type, the types that introspection may declare for a database column that holds its values. */
export type FittingTypes = Readonly<Record<ColumnType, readonly ColumnType[]>>

/** The fitting types that databases with strict types have in common. */
export const strictTypes: FittingTypes = {
  integer: ['integer', 'bigint'],
  bigint: ['bigint', 'integer'],
  float: ['float', 'decimal'],
  decimal: ['decimal'],
  boolean: ['boolean'],
  string: ['string', 'text'],
  text: ['text', 'string'],
  date: ['date'],
  datetime: ['datetime'],
  time: ['time'],
  uuid: ['uuid', 'string', 'text'],
  json: ['json', 'text', 'string'],
  binary: ['binary'],
  enum: ['enum', 'string', 'text'],
  list: [],
  opaque: [],
}

/** Returns `SchemaRules.holds` for these types. */
export const holdsBy =
  (types: FittingTypes) =>
  (declared: DialectColumn, { shape }: CatalogueColumn): boolean => {
    // A type that is only read shows its values as text, to which every value can be converted.
    if (columnTypes[declared.type].isOnlyRead) return true
    if (shape === undefined) return false
    if (columnTypes[declared.type].json === 'array') {
      const { items } = declared
      const stored = shape.items
      return items !== undefined && stored !== undefined && types[items].includes(stored)
    }
    if (types[declared.type].includes(shape.type)) return true
    const [wanted, found] = [columnTypes[declared.type].number, columnTypes[shape.type].number]
    // A decimal of scale 0 has no fractions, either.
    if (wanted === 'exact') return declared.scale === 0 && found === 'whole'
    return wanted === 'whole' && found === 'exact' && shape.scale === 0
  }
