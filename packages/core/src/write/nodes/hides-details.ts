// Whether the JSON of a stored value may lack details of it, such as microseconds.

import type { ColumnType } from '../../model/column.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'

/** The types whose JSON shows every detail of the stored value. Not `datetime`: JSON has milliseconds, the database may have microseconds. */
const shownInFull: ReadonlySet<ColumnType> = new Set([
  'integer',
  'bigint',
  'string',
  'text',
  'enum',
  'date',
])

/**
 * Whether a stored value may have details that its JSON does not show. A value of a body that equals the JSON of the stored one must then
 * not be written, because the UPDATE would remove the details.
 */
export const hidesDetails = ({ type, otherForms }: NamedColumn): boolean =>
  otherForms === true || !shownInFull.has(type)
