// Compiles the conditions and operands of a plan to SQL expressions: `{ kind: 'compare', operand: price, operator: 'ge', value: 30 }` →
// `"books"."price" >= $1`. The dialect writes what differs between databases.

import type { Expression, SqlBool } from 'kysely'
import { comparedWith } from '../../../dialect/shared/sql/compared-column.ts'
import { chain, tuple } from '../../../dialect/shared/sql/sql-parts.ts'
import { aggregateColumn, bucketColumn } from '../../../dialect/shared/values/result-column.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { constant, type Param } from '../../../lib/sql/param.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { keyRefs } from '../../plan/names.ts'
import type { Condition, Operand, RelatedRef, Value } from '../../plan/plan.ts'
import { valueParam } from '../bound-target.ts'
import { readLock } from '../read-lock.ts'
import {
  columnOf,
  dialectColumnOf,
  joinedSource,
  joinKeys,
  junctionAlias,
  junctionRows,
  relatedRows,
  valueIn,
} from '../source.ts'
import type { Target } from '../target.ts'
import { whereAll } from './clauses.ts'
import { type KeyColumn, keysCondition } from './keys-condition.ts'
import { compileRelated, type RelatedForm, relatedColumn } from './related-query.ts'

/** An operand as SQL, with the column whose type determines how it is compared. */
export interface CompiledOperand {
  readonly column: DialectColumn
  readonly expression: Expression<unknown>
}

const ungrouped = { grouped: false }

/**
 * Compiles what a condition tests, an order sorts by or an output shows. `grouped`: the statement has GROUP BY, so the operand must have
 * the form that the database compares.
 */
export function compileOperand(
  target: Target,
  operand: Operand,
  { grouped }: { readonly grouped: boolean } = ungrouped,
): CompiledOperand {
  const { dialect } = target
  if (operand.kind === 'column') {
    const { column } = operand
    const ref = valueIn(target, operand)
    return grouped
      ? { column: { ...column, comparable: true }, expression: dialect.comparable(column, ref) }
      : { column: dialectColumnOf(target, operand.source, column), expression: ref }
  }
  if (operand.kind === 'related') {
    const column = relatedColumn(target, operand)
    const joined = target.groups?.get(operand)
    return { column, expression: joined ?? relatedValue(target, operand, 'compared') }
  }
  const column = dialectColumnOf(target, operand.of.source, operand.of.column)
  const ref = valueIn(target, operand.of)
  return operand.kind === 'bucket'
    ? { column: bucketColumn(operand.unit), expression: dialect.bucket(operand.unit, column, ref) }
    : {
        column: aggregateColumn(operand.function, column),
        expression:
          operand.countsRows === true
            ? sql`count(*)`
            : dialect.aggregate(operand.function, column).comparable(ref),
      }
}

/** Compiles an aggregate of related rows, to be selected or compared. */
export const relatedValue = (target: Target, ref: RelatedRef, form: RelatedForm): Fragment =>
  compileRelated(
    target,
    ref,
    form,
    ref.where.map((condition) => compileCondition(target, condition)),
  )

/** Compiles conditions and combines them with AND; undefined if there are none. */
export const compileAll = (
  target: Target,
  conditions: readonly Condition[],
): Fragment<SqlBool> | undefined =>
  conditions.length === 0 ? undefined : joinConditions(target, conditions, 'and')

/** Compiles one condition. Those on related rows become subqueries, in the scopes of the target. */
export function compileCondition(target: Target, condition: Condition): Expression<SqlBool> {
  const { dialect } = target
  switch (condition.kind) {
    case 'and':
    case 'or':
      return sql<SqlBool>`(${joinConditions(target, condition.all, condition.kind)})`
    case 'not':
      return sql<SqlBool>`not ${compileCondition(target, condition.one)}`
    case 'exists':
      return exists(target, condition)
    case 'linked':
      return linked(target, condition)
    case 'found':
      return found(target, condition)
    case 'keys': {
      const { source, columns, keys } = condition
      const compared = columns.map((column) => ({
        column: dialectColumnOf(target, source, column),
        ref: columnOf(source, column),
      }))
      return keysCondition(target, compared, constant(keys))
    }
    default: {
      const { column, expression } = compileOperand(target, condition.operand)
      // `filter` excludes stored values that are not of the column's type, where the database may have some.
      const compare = dialect.filter ?? dialect.compare
      switch (condition.kind) {
        case 'compare': {
          const value = valueParam(target, condition.slot, condition.value)
          return compare(column, expression, condition.operator, value)
        }
        case 'between': {
          const { slot, low, high } = condition
          const limits = valueParam<readonly Value[]>(target, slot, [low, high])
          const [from, to] = limits.items(2) as [Param<Value>, Param<Value>]
          return sql<SqlBool>`(${compare(column, expression, 'ge', from)} and ${compare(column, expression, 'le', to)})`
        }
        case 'oneOf': {
          const { slot, negated } = condition
          const values = valueParam(target, slot, condition.values)
          if (values.decide(({ length }) => length === 0)) return constantTest(negated)
          return dialect.oneOf(column, expression, values, negated)
        }
        case 'text': {
          const text = valueParam(target, condition.slot, condition.text)
          return dialect.textMatch(column, expression, { ...condition, text })
        }
        case 'items':
          return listMatch(target, column, expression, condition)
        case 'isNull': {
          const negated = valueParam(target, condition.slot, condition.negated)
          if (negated.decide((answer) => answer)) return sql<SqlBool>`${expression} is not null`
          return dialect.isNull?.(column, expression) ?? sql<SqlBool>`${expression} is null`
        }
      }
    }
  }
}

