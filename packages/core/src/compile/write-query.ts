// Writes → SQL: insert, update, delete, links, locks and probes; names come from the registry, every value is bound through the dialect.

import { type Compilable, type RawBuilder, sql } from 'kysely'
import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { Reader } from './selection.ts'
import { tableOf } from './source.ts'
import type { Target } from './target.ts'

export interface CompiledInsert {
  readonly statement: Compilable
  /** Readers of the columns that the statement gives back. */
  readonly readers: readonly Reader[]
}

/** A column of a table and the value it must have; the column says how values compare. */
export interface Match {
  readonly dbName: string
  readonly column: NamedColumn
  readonly value: Value
}

const statementOf = ({ db }: Target, builder: RawBuilder<unknown>): Compilable => ({
  compile: () => builder.compile(db),
})

/** `insert into t (…) values (…)`, giving back what the database makes where it can. */
export function compileInsert(
  target: Target,
  resource: Resource,
  values: Values,
  returning: readonly NamedColumn[],
): CompiledInsert {
  const { dialect } = target
  const columns = storedColumns(resource, values)
  const names = sql.join(columns.map(({ dbName }) => sql.id(dbName)))
  const bound = sql.join(columns.map((column) => encoded(target, column, values[column.name])))
  // Where nothing is given, each database has one of two ways to say so; those that give back rows share one.
  const what =
    columns.length > 0
      ? sql`(${names}) values (${bound})`
      : returning.length > 0
        ? sql`default values`
        : sql`() values ()`
  const selected = returning.map(
    (column) => sql`${dialect.select(column, sql.id(column.dbName))} as ${sql.id(column.name)}`,
  )
  const back = returning.length > 0 ? sql` returning ${sql.join(selected)}` : sql``
  return {
    statement: statementOf(
      target,
      sql`insert into ${tableOf(target, resource.table)} ${what}${back}`,
    ),
    readers: returning.map((column) => ({
      key: column.name,
      alias: column.name,
      visible: true,
      decode: dialect.decoder(column),
    })),
  }
}

/** `update t set … where key`. */
export function compileUpdate(
  target: Target,
  resource: Resource,
  values: Values,
  key: readonly Match[],
): Compilable {
  const set = storedColumns(resource, values).map(
    (column) => sql`${sql.id(column.dbName)} = ${encoded(target, column, values[column.name])}`,
  )
  return statementOf(
    target,
    sql`update ${tableOf(target, resource.table)} set ${sql.join(set)} where ${all(target, key)}`,
  )
}

/** `delete from t where …`: a record by its key, or links by one of their ends. */
export const compileDelete = (
  target: Target,
  table: string,
  matches: readonly Match[],
): Compilable =>
  statementOf(target, sql`delete from ${tableOf(target, table)} where ${all(target, matches)}`)

/** One row of a junction table. */
export function compileLink(target: Target, table: string, matches: readonly Match[]): Compilable {
  const names = sql.join(matches.map(({ dbName }) => sql.id(dbName)))
  const values = matches.map(({ column, value }) => sql`${target.dialect.encode(column, value)}`)
  return statementOf(
    target,
    sql`insert into ${tableOf(target, table)} (${names}) values (${sql.join(values)})`,
  )
}

/** The other ends of the links of one record. */
export function compileLinks(
  target: Target,
  table: string,
  matches: readonly Match[],
  ends: readonly { readonly dbName: string; readonly column: NamedColumn }[],
): CompiledInsert {
  const { dialect } = target
  const selected = ends.map(
    ({ dbName, column }, i) =>
      sql`${dialect.select(column, sql.id(dbName))} as ${sql.id(`end_${i}`)}`,
  )
  return {
    statement: statementOf(
      target,
      sql`select ${sql.join(selected)} from ${tableOf(target, table)} where ${all(target, matches)}`,
    ),
    readers: ends.map(({ column }, i) => ({
      key: `end_${i}`,
      alias: `end_${i}`,
      visible: true,
      decode: dialect.decoder(column),
    })),
  }
}

/** Holds the row until the transaction ends. */
export const compileLock = (target: Target, table: string, key: readonly Match[]): Compilable =>
  statementOf(
    target,
    sql`select 1 from ${tableOf(target, table)} where ${all(target, key)} for update`,
  )

/** Whether any row has these values, one that `except` describes aside. */
export function compileProbe(
  target: Target,
  table: string,
  matches: readonly Match[],
  except: readonly Match[] = [],
): Compilable {
  const other = except.length === 0 ? sql`` : sql` and not (${all(target, except)})`
  return statementOf(
    target,
    sql`select 1 as ${sql.id('found')} from ${tableOf(target, table)} where ${all(target, matches)}${other} limit 1`,
  )
}

/** The columns of these values, in model order; computed ones are not stored. */
const storedColumns = (resource: Resource, values: Values): readonly NamedColumn[] =>
  [...resource.allColumns.values()].filter(
    ({ name, computed }) => computed === undefined && values[name] !== undefined,
  )

const encoded = (
  { dialect }: Target,
  column: NamedColumn,
  value: JsonValue | undefined,
): RawBuilder<unknown> => sql`${value === null ? null : dialect.encode(column, value)}`

function all(target: Target, matches: readonly Match[]): RawBuilder<unknown> {
  const parts = matches.map(({ dbName, column, value }) =>
    target.dialect.compare(column, sql.id(dbName), 'eq', value),
  )
  return sql.join(parts, sql` and `)
}
