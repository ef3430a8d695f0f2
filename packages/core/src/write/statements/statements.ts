// The SQL of statements on one row, and of INSERTs of several: INSERT, UPDATE, DELETE, locks and existence checks. Names come from the
// registry; every value is a parameter. Nothing is sent here: `store/`, `resolve/` and `fusion/` do.

import type { SqlBool } from 'kysely'
import type { CellLocation } from '../../database/cell.ts'
import type { BoundColumn, InternalDialect } from '../../dialect/internal-dialect.ts'
import { comparedWith } from '../../dialect/shared/sql/compared-column.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { expressionParam } from '../../lib/sql/expression-param.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import { type TableName, tableOf } from '../../lib/sql/table-name.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { slotParam } from '../../query/compile/bound-target.ts'
import { readLock } from '../../query/compile/read-lock.ts'
import { whereAll } from '../../query/compile/rows/clauses.ts'
import { compileAll } from '../../query/compile/rows/condition.ts'
import type { RowScope } from '../../query/compile/scopes.ts'
import { type SelectList, selectList } from '../../query/compile/selection.ts'
import { isNotDeleted } from '../../query/compile/source.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Output, RowPlan, Value } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'
import { returning } from './returning.ts'

/** A statement that writes or locks, and the readers of the rows that it returns. */
export interface CompiledWrite {
  readonly statement: Fragment
  readonly readers: SelectList['readers']
  /** Where a returned row says whether it is in the scope of the policy: 1 if it is. Absent if all rows are. */
  readonly inScope?: CellLocation | undefined
}

/** A column of a table and the value it must equal. */
export interface Match {
  readonly dbName: string
  /** The column that determines how its values are compared. */
  readonly column: NamedColumn
  /** The column itself, if it is a foreign key that refers to `column`: its collation may be another one. */
  readonly held?: NamedColumn
  readonly value: Value
}

/**
 * The slot of the values of the policy's condition on the records that a statement may write. A slot is the place of values in a stored
 * statement (`statement-store.ts`): it names the values that each request fills in.
 */
export const scopeSlot: object = { name: 'scope' }

/** The slot of the values of the condition on the written records that the response may show. */
export const shownSlot: object = { name: 'shown' }

/** The slot of the record's key. The slots of written values are their columns, those of references their relations. */
export const keySlot: object = { name: 'key' }

/** The condition of a scope with its values. */
export type ScopeCondition = Pick<RowScope, 'condition' | 'values'>

/** A record that a written record refers to, and that the caller must see. */
export interface SeenReference {
  readonly relation: ResolvedRelation
  /** The key of the record, on the columns that the relation refers to. */
  readonly key: readonly Match[]
  /** Whether a soft-deleted record counts as seen. */
  readonly includeDeleted: boolean
  /** The condition of the policy's scope; undefined if the caller sees all records. */
  readonly scope: ScopeCondition | undefined
  /** The foreign key of the written record: with it, a reference that is stored already need not be seen. */
  readonly stored: readonly Match[] | undefined
}

/**
 * `exists (select 1 from t where key and scope)`, or the same with `or foreign_key = …` for a stored reference. Locks a record that could
 * be soft-deleted before the statement has stored the reference.
 */
const compileReference = (target: Target, reference: SeenReference): Fragment<SqlBool> => {
  const { relation, key, includeDeleted, scope, stored } = reference
  const values = slotParam(target, relation, valuesOfReference(reference))
  const undeleted = includeDeleted ? undefined : isNotDeleted(target, relation.target)
  const conditions = [
    matchValues(
      target,
      key,
      values.map((ofReference) => ofReference.key),
    ),
    undeleted,
    scope?.condition(
      target,
      values.map((ofReference) => ofReference.scope),
    ),
  ].filter((condition) => condition !== undefined)
  const lock = undeleted === undefined ? sql`` : lockClause(target, relation.target, 'reference')
  const isSeen = sql<SqlBool>`exists (select 1 from ${tableOf(relation.target)}${whereAll(conditions)}${lock})`
  if (stored === undefined) return isSeen
  const isStored = matchValues(
    target,
    stored,
    values.map((ofReference) => ofReference.stored),
  )
  return sql`(${isSeen} or ${isStored})`
}

