// The definitions of all column types, by name: how values of a type are read, compared and described (`type-definition.ts`). All rooms look up
// what they need here: `columnTypes[column.type].json`. Also tests of names of types, and whether a value fits a column.

import type { Column, ColumnType, ItemType } from './column.ts'
import type { TypeDefinition } from './type-definition.ts'
import { binaryType } from './types/binary-type.ts'
import { booleanType } from './types/boolean-type.ts'
import { dateType } from './types/date-type.ts'
import { datetimeType } from './types/datetime-type.ts'
import { enumType } from './types/enum-type.ts'
import { jsonType } from './types/json-type.ts'
import { listType } from './types/list-type.ts'
import { bigintType } from './types/numbers/bigint-type.ts'
import { decimalType } from './types/numbers/decimal-type.ts'
import { floatType } from './types/numbers/float-type.ts'
import { integerType } from './types/numbers/integer-type.ts'
import { opaqueType } from './types/opaque-type.ts'
import { textType } from './types/text-type.ts'
import { timeType } from './types/time-type.ts'
import { uuidType } from './types/uuid-type.ts'

/** The types that the items of lists can have. */
export const itemTypes: Readonly<Record<ItemType, TypeDefinition>> = {
  integer: integerType,
  bigint: bigintType,
  float: floatType,
  decimal: decimalType,
  boolean: booleanType,
  string: textType,
  text: textType,
  date: dateType,
  datetime: datetimeType,
  time: timeType,
  uuid: uuidType,
  enum: enumType,
}

/** The definition of each column type. */
export const columnTypes: Readonly<Record<ColumnType, TypeDefinition>> = {
  ...itemTypes,
  json: jsonType,
  binary: binaryType,
  list: listType(itemTypes),
  opaque: opaqueType,
}

/** Whether a type exists; models that are not written in TypeScript may declare another. */
export const isColumnType = (name: string): name is ColumnType => Object.hasOwn(columnTypes, name)

export const isItemType = (name: string): name is ItemType => Object.hasOwn(itemTypes, name)

/** The names of the types that meet a condition, for messages: `string, text, enum`. */
export const namesOfTypes = (test: (definition: TypeDefinition) => boolean): string =>
  Object.entries(columnTypes)
    .flatMap(([name, definition]) => (test(definition) ? [name] : []))
    .join(', ')

/**
 * Whether a column could hold a value of a declaration, NULL aside.
 *
 * ```ts
 * fits({ type: 'enum', enum: ['draft', 'done'] }, 'done') // true
 * fits({ type: 'boolean' }, 1) // false
 * ```
 */
export const fits = (column: Pick<Column, 'type' | 'items' | 'enum'>, value: unknown): boolean =>
  columnTypes[column.type].fits(value, column)
