// comparedWith: a column as the keys of another table are compared with it, where its own collation does not decide. Dialects that
// then compare by code point return byCodePointOnly.

import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { InternalDialect } from '../../internal-dialect.ts'

/** The column, compared by code point. `inPlaceOf` keeps what the dialect knows of the original column. */
export function byCodePointOnly<C extends DialectColumn>(column: C): C {
  if (column.collation === undefined) return column
  const { collation: _, ...rest } = column
  return { ...rest, inPlaceOf: column.inPlaceOf ?? column } as unknown as C
}

/** The column as the dialect compares it with values of `other`. */
export const comparedWith = <C extends DialectColumn>(
  dialect: InternalDialect,
  column: C,
  other: DialectColumn,
): C => dialect.comparedWith?.(column, other) ?? column
