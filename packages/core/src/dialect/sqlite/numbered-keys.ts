// numberedKeys: keys of rows as a table, which SQLite reads from one JSON document, for `numberedKeys` of the dialect.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect, NumberedKeys } from '../internal-dialect.ts'
import { isText, natural } from '../shared/sql/sql-parts.ts'
import { keysJson } from './comparisons.ts'
import { sqliteTypes } from './stored/sqlite-types.ts'

const name = 'model_api_keys'

const isCollated = (column: DialectColumn): boolean =>
  isText(column) && column.collation === 'database'

/** `json_each(?) as model_api_keys`: the collation of a key's column is not needed, since the column on the left decides. */
export const numberedKeys: NonNullable<InternalDialect['numberedKeys']> = (pairs) => {
  const mayDiffer = pairs.some(
    ({ column, otherColumn }) => isCollated(column) && isCollated(otherColumn),
  )
  if (
    !mayDiffer ||
    !pairs.every(({ otherColumn }) => sqliteTypes[otherColumn.type].isStoredAsJson)
  ) {
    return undefined
  }
  const part = (i: number): Fragment =>
    sql`json_extract(${sql.id(name, 'value')}, '$[${natural(i)}]')`
  return (keys: Param<readonly (readonly PlanValue[])[]>): NumberedKeys => ({
    table: sql`json_each(${keys.map(keysJson)}) as ${sql.id(name)}`,
    number: sql`(${sql.id(name, 'key')} + 1)`,
    refs: pairs.map((_, i) => part(i)),
  })
}
