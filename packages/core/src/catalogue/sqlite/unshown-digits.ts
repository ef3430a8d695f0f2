// SQL tests for dates, datetimes and times whose texts have more digits than responses show. Introspection declares no key or relation on a
// column with such values, because one URL would name several records.

import { sqliteTypes } from '../../dialect/sqlite/stored/sqlite-types.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { ColumnShape } from '../shared/catalogue.ts'

/**
 * Returns a test of a value: whether it has digits beyond the day of a date, the millisecond of a datetime or the second of a time, such as
 * `2024-05-01 10:00:00.1234`. Zeros, `T`, `Z` and blanks do not count. Undefined for other types.
 */
export function holdsUnshownDigits(
  type: ColumnShape['type'],
  text: Fragment,
): Fragment | undefined {
  const fraction = sql`rtrim(substr(${text}, instr(${text}, '.')), '0Zz ')`
  switch (sqliteTypes[type].calendar) {
    case 'date':
      return sql`rtrim(substr(${text}, 11), ' T0:.Zz') <> ''`
    case 'datetime':
      return sql`${text} glob '*.[0-9][0-9][0-9][0-9]*' and length(${fraction}) > 4`
    case 'time':
      return sql`${text} glob '*.[0-9]*' and length(${fraction}) > 1`
    case false:
      return undefined
  }
}

/** Whether values of the type are dates, datetimes or times, for which there is such a test. */
export const mayLoseDigits = (type: ColumnShape['type']): boolean =>
  sqliteTypes[type].calendar !== false
