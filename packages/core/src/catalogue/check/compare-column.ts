// Compares a declared column with the database's column: type, digits, length, enum members, nullability.

import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { CatalogueColumn, ColumnShape } from '../shared/catalogue.ts'
import type { DatabaseSchema } from './database-schema.ts'
import type { Difference } from './difference.ts'

interface ComparedTable {
  readonly schema: DatabaseSchema
  /** The nullability of columns is unknown in a view, and not compared. */
  readonly isView: boolean
}

/** Compares `column`, which the model declares, with `found`, the column of the database. `place` goes into each difference. */
export function* compareColumn(
  place: { readonly model: string; readonly table: string },
  column: NamedColumn,
  found: CatalogueColumn,
  { schema, isView }: ComparedTable,
): Generator<Difference> {
  const at = { ...place, column, found: found.databaseType }
  // What introspection would declare for the column.
  const { shape } = found
  if (!schema.holds(column, found)) {
    yield { kind: 'type', ...at, fitting: shape && declaration(shape), note: found.note }
  } else if (shape !== undefined) {
    if (digitsDiffer(column, shape)) yield { kind: 'precision', ...at, digits: shape }
    if (shape.type === 'bigint' && shape.unsigned === true && column.unsigned !== true) {
      yield { kind: 'unsigned', ...at }
    }
    const { needed, because } = neededLength(column)
    if (shape.maxLength !== undefined && needed > shape.maxLength) {
      yield { kind: 'length', ...at, needed, because, length: shape.maxLength }
    }
    // The members of the column's enum type, or those that a CHECK constraint allows.
    const members = shape.enum ?? found.checks?.members
    if (column.enum !== undefined && members !== undefined) {
      const refused = column.enum.filter((member) => !members.includes(member))
      const undeclared = members.filter((member) => !column.enum?.includes(member))
      if (refused.length + undeclared.length > 0) {
        yield { kind: 'enum members', ...at, members, refused, undeclared }
      }
    }
  }
  if (!isView && column.nullable !== found.nullable) yield { kind: 'nullability', ...at }
}

/** Whether the digits of two decimals differ. A model without `precision` and `scale` fits only a column without limits, such as `numeric`. */
function digitsDiffer({ type, definition }: NamedColumn, shape: ColumnShape): boolean {
  if (columnTypes[type].number !== 'exact' || columnTypes[shape.type].number !== 'exact')
    return false
  const { precision, scale } = definition
  if (precision === undefined && scale === undefined) return shape.precision !== undefined
  return scale !== shape.scale || (precision !== undefined && precision !== shape.precision)
}

/** Returns how many characters the declared values may have, and the declaration that says so. */
function neededLength({ type, definition }: NamedColumn): { needed: number; because: string } {
  if (type === 'uuid') return { needed: 36, because: 'type: uuid' }
  if (type === 'enum') {
    const longest = [...(definition.enum ?? [])].sort((a, b) => b.length - a.length)[0] ?? ''
    return { needed: [...longest].length, because: `the member '${longest}'` }
  }
  // `transform` makes values of another length, of which the model says nothing.
  const { maxLength = 0 } = definition.transform === undefined ? definition : {}
  return { needed: maxLength, because: `maxLength: ${maxLength}` }
}

/** Writes the options that a model would declare, for the remedy: `type: 'decimal', precision: 10, scale: 2` */
function declaration({
  type,
  unsigned,
  maxLength,
  precision,
  scale,
  enum: members,
  readOnly,
}: ColumnShape): string {
  return [
    `type: '${type}'`,
    ...(unsigned === true ? ['unsigned: true'] : []),
    ...(maxLength === undefined ? [] : [`maxLength: ${maxLength}`]),
    ...(precision === undefined ? [] : [`precision: ${precision}`]),
    ...(scale === undefined ? [] : [`scale: ${scale}`]),
    ...(members === undefined ? [] : [`enum: ${JSON.stringify(members)}`]),
    ...(readOnly === true ? ['readOnly: true'] : []),
  ].join(', ')
}