/** The values of a reference, with which its slot is filled. */
export const valuesOfReference = ({ key, stored, scope }: SeenReference): ReferenceValues => ({
  key: matchedBy(key),
  stored: matchedBy(stored ?? []),
  scope: scope?.values ?? [],
})

/** The values of one SeenReference. */
interface ReferenceValues {
  readonly key: readonly Value[]
  readonly stored: readonly Value[]
  readonly scope: readonly unknown[]
}

/** The conditions that the caller sees all of these records. */
const referencesSeen = (
  target: Target,
  references: readonly SeenReference[],
): readonly Fragment<SqlBool>[] =>
  references.map((reference) => compileReference(target, reference))

/**
 * `insert into t (…) values (…)`, with RETURNING if `output` is not empty. RETURNING also tells whether the response may show the row
 * (`shown`). With `references`: `insert into t (…) select … where exists (…)`, which stores nothing unless the caller sees all of them.
 */
export function compileInsert(
  target: Target,
  resource: Resource,
  values: Values,
  output: readonly Output[],
  { shown, references = [] }: WriteReach = {},
): CompiledWrite {
  const columns = storedColumns(resource, values)
  const names = sql.join(columns.map(({ dbName }) => sql.id(dbName)))
  const bound = sql.join(columns.map((column) => encodedValue(target, column, values[column.name])))
  // Without values, databases whose INSERT has RETURNING use `default values`, MySQL and MariaDB `() values ()`.
  const noValues =
    output.length > 0 && target.dialect.insertReturns !== true
      ? sql`default values`
      : sql`() values ()`
  const seen = referencesSeen(target, references)
  const row = seen.length === 0 ? sql`values (${bound})` : sql`select ${bound}${whereAll(seen)}`
  const what = columns.length > 0 ? sql`(${names}) ${row}` : noValues
  return returningShown(target, sql`insert into ${tableOf(resource)} ${what}`, output, shown)
}

/**
 * Adds RETURNING with `output`, and with a column that tells whether the row meets `shown`. A row that does not meet it is stored
 * nevertheless.
 */
function returningShown(
  target: Target,
  statement: Fragment,
  output: readonly Output[],
  shown: WriteReach['shown'],
): CompiledWrite {
  const { clause, readers } = returning(target, output)
  if (shown === undefined || output.length === 0)
    return { statement: sql`${statement}${clause}`, readers }
  const isIn = shown.condition(target, slotParam(target, shownSlot, shown.values))
  return {
    statement: sql`${statement}${clause}, case when ${isIn} then 1 else 0 end as ${sql.id(inScopeAlias)}`,
    readers,
    inScope: { index: readers.length, alias: inScopeAlias },
  }
}

/** No field can have this name, because names of fields have no spaces. */
const inScopeAlias = 'in scope'

/**
 * `insert into t (…) values (…), (…)`, or `insert into t (…) select … from …`, with RETURNING if `output` is not empty. If a row has no
 * value for a column, the dialect's `omitted` gives it, such as DEFAULT.
 */
export function compileInserts(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  rows: readonly Values[],
  output: readonly Output[] = [],
): CompiledWrite {
  const names = sql.join(columns.map(({ dbName }) => sql.id(dbName)))
  const what = insertedRows(
    target,
    columns.map((column) => insertedColumn(target, column, rows)),
  )
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`insert into ${tableOf(resource)} (${names}) ${what}${clause}`,
    readers,
  }
}

/** `values (…), (…)`, or `select … from …` if that costs less. */
export function insertedRows({ dialect }: Target, columns: readonly BoundColumn[]): Fragment {
  const { selectsValues } = dialect.shortcuts?.multiRowInserts ?? {}
  const table = selectsValues === true ? dialect.shortcuts?.valuesTable?.(columns) : undefined
  return table === undefined
    ? sql`values ${sql.tuples(columns.map(({ values }) => values))}`
    : sql`select ${sql.join(table.refs)} from ${table.table}`
}

/** The values of a column in all rows. */
function insertedColumn(
  { dialect }: Target,
  column: NamedColumn,
  rows: readonly Values[],
): BoundColumn {
  const { name } = column
  const values = rows.map((row) => {
    const value = row[name]
    if (value === undefined) return dialect.shortcuts?.multiRowInserts?.omitted(column)
    return value === null ? null : dialect.encode(column, value)
  })
  return { column, values }
}

