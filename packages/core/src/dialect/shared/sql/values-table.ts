// valuesTable: tables of bound values by VALUES, for UPDATE … FROM in SQLite. Other databases build them of arrays or JSON.

import { sql } from '../../../lib/sql/fragment.ts'
import type { ValuesTable } from '../../internal-dialect.ts'

/** The alias of the table in the statement. */
const valuesName = 'model_api_values'

/** `(values (1, 'a'), (2, 'b')) as "model_api_values"`, with the column names that the database assigns: `column1`, `column2`. */
export const valuesTable = (columns: readonly (readonly unknown[])[]): ValuesTable => ({
  table: sql`(values ${sql.tuples(columns)}) as ${sql.id(valuesName)}`,
  refs: columns.map((_, i) => sql.id(valuesName, `column${i + 1}`)),
  joinedBy: 'from',
})
