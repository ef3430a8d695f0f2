// The number of rows after LIMIT and OFFSET: a bound value, in the form that costs the database least.

import type { Expression } from 'kysely'
import { sql } from '../../sql/fragment.ts'
import type { InternalDialect } from '../internal-dialect.ts'

export const limitValue = ({ shortcuts }: InternalDialect, count: number): Expression<unknown> =>
  shortcuts?.limitValue?.(count) ?? sql`${count}`
