// newKeyInView: finds the generated key of a record that was inserted into a view. A trigger of the view (INSTEAD OF INSERT) stores the
// record, so neither RETURNING nor the driver's insert id gives the key.

import type { KeysOfView } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Runs the INSERT; returns the key beyond all earlier ones that the view shows after it: it reads the largest key before and after. No
 * other connection can have written it, because the transaction holds the lock of the whole database. Undefined if there is no such key, or
 * more than one.
 */
export async function newKeyInView(
  { lease }: WriteContext,
  { largest, countBeyond }: KeysOfView,
  { type }: NamedColumn,
  insert: () => Promise<unknown>,
): Promise<JsonValue | undefined> {
  const [key, count] = [sql.id('key'), sql.id('count')]
  const [before] = await lease.rows(sql`select ${largest} as ${key}`)
  await insert()
  const known = before?.key ?? null
  const beyond = countBeyond(known === null ? null : String(known))
  const [after] = await lease.rows(sql`select ${largest} as ${key}, ${beyond} as ${count}`)
  if (Number(after?.count) !== 1) return undefined
  return columnTypes[type].json === 'number' ? Number(after?.key) : String(after?.key)
}
