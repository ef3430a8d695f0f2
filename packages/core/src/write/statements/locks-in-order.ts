// compileLockInOrder: locks records in the order of their keys, so that two transactions that lock the same ones do not wait for each
// other. Used for the records that the foreign key of an `exclude` rule refers to, and for `args.lock`, by which functions of the host lock
// records. Callers sort the keys by inKeyOrder, and then divide them among statements.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { constant } from '../../lib/sql/param.ts'
import { type TableName, tableOf } from '../../lib/sql/table-name.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { orderBy } from '../../query/compile/rows/clauses.ts'
import { keysCondition } from '../../query/compile/rows/keys-condition.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import { lockClause } from './statements.ts'

/**
 * The keys in their order, each once. ORDER BY sorts only the keys of one statement, so long lists of keys are sorted before they are
 * divided among several.
 */
export function inKeyOrder(keys: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  const each = new Map(keys.map((key) => [keyText(key), key]))
  return [...each.values()].sort(byValue)
}

function byValue(keyA: readonly Value[], keyB: readonly Value[]): number {
  const at = keyA.findIndex((value, i) => value !== keyB[i])
  return at === -1 ? 0 : (keyA[at] as Value) < (keyB[at] as Value) ? -1 : 1
}

/**
 * Locks the records until the transaction ends. Others may still store references to them, where the database has such a lock. A database
 * without locks of rows runs one write transaction at a time: there, an UPDATE of no row makes the transaction one that writes.
 *
 * `select 1 from invoices where id in (1, 2) order by id for no key update`
 */
export function compileLockInOrder(
  target: Target,
  table: TableName,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
): Fragment {
  const [first] = columns
  if (!target.dialect.capabilities.locksRows && first !== undefined) {
    const name = sql.id(first.dbName)
    return sql`update ${tableOf(table)} set ${name} = ${name} where 1 = 0`
  }
  const refs = columns.map((column) => ({ column, ref: sql.id(column.dbName) }))
  const order = keys.length > 1 ? orderBy(refs.map(({ ref }) => ref)) : sql``
  return sql`select 1 from ${tableOf(table)} where ${keysCondition(target, refs, constant(keys))}${order}${lockClause(target, table, 'otherThanKeys')}`
}