/** Restricts which records a statement may write or lock, in addition to its key. */
export interface WriteReach {
  /** Excludes a soft-deleted record. */
  readonly alive?: boolean
  /** The condition of the policy's scope, on columns of the table. */
  readonly scope?: ScopeCondition | undefined
  /** Which of the written records the response may show. */
  readonly shown?: ScopeCondition | undefined
  /** The records that the written record refers to. */
  readonly references?: readonly SeenReference[]
}

/** `update t set … where key`, with RETURNING if `output` is not empty. */
export function compileUpdate(
  target: Target,
  resource: Resource,
  values: Values,
  key: readonly Match[],
  {
    alive = false,
    scope,
    shown,
    references = [],
    output = [],
  }: WriteReach & { readonly output?: readonly Output[] } = {},
): CompiledWrite {
  const undeleted = alive ? isNotDeleted(target, resource) : undefined
  const where = whereAll([
    matchCondition(target, key),
    ...(undeleted === undefined ? [] : [undeleted]),
    ...inScope(target, scope),
    ...referencesSeen(target, references),
  ])
  const statement = sql`${updateSet(target, resource, values)}${where}`
  return returningShown(target, statement, output, shown)
}

/** The condition of the policy's scope; an empty list if the policy has no scope. */
const inScope = (target: Target, scope: WriteReach['scope']): readonly Fragment<SqlBool>[] =>
  scope === undefined ? [] : [scope.condition(target, slotParam(target, scopeSlot, scope.values))]

/** `update t set …`, without WHERE. */
export function updateSet(target: Target, resource: Resource, values: Values): Fragment {
  const set = storedColumns(resource, values).map(
    (column) =>
      sql`${sql.id(column.dbName)} = ${encodedValue(target, column, values[column.name])}`,
  )
  return sql`update ${tableOf(resource)} set ${sql.join(set)}`
}

/** `delete from t where …`: a record by its key, or links by the key of one side. */
export const compileDelete = (
  target: Target,
  table: TableName,
  matches: readonly Match[],
  { scope }: WriteReach = {},
): Fragment =>
  sql`delete from ${tableOf(table)}${whereAll([matchCondition(target, matches), ...inScope(target, scope)])}`

/** `delete from t where key returning 1`: returns a row if the record existed. */
export const compileDeleteReturning = (
  target: Target,
  table: TableName,
  key: readonly Match[],
  reach: WriteReach = {},
): Fragment => sql`${compileDelete(target, table, key, reach)} returning 1 as ${sql.id('found')}`

/**
 * What a lock is for: to delete the row or change anything in it, only to change columns that no foreign key can refer to, or to store
 * a reference to the row.
 */
export type LockedFor = 'anyChange' | 'otherThanKeys' | 'reference'

/**
 * `for update`, or a weaker lock of the dialect that lets others insert rows that refer to this one. Empty if a reference cannot lock
 * the rows of the table.
 */
export const lockClause = (
  { dialect }: Target,
  table: TableName,
  lockedFor: LockedFor,
): Fragment => {
  if (lockedFor === 'reference') {
    const lock = dialect.lockReferred?.(table)
    return lock === undefined ? sql`` : sql` ${lock}`
  }
  const weaker = lockedFor === 'otherThanKeys' ? dialect.shortcuts?.lockBesidesKeys : undefined
  return weaker === undefined ? sql` for update` : sql` ${weaker}`
}

/** `select 1 from t where id = 7 for update`: locks a row until the transaction ends. */
export const compileLock = (
  target: Target,
  table: TableName,
  key: readonly Match[],
  lockedFor: LockedFor,
): Fragment =>
  sql`select 1 from ${tableOf(table)} where ${matchCondition(target, key)}${lockClause(target, table, lockedFor)}`

/** Reads and locks the rows of a plan for which `readsStoredColumns` is true. */
export const compileLocked = (target: Target, plan: RowPlan, lockedFor: LockedFor): CompiledWrite =>
  compileLockedRows(target, plan, lockedFor, compileAll(target, plan.where))

