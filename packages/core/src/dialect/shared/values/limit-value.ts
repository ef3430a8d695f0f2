// limitValue: the number of rows after LIMIT, a bound value, in the expression that costs the database least: `limit cast(? as integer)`
// on SQLite, which would plan a prepared statement anew for each value of `?`.

import type { Expression } from 'kysely'
import { sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { InternalDialect } from '../../internal-dialect.ts'

export const limitValue = (
  { shortcuts }: InternalDialect,
  count: number | Param<number>,
): Expression<unknown> => shortcuts?.limitValue?.(count) ?? sql`${count}`
