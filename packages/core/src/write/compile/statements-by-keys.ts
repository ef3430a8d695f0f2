// Statements on several rows by their keys: reading, inserting and deleting the rows of junction tables, and updating or locking related records.

import type { SqlBool } from 'kysely'
import type { Reader } from '../../compile/selection.ts'
import { tableOf } from '../../compile/source.ts'
import type { Target } from '../../compile/target.ts'
import { chain } from '../../dialect/shared/sql-parts.ts'
import type { Value } from '../../plan/plan.ts'
import type { Resource } from '../../registry/resource.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import type { Values } from '../plan/node.ts'
import { type Match, matchCondition, updateSet } from './statements.ts'

/** A column that stores a part of a key; `column` determines how its values are compared. */
export type KeyPart = Omit<Match, 'value'>

/** Reads the partner keys (`ends`) of the matching rows of a junction table. */
export function compileLinks(
  target: Target,
  table: string,
  matches: readonly Match[],
  ends: readonly KeyPart[],
): { readonly statement: Fragment; readonly readers: readonly Reader[] } {
  const { dialect } = target
  const selected = ends.map(({ dbName, column }, i) =>
    sql`${dialect.select(column, sql.id(dbName))}`.as(`end_${i}`),
  )
  return {
    statement: sql`select ${sql.join(selected)} from ${tableOf(target, table)} where ${matchCondition(target, matches)}`,
    readers: ends.map(({ column }, i) => ({
      key: `end_${i}`,
      alias: `end_${i}`,
      visible: true,
      decode: dialect.decoder(column),
    })),
  }
}

/** Inserts rows into a junction table: one for each partner key, all with the same key of the record. */
export function compileNewLinks(
  target: Target,
  table: string,
  matches: readonly Match[],
  ends: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment {
  const names = [...matches, ...ends].map(({ dbName }) => sql.id(dbName))
  const own = matches.map(({ column, value }) => target.dialect.encode(column, value))
  const rows = keys.map((key) => {
    const other = ends.map(({ column }, i) => target.dialect.encode(column, key[i] as Value))
    return sql`(${sql.join([...own, ...other])})`
  })
  return sql`insert into ${tableOf(target, table)} (${sql.join(names)}) values ${sql.join(rows)}`
}

/** Deletes the rows that match and have one of the keys. */
export const compileDeleteByKeys = (
  target: Target,
  table: string,
  matches: readonly Match[],
  parts: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment =>
  sql`delete from ${tableOf(target, table)} where ${matchAndKeys(target, matches, parts, keys)}`

/** Sets the same values in the records that have one of the keys. */
export const compileUpdateByKeys = (
  target: Target,
  resource: Resource,
  values: Values,
  parts: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment =>
  sql`${updateSet(target, resource, values)} where ${matchAndKeys(target, [], parts, keys)}`

/** Locks the rows that match and have one of the keys until the transaction ends. */
export const compileLockByKeys = (
  target: Target,
  table: string,
  matches: readonly Match[],
  parts: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment =>
  sql`select 1 from ${tableOf(target, table)} where ${matchAndKeys(target, matches, parts, keys)} for update`

/** The condition that a row matches and has one of the keys. */
function matchAndKeys(
  target: Target,
  matches: readonly Match[],
  parts: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment<SqlBool> {
  const inKeys = oneOfKeys(target, parts, keys)
  return matches.length === 0
    ? inKeys
    : sql<SqlBool>`${matchCondition(target, matches)} and ${inKeys}`
}

/** `id in (1, 2)`, or `((a = 1 and b = 2) or (a = 1 and b = 3))` for a key of several columns. */
function oneOfKeys(
  target: Target,
  parts: readonly KeyPart[],
  keys: readonly (readonly Value[])[],
): Fragment<SqlBool> {
  const [only, ...others] = parts
  if (only !== undefined && others.length === 0) {
    const values = keys.map(([value]) => value as Value)
    return sql<SqlBool>`${target.dialect.oneOf(only.column, sql.id(only.dbName), values, false)}`
  }
  const each = keys.map((key) => {
    const matches = parts.map((part, i) => ({ ...part, value: key[i] as Value }))
    return sql`(${matchCondition(target, matches)})`
  })
  return sql<SqlBool>`(${chain(each, 'or')})`
}
