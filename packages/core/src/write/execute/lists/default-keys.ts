// withDefaultKeys: asks the database for the keys of many new records before it inserts them, if a default such as `uuid()` makes them.

import { run } from '../../../execute/run.ts'
import type { JsonValue } from '../../../json/json-value.ts'
import type { Resource } from '../../../registry/resource.ts'
import { compileDefaults, defaultName } from '../../compile/default-values.ts'
import type { WriteContext } from '../context.ts'
import { isCounter } from '../save.ts'
import type { InsertGroup } from './group-for-insert.ts'
import { NewRow } from './pending-writes.ts'

/**
 * The group with values for the key columns that have such a default. RETURNING lists rows in any order, so that it does not tell
 * which of these keys belongs to which record. Returns the group itself if the database cannot be asked.
 */
export async function withDefaultKeys(
  { connection, target }: WriteContext,
  { allColumns }: Resource,
  group: InsertGroup,
): Promise<InsertGroup> {
  if (group.rows.length < 2) return group
  const asked = group.generated.filter((column) => !isCounter(column))
  const statement = compileDefaults(target, asked, group.rows.length)
  if (statement === undefined) return group
  const made = await run(connection, statement)
  const rows = group.rows.map(({ values, path, filled }, row) => {
    const keys: Record<string, JsonValue> = {}
    for (const [i, { name }] of asked.entries()) keys[name] = String(made[row]?.[defaultName(i)])
    return new NewRow({ ...values, ...keys }, path, filled)
  })
  const given = new Set([...group.columns, ...asked])
  return {
    generated: group.generated.filter(isCounter),
    columns: [...allColumns.values()].filter((column) => given.has(column)),
    rows,
  }
}
