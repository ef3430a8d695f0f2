// The SQL of statements on several rows by their keys, `… where id in (1, 2)`: reading, inserting and deleting the rows of junction tables,
// and updating, deleting or locking records.

import type { Expression, SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { constant } from '../../lib/sql/param.ts'
import { type TableName, tableOf } from '../../lib/sql/table-name.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { readLock } from '../../query/compile/read-lock.ts'
import { orderBy, whereAll } from '../../query/compile/rows/clauses.ts'
import { keysCondition } from '../../query/compile/rows/keys-condition.ts'
import { selectList, type ValueReader } from '../../query/compile/selection.ts'
import { isNotDeleted } from '../../query/compile/source.ts'
import type { Target } from '../../query/compile/target.ts'
import type { RowPlan, Value } from '../../query/plan/plan.ts'
import { outputOfColumns } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import {
  type CompiledWrite,
  comparedColumn,
  insertedRows,
  type LockedFor,
  lockClause,
  type Match,
  matchCondition,
  updateSet,
} from './statements.ts'

/** A column that stores a part of a key; `column` determines how its values are compared. */
export type KeyPart = Omit<Match, 'value'>

/** The columns of a key, in the table of its records. */
export const keyParts = (columns: readonly NamedColumn[]): readonly KeyPart[] =>
  columns.map((column) => ({ dbName: column.dbName, column }))

/** The columns of a key with its values, for a WHERE. */
export const matchesOf = (parts: readonly KeyPart[], key: readonly Value[]): readonly Match[] =>
  parts.map((part, i) => ({ ...part, value: key[i] as Value }))

/** `select person_id as end_0, team_id as end_1 from members where person_id in (1, 2)`: the columns of both keys (`ends`) of links. */
export function compileLinks(
  target: Target,
  rows: RowsByKeys,
  ends: readonly KeyPart[],
): { readonly statement: Fragment; readonly readers: readonly ValueReader[] } {
  const { dialect } = target
  const selected = ends.map(({ dbName, column }, i) =>
    sql`${dialect.select(column, sql.id(dbName))}`.as(`end_${i}`),
  )
  return {
    statement: sql`select ${sql.join(selected)} from ${tableOf(rows.table)} where ${hasOneOf(target, rows)}${readLock(target, 'base')}`,
    readers: ends.map(({ column }, i) => ({
      key: `end_${i}`,
      alias: `end_${i}`,
      visible: true,
      decode: dialect.decoder(column),
    })),
  }
}

/** `insert into members (person_id, team_id) values (1, 2), (1, 3)`. A row has the values of `parts`, the columns of both keys. */
export function compileNewLinks(
  target: Target,
  table: TableName,
  parts: readonly KeyPart[],
  rows: readonly (readonly Value[])[],
): Fragment {
  const names = parts.map(({ dbName }) => sql.id(dbName))
  const columns = parts.map(({ column }, i) => ({
    column,
    values: rows.map((row) => target.dialect.encode(column, row[i] as Value)),
  }))
  return sql`insert into ${tableOf(table)} (${sql.join(names)}) ${insertedRows(target, columns)}`
}

/** The rows of a table that meet `matches` and have one of `keys` in the columns `parts`. */
export interface RowsByKeys {
  readonly table: TableName
  readonly matches: readonly Match[]
  readonly parts: readonly KeyPart[]
  readonly keys: readonly (readonly Value[])[]
}

/** The rows of links in a junction table: by the key `own` and the keys of the linked records; without `own`, by the keys of both ends. */
export const rowsOfLinks = (
  ownParts: readonly KeyPart[],
  linkedParts: readonly KeyPart[],
  { own, keys }: { readonly own: readonly Value[] | undefined; readonly keys: RowsByKeys['keys'] },
): Omit<RowsByKeys, 'table'> =>
  own === undefined
    ? { matches: [], parts: [...ownParts, ...linkedParts], keys }
    : { matches: matchesOf(ownParts, own), parts: linkedParts, keys }

/** The records with these keys. */
export const recordsByKeys = (
  resource: Resource,
  keys: readonly (readonly Value[])[],
): RowsByKeys => ({ table: resource, matches: [], parts: keyParts(resource.primaryKey), keys })

/**
 * Selects the stored keys of the records that `keys` name, each with the position of the key in `keys`, from 1, in the column `number`: a
 * collation may find a record whose key has another text. Undefined on databases where the texts of keys tell their records.
 */
export function compileNamedKeys(
  target: Target,
  resource: Resource,
  keys: readonly (readonly Value[])[],
): (CompiledWrite & { readonly number: string }) | undefined {
  const { dialect } = target
  const { primaryKey } = resource
  const numbered = dialect.numberedKeys?.(
    primaryKey.map((column) => ({ column, otherColumn: column })),
  )
  if (numbered === undefined) return undefined
  const { table, number, refs } = numbered(constant(keys))
  const { items, readers } = selectList(target, outputOfColumns(resource, primaryKey))
  const same = primaryKey.map((column, i) => {
    const ref = sql.id(resource.table, column.dbName)
    return dialect.sameKey(column, ref, column, refs[i] as Expression<unknown>)
  })
  const alias = 'number of key'
  return {
    statement: sql`select ${sql.join([...items, sql`${number}`.as(alias)])} from ${table} join ${tableOf(resource)} on ${sql.join(same, sql` and `)}${readLock(target, 'base')}`,
    readers,
    number: alias,
  }
}

/** `select 1 as found from t where author_id in (1, 2) limit 1`: returns one row if a row has one of the keys. */
export const compileProbeByKeys = (target: Target, rows: RowsByKeys): Fragment =>
  sql`select 1 as ${sql.id('found')} from ${tableOf(rows.table)} where ${hasOneOf(target, rows)} limit 1${readLock(target, 'base')}`

/** `delete from t where id in (1, 2)`. */
export const compileDeleteByKeys = (target: Target, rows: RowsByKeys): Fragment =>
  sql`delete from ${tableOf(rows.table)} where ${hasOneOf(target, rows)}`

/** `update t set a = 1 where id in (1, 2)`: sets the same values in the records that have one of the keys. */
export const compileUpdateByKeys = (
  target: Target,
  resource: Resource,
  values: Values,
  keys: readonly (readonly Value[])[],
): Fragment =>
  sql`${updateSet(target, resource, values)} where ${hasOneOf(target, recordsByKeys(resource, keys))}`

/** The condition that a record has one of these keys. */
export const compileKeysCondition = (
  target: Target,
  resource: Resource,
  keys: readonly (readonly Value[])[],
): Fragment<SqlBool> => hasOneOf(target, recordsByKeys(resource, keys))

/**
 * `select … from (select … from json_table(…)) as k straight_join t on t.id = k.key for update`: reads and locks the records of a
 * plan by a key of one integer column. The database looks up each key, so it locks no other records, unless the table has fewer rows
 * than the list has keys. It locks them in the order of the keys, so that two transactions do not wait for each other. Undefined if the
 * dialect has no such statement.
 */
export function compileLockedByKeys(
  target: Target,
  { from: { resource, includeDeleted }, output }: RowPlan,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
  lockedFor: LockedFor,
): CompiledWrite | undefined {
  const { dialect } = target
  const [column] = columns
  if (column === undefined || !areIntegers(columns) || columns.length > 1) return undefined
  const values = keys.map((key) => key[0] as Value).sort((a, b) => (a < b ? -1 : 1))
  const encoded = values.map((value) => dialect.encode(column, value))
  const made = dialect.shortcuts?.valuesTable?.([{ column, values: encoded }])
  if (made?.joinedBy !== 'join') return undefined
  const { items, readers } = selectList(target, output)
  const undeleted = includeDeleted ? undefined : isNotDeleted(target, resource)
  // A derived table, because MySQL refuses FOR UPDATE in a statement that reads a table function directly (error 3569).
  const keyTable = sql`(select ${made.refs[0]} as ${sql.id('key')} from ${made.table}) as ${sql.id('model_api_keys')}`
  const same = sql`${sql.id(resource.table, column.dbName)} = ${sql.id('model_api_keys', 'key')}`
  const rows = sql`select ${sql.join(items)} from ${keyTable} straight_join ${tableOf(resource)} on ${same}`
  const lock = lockClause(target, resource, lockedFor)
  return { statement: sql`${rows}${whereAll(undeleted ? [undeleted] : [])}${lock}`, readers }
}

/** Whether all columns are integers: for other types, the database may find values equal that the service does not. */
export const areIntegers = (columns: readonly NamedColumn[]): boolean =>
  columns.every(({ type }) => columnTypes[type].number === 'whole')

/**
 * `select 1 from t where id in (1, 2) for update`: locks the rows until the transaction ends. By keys of several columns, in the order of
 * the keys, so that two transactions do not wait for each other: a database may look up a list of such keys in any order.
 */
export function compileLockByKeys(
  target: Target,
  rows: RowsByKeys,
  lockedFor: LockedFor,
): Fragment {
  const order =
    rows.parts.length > 1 ? orderBy(rows.parts.map(({ dbName }) => sql.id(dbName))) : sql``
  return sql`select 1 from ${tableOf(rows.table)} where ${hasOneOf(target, rows)}${order}${lockClause(target, rows.table, lockedFor)}`
}

/** `id in (1, 2)`, or `person_id = 1 and team_id in (2, 3)` with `matches`. */
function hasOneOf(target: Target, { matches, parts, keys }: RowsByKeys): Fragment<SqlBool> {
  const columns = parts.map((part) => ({
    column: comparedColumn(target.dialect, part),
    ref: sql.id(part.dbName),
  }))
  const inKeys = keysCondition(target, columns, constant(keys))
  return matches.length === 0
    ? inKeys
    : sql<SqlBool>`${matchCondition(target, matches)} and ${inKeys}`
}
