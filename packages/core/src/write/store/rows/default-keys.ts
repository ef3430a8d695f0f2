// withDefaultKeys: asks the database for the keys of many new records before they are inserted, if a default such as `uuid()` makes them.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Value } from '../../../query/plan/plan.ts'
import { keyText } from '../../../query/run/key.ts'
import { compileDefaults, defaultName } from '../../statements/default-values.ts'
import { runWrite } from '../run-write.ts'
import { isCounter } from '../save.ts'
import type { WriteContext } from '../write-context.ts'
import type { InsertGroup } from './group-for-insert.ts'
import { NewRow } from './rows.ts'

/**
 * The group with values for the key columns that have such a default. RETURNING lists rows in any order, so that it does not tell
 * which of these keys belongs to which record. Returns the group itself if the database cannot be asked, or if the values are no keys of
 * these records: a function that counts the rows of the table gives another value after each INSERT.
 */
export async function withDefaultKeys(
  context: WriteContext,
  resource: Resource,
  group: InsertGroup,
): Promise<InsertGroup> {
  if (group.rows.length < 2) return group
  const askedColumns = group.generated.filter((column) => !isCounter(column))
  const statement = compileDefaults(context.target, askedColumns, group.rows.length)
  if (statement === undefined) return group
  // A function that makes keys may write too, and fail like an INSERT.
  const path = group.rows[0]?.path ?? ''
  const step = { step: 'insert', resource, path, values: {}, key: null } as const
  const { rows: made } = await runWrite(context, statement, step)
  const rows = group.rows.map(({ values, path, filled }, row) => {
    const keys: Record<string, JsonValue> = {}
    for (const [i, { name }] of askedColumns.entries()) {
      const key = made[row]?.[defaultName(i)] ?? null
      keys[name] = key === null ? null : String(key)
    }
    return new NewRow({ ...values, ...keys }, path, filled)
  })
  if (!areKeys(resource, rows)) return group
  const columnsWithValues = new Set([...group.columns, ...askedColumns])
  return {
    generated: group.generated.filter(isCounter),
    columns: [...resource.allColumns.values()].filter((column) => columnsWithValues.has(column)),
    rows,
  }
}

/** Whether no record lacks a part of its key that is no counter, and no two records have the same values in these parts. */
function areKeys({ primaryKey }: Resource, rows: readonly NewRow[]): boolean {
  const parts = primaryKey.filter((column) => !isCounter(column))
  const keys = new Set<string>()
  for (const { values } of rows) {
    const key = parts.map(({ name }) => values[name] ?? null)
    if (key.includes(null)) return false
    keys.add(keyText(key as readonly Value[]))
  }
  // With a counter in the key, the other parts may be the same.
  return keys.size === rows.length || parts.length < primaryKey.length
}
