// Decides whether a database column can hold the values of a declared type, by the type that introspection would declare for it.

import type { ColumnType } from '../../model/column.ts'
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

/** Types without fractions, which hold a decimal of scale 0. */
const whole: readonly ColumnType[] = ['integer', 'bigint']

export const holdsBy =
  (types: FittingTypes) =>
  (declared: DialectColumn, { shape }: CatalogueColumn): boolean => {
    // Every value can be converted to text.
    if (declared.type === 'opaque') return true
    if (shape === undefined) return false
    if (declared.type === 'list') {
      const { items } = declared
      const stored = shape.type === 'list' ? shape.items : undefined
      return items !== undefined && stored !== undefined && types[items].includes(stored)
    }
    if (types[declared.type].includes(shape.type)) return true
    if (declared.type === 'decimal') return declared.scale === 0 && whole.includes(shape.type)
    return whole.includes(declared.type) && shape.type === 'decimal' && shape.scale === 0
  }
