// Whether the JSON of a stored value may lack details of it, such as microseconds.

import type { ColumnType } from '../../model/column.ts'
import type { NamedColumn } from '../../registry/resource.ts'

/** The types whose JSON shows every detail of the stored value. */
const exact: ReadonlySet<ColumnType> = new Set([
  'integer',
  'bigint',
  'string',
  'text',
  'enum',
  'date',
])

/** If the JSON may lack details, a value that equals the stored one must not be written. */
export const hidesDetails = ({ type, otherForms }: NamedColumn): boolean =>
  otherForms === true || !exact.has(type)
