// postgresJson: builds the JSON of embedded records in PostgreSQL (`jsonText` of the shortcuts), for columns whose JSON is known to have
// the bytes that the service would write.

import { sql } from '../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { JsonText } from '../shared/json/json-text.ts'
import type { PostgresFacts } from './postgres-column-facts.ts'
import { postgresTypes } from './types/postgres-types.ts'

/** Builds the JSON of columns whose declared types are known to give the service's bytes. */
export const postgresJson = (facts: PostgresFacts): JsonText => ({
  value: (column, ref) => postgresTypes[column.type].json(ref, column, facts.declared(column)),
  keyPart: (column, ref) =>
    postgresTypes[column.type].isPlainInPath || isWhole(facts, column)
      ? sql`${ref}::text`
      : undefined,
  object: (rows) => sql`(select row_to_json(r)::text from (${rows}) as r)`,
  list(rows, most) {
    const all = sql`'[' || coalesce(string_agg(row_to_json(r)::text, ','), '') || ']'`
    const text =
      most === undefined ? all : sql`case when count(*) > ${most} then ${marked} else ${all} end`
    return sql`(select ${text} from (${rows}) as r)`
  },
  nested: (text) => sql`${text}::json`,
  text: (value) => sql`${value}::text`,
  joined: (parts) => sql.join(parts, sql` || `),
})

/** Takes the place of a list that is too long: the JSON of the mark that `hasNoMark` finds. */
const marked = sql`'"\\u0001?"'`

const isWhole = (facts: PostgresFacts, column: DialectColumn): boolean =>
  ['int2', 'int4', 'int8'].includes(facts.declared(column)?.name ?? '')
