// Named columns: a model's columns and computed columns as the rest of the service knows them, with both names (field and database) resolved and
// default options filled in. Made when the registry is built.

import type { Column, ColumnType } from '../column.ts'
import { isColumnType } from '../column-types.ts'
import type { AnyModel, ComputedColumn } from '../define-model.ts'
import type { DialectColumn } from '../dialect-column.ts'
import type { SpecialValues } from '../type-definition.ts'
import { withPaths } from './json-paths.ts'
import type { NamedColumn } from './resource.ts'

/** Total digits of a decimal with a scale but no precision; without both it is unlimited. */
const defaultPrecision = 15

/** Asks the dialect which columns may contain values that do not have the usual form of their type. */
export interface UnusualValues {
  /** Values of the type in another form, such as PostgreSQL's `infinity`. */
  readonly special: (column: DialectColumn) => SpecialValues | undefined
  /** Whether there may be values that are not of the type at all. */
  readonly others: (column: DialectColumn) => boolean
}

/** Makes the named column of a declared one. `secret`: its name looks like a credential of a user, so that it is hidden by default. */
function namedColumn(
  name: string,
  column: Column,
  unusual: UnusualValues,
  secret = false,
): NamedColumn {
  const named = withNames(name, column, secret)
  // A list column has the special values of its items.
  const special = unusual.special({ ...named, type: named.items ?? named.type })
  return withPaths({
    ...named,
    ...(special === undefined ? {} : { special }),
    ...(unusual.others(named) ? { otherForms: true } : {}),
  })
}

/** Resolves both names, and the options that columns have by default. */
function withNames(name: string, column: Column, secret: boolean): NamedColumn {
  const { scale } = column
  const precision = column.precision ?? (scale === undefined ? undefined : defaultPrecision)
  return {
    name,
    dbName: column.column ?? name,
    type: typeOf(column.type),
    nullable: column.nullable === true,
    // A credential column is hidden unless the model declares `hidden: false`.
    hidden: column.writeOnly === true || (column.hidden ?? secret),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(column.items === undefined ? {} : { items: typeOf(column.items) }),
    ...(column.enum === undefined ? {} : { enum: column.enum }),
    ...(column.collation === undefined ? {} : { collation: column.collation }),
    ...(column.storage === undefined ? {} : { storage: column.storage }),
    ...(column.unsigned === true ? { unsigned: true } : {}),
    definition: withLowest(column),
  }
}

/** The type of a column or an item. `checkColumn` reports one that does not exist; the other checks take it for text. */
const typeOf = <T extends ColumnType>(type: T): T | 'text' => (isColumnType(type) ? type : 'text')

/** Gives an unsigned column that declares no lower limit the limit 0. */
const withLowest = (column: Column): Column =>
  column.unsigned !== true || column.minimum !== undefined || column.exclusiveMinimum !== undefined
    ? column
    : { ...column, minimum: 0 }

/** Returns the columns of a model by field name, in model order, computed ones last. `secrets` names the columns with credentials. */
export function namedColumns(
  model: Pick<AnyModel, 'columns' | 'computed'>,
  secrets: ReadonlySet<string>,
  unusual: UnusualValues,
): Map<string, NamedColumn> {
  const columns = new Map<string, NamedColumn>()
  for (const [name, column] of Object.entries(model.columns)) {
    columns.set(name, namedColumn(name, column, unusual, secrets.has(name)))
  }
  for (const [name, computed] of Object.entries(model.computed)) {
    // If a stored and a computed column share a name, the stored one is used; `checkModel` reports the other.
    if (columns.has(name)) continue
    const { expression, ...shape } = computed as ComputedColumn
    columns.set(name, {
      ...namedColumn(name, { ...shape, readOnly: true }, unusual),
      computed: expression,
    })
  }
  return columns
}