/** Reads and locks the record with this key, without the plan's other conditions. */
export const compileLockedRecord = (
  target: Target,
  plan: RowPlan,
  key: readonly Match[],
  { shown }: WriteReach = {},
): CompiledWrite =>
  compileLockedRows(
    target,
    plan,
    'anyChange',
    matchCondition(target, key),
    shown?.condition(target, slotParam(target, shownSlot, shown.values)),
  )

/** `select … from t where … for update`. */
function compileLockedRows(
  target: Target,
  plan: RowPlan,
  lockedFor: LockedFor,
  ...where: readonly (Fragment<SqlBool> | undefined)[]
): CompiledWrite {
  const { resource, includeDeleted } = plan.from
  const { items, readers } = selectList(target, plan.output)
  const undeleted = includeDeleted ? undefined : isNotDeleted(target, resource)
  const conditions = [...where, undeleted].filter((condition) => condition !== undefined)
  const rows = sql`select ${sql.join(items)} from ${tableOf(resource)}`
  const lock = lockClause(target, resource, lockedFor)
  return { statement: sql`${rows}${whereAll(conditions)}${lock}`, readers }
}

/**
 * Selects one row if a row has these values, other than the row that `except` matches, and, if `active` is given, other than the
 * deleted rows of that resource: `select 1 as found from t where name = 'a' and not (id = 7) and deleted_at is null limit 1`.
 */
export function compileProbe(
  target: Target,
  table: TableName,
  matches: readonly Match[],
  except: readonly Match[] = [],
  active?: Resource,
): Fragment {
  const other = except.length === 0 ? sql`` : sql` and not (${matchCondition(target, except)})`
  const undeleted = active && isNotDeleted(target, active)
  const alive = undeleted === undefined ? sql`` : sql` and ${undeleted}`
  return sql`select 1 as ${sql.id('found')} from ${tableOf(table)} where ${matchCondition(target, matches)}${other}${alive} limit 1${readLock(target, 'base')}`
}

/** The stored columns that have a value, in the order of the model; computed columns are not stored. */
export function storedColumns(resource: Resource, values: Values): readonly NamedColumn[] {
  const stored: NamedColumn[] = []
  for (const column of resource.allColumns.values()) {
    if (column.computed === undefined && values[column.name] !== undefined) stored.push(column)
  }
  return stored
}

/** A value of a column as a parameter or as SQL. */
const encoded = (
  dialect: Target['dialect'],
  column: NamedColumn,
  value: JsonValue | undefined,
): unknown => (value === null ? null : dialect.encode(column, value))

/** A written value: bound at once, or as the slot of its column if the statement will be stored. */
const encodedValue = (
  target: Target,
  column: NamedColumn,
  value: JsonValue | undefined,
): unknown => {
  const { dialect, decisions } = target
  // The statement is sent once, and not stored.
  if (decisions === undefined) return encoded(dialect, column, value)
  const stored = slotParam(target, column, value ?? null)
  return expressionParam(stored.share((value) => encoded(dialect, column, value)))
}

/** `a = 1 and b = 2`, with the values of the key in `keySlot`. */
export const matchCondition = (target: Target, matches: readonly Match[]): Fragment<SqlBool> =>
  matchValues(target, matches, slotParam(target, keySlot, matchedBy(matches)))

/** The column by which the values of a match are compared. */
export const comparedColumn = (
  dialect: InternalDialect,
  { held, column }: Omit<Match, 'value'>,
): NamedColumn => (held === undefined ? column : comparedWith(dialect, held, column))

/** The values that columns must equal. */
export const matchedBy = (matches: readonly Match[]): readonly Value[] =>
  matches.map(({ value }) => value)

/** `a = 1 and b = 2`, with `values` in the order of `matches`. */
function matchValues(
  { dialect }: Target,
  matches: readonly Match[],
  values: Param<readonly Value[]>,
): Fragment<SqlBool> {
  const parts = matches.map((match, i) =>
    dialect.compare(
      comparedColumn(dialect, match),
      sql.id(match.dbName),
      'eq',
      values.map((all) => all[i] as Value),
    ),
  )
  return sql.join(parts, sql` and `) as Fragment<SqlBool>
}