/** Compiles conditions and combines them with AND or OR. */
function joinConditions(
  target: Target,
  conditions: readonly Condition[],
  word: 'and' | 'or',
): Fragment<SqlBool> {
  const parts = conditions.map((condition) => compileCondition(target, condition))
  return chain(parts, word)
}

/**
 * Tests whether the row's key is among the keys that the full-text index finds. This subquery also works if a policy replaces the
 * source by a derived table, unless its query computes the key or a searched column: the index has the words of the stored text.
 */
function found(
  target: Target,
  { operand: { source }, index, words, plain }: Extract<Condition, { kind: 'found' }>,
): Expression<SqlBool> {
  const isStored = ![...index.columns, ...index.key].some((column) =>
    target.scopes.computes(source, column),
  )
  const keys = isStored ? target.dialect.foundByIndex?.(index, words) : undefined
  if (keys === undefined) return sql<SqlBool>`(${joinConditions(target, plain, 'and')})`
  const own = keyRefs(source).map(({ column }) => columnOf(source, column))
  return sql<SqlBool>`${tuple(own)} in (${keys}${readLock(target, 'related')})`
}

/** Compiles `contains` or `overlaps` of a list column. */
function listMatch(
  target: Target,
  column: DialectColumn,
  expression: Expression<unknown>,
  { match, slot, values: listed }: Extract<Condition, { kind: 'items' }>,
): Expression<SqlBool> {
  const { dialect } = target
  const values = valueParam(target, slot, listed)
  const test = dialect.listMatch?.(column, expression, { match, values })
  // Cannot happen: createApi refuses list columns if the dialect has no `listMatch`.
  if (test === undefined) throw new Error(`${dialect.name} has no lists`)
  return test
}

// The condition for an empty list: `in ()` is a syntax error in PostgreSQL and MariaDB, and not every database has the keyword `false`.
const constantTest = (value: boolean): Fragment<SqlBool> =>
  value ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`

type Exists = Extract<Condition, { kind: 'exists' }>
type Test = Expression<SqlBool>

/** Compiles a condition on related rows: as IN if the dialect prefers that, otherwise as EXISTS. */
function exists(target: Target, condition: Exists): Expression<SqlBool> {
  const where = condition.where.map((inner) => compileCondition(target, inner))
  const found = amongKeys(target, condition, where) ?? byRow(target, condition, where)
  return condition.negated ? sql<SqlBool>`not ${found}` : found
}

/** Compiles `exists (select 1 from … where …)`. */
function byRow(target: Target, condition: Exists, where: readonly Test[]): Test {
  const rows = relatedRows(target, condition, { rowsMayRepeat: true })
  const met = where.length === 0 ? rows : sql`${rows} and ${chain(where, 'and')}`
  const found = sql<SqlBool>`exists (select 1 from ${met}${readLock(target, 'related')})`
  return target.dialect.existsOfMany?.(found, where.length) ?? found
}

/** Compiles `exists` as IN over the keys of the related rows; undefined if the dialect prefers EXISTS. */
function amongKeys(target: Target, condition: Exists, where: readonly Test[]): Test | undefined {
  const keys = joinKeys(target, condition)
  // For a NULL key, EXISTS is false but IN is NULL, so NULL keys are excluded on both sides.
  const known = condition.exact ? keys.map(({ ref }) => isNotNull(ref)) : []
  const related = joinedSource(target, condition, { rowsMayRepeat: true })
  const rows = sql`${related}${whereAll([...known, ...where])}${readLock(target, 'related')}`
  const found = target.dialect.shortcuts?.keysIn?.(condition.lookUp, keys, rows)
  if (found === undefined || condition.exact !== true) return found
  const outerKeys = keys.map(({ otherRef }) => isNotNull(otherRef))
  return sql<SqlBool>`(${chain([...outerKeys, found], 'and')})`
}

const isNotNull = (ref: Fragment): Test => sql<SqlBool>`${ref} is not null`

/** Compiles the condition of a relation route: on the foreign key of the related rows, or through the junction. */
function linked(
  target: Target,
  { relation, source, key }: Extract<Condition, { kind: 'linked' }>,
): Expression<SqlBool> {
  const { dialect } = target
  const { pairs, through } = relation
  const compared: readonly KeyColumn[] =
    through === undefined
      ? pairs.map(({ from, to }) => ({
          column: comparedWith(dialect, dialectColumnOf(target, source, to), from),
          ref: columnOf(source, to),
        }))
      : through.from.map(({ dbName, column, held }) => ({
          column: comparedWith(dialect, held, column),
          ref: sql.id(junctionAlias, dbName),
        }))
  const equals = compared.map(({ column, ref }, i) =>
    dialect.compare(column, ref, 'eq', constant(key[i] ?? '')),
  )
  const all = sql.join(equals, sql` and `) as Fragment<SqlBool>
  if (through === undefined) return all
  const rows = sql`${junctionRows(target, source, through)} as ${sql.id(junctionAlias)}`
  const linkedKey = through.to.map(({ dbName, column, held }) => ({
    column: held,
    ref: sql.id(junctionAlias, dbName),
    otherColumn: dialectColumnOf(target, source, column),
    otherRef: columnOf(source, column),
  }))
  const lock = readLock(target, 'related')
  // `any`: the dialect may choose how it looks up the rows.
  const among = dialect.shortcuts?.keysIn?.('any', linkedKey, sql`${rows} where ${all}${lock}`)
  if (among !== undefined) return among
  const same = linkedKey.map(({ column, ref, otherColumn, otherRef }) =>
    dialect.sameKey(column, ref, otherColumn, otherRef),
  )
  return sql<SqlBool>`exists (select 1 from ${rows} where ${chain(same, 'and')} and ${all}${lock})`
}
