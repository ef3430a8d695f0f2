// Compiles how many combinations of joined rows a projection or the groups of a query read, counted without combining them.
// Only for databases whose statements block this process (`blocksEventLoop`): `run/read-rows.ts` refuses a page of more than
// `maxCombinations`, before it reads the rows.

import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { combinesMany, ownConditions } from '../../plan/conditions/base-conditions.ts'
import type { PlannedJoin, RowPlan, Source } from '../../plan/plan.ts'
import { aliasedSource, joinedSource, joinKeys } from '../source.ts'
import type { Target } from '../target.ts'
import { groupBy, whereAll } from './clauses.ts'
import { compileCondition } from './condition.ts'

/** Whether the rows of several to-many relations are combined: those of `join=books,tags` in a projection. */
export const combinesRows = ({ shape, distinctBase, from, joins }: RowPlan): boolean =>
  shape !== 'records' && !distinctBase && combinesMany(from, joins)

/**
 * Compiles the statement that returns, as `total`, the number of combinations. Each row of a table is read at most once for each join of
 * the table, however many combinations it is part of: the rows of each join are found from the keys of the rows that it starts from, and
 * then counted by their keys, those of the last joins first. Conditions on the joined rows are ignored, because the database may
 * test them after it has combined the rows.
 */
export function compileCombinations(target: Target, { from, joins, where }: RowPlan): Fragment {
  // A right join reads all base rows before it tests conditions on them.
  const isRight = joins.some(({ type }) => type === 'right')
  const conditions = isRight ? [] : ownConditions(from, where, joins)
  const tests = conditions.map((condition) => compileCondition(target, condition))
  const numbered = joins.map((join, number) => ({ join, number, keys: joinKeys(target, join) }))
  const combining: Combining = { target, joins: numbered }
  const base = sql`select ${sql.join(startKeys(combining, from))} from ${aliasedSource(target, from)}${whereAll(tests)}`
  const tables = [
    sql`${sql.id(rowsOf(combining, from))} as (${base})`,
    ...numbered.map(
      (step) =>
        sql`${sql.id(rowsOf(combining, step.join.source))} as (${compileJoined(combining, step)})`,
    ),
  ]
  return sql`with ${sql.join(tables)} select ${combinations(combining, from)} from ${countedRows(combining, from)}`
}

/** A join with its number in the plan, of which the names of its tables are made. */
interface NumberedJoin {
  readonly join: PlannedJoin
  readonly number: number
  readonly keys: ReturnType<typeof joinKeys>
}

/** What the functions below share: the joins of the plan, numbered. */
interface Combining {
  readonly target: Target
  readonly joins: readonly NumberedJoin[]
}

// Names that no table has, because of the spaces.
/** The table of the rows of a source: `rows of 1`. */
const rowsOf = ({ joins }: Combining, source: Source): string =>
  `rows of ${joins.findIndex(({ join }) => join.source === source) + 1}`
/** The table of the numbers of combinations of a join's rows, by their keys. */
const countsOf = ({ number }: NumberedJoin): string => `counts of ${number + 1}`
/** The column of a join's table with a key of its rows. */
const ownKey = (i: number): string => `key ${i}`
/** The column of the table where a join starts, with the key by which the join finds its rows. */
const startKey = ({ number }: NumberedJoin, i: number): string => `key ${i} of ${number + 1}`
const total = 'total'

/** The joins that start from a source. */
const joinsFrom = ({ joins }: Combining, source: Source): readonly NumberedJoin[] =>
  joins.filter(({ join }) => join.from === source)

/** The keys of a row of `source` by which the joins that start there find their rows. */
const startKeys = (combining: Combining, source: Source): readonly Aliased[] =>
  joinsFrom(combining, source).flatMap((step) =>
    step.keys.map(({ otherColumn, otherRef }, i) =>
      sql`${combining.target.dialect.comparable(otherColumn, otherRef)}`.as(startKey(step, i)),
    ),
  )

/** The rows of a join, each once: those that some row where the join starts is joined to. */
function compileJoined(combining: Combining, step: NumberedJoin): Fragment {
  const { target } = combining
  const { join, keys } = step
  const own = keys.map(({ column, ref }) => sql`${target.dialect.comparable(column, ref)}`)
  const selected = [...own.map((key, i) => key.as(ownKey(i))), ...startKeys(combining, join.source)]
  const starts = keys.map((_, i) => sql.id(startKey(step, i)))
  const isFound = sql`(${sql.join(own)}) in (select ${sql.join(starts)} from ${sql.id(rowsOf(combining, join.from))})`
  return sql`select ${sql.join(selected)} from ${joinedSource(target, join, { rowsMayRepeat: true })} where ${isFound}`
}

/** The rows of `source`, each with the numbers of combinations of the rows that are joined to it. */
function countedRows(combining: Combining, source: Source): Fragment {
  const rows = rowsOf(combining, source)
  const counts = joinsFrom(combining, source).map((step) => {
    const own = step.keys.map((_, i) => sql.id(rowsOf(combining, step.join.source), ownKey(i)))
    const from = countedRows(combining, step.join.source)
    const counted = sql`select ${sql.join([...own, combinations(combining, step.join.source)])} from ${from}${groupBy(own)}`
    const alias = countsOf(step)
    const same = step.keys.map(
      (_, i) => sql`${sql.id(rows, startKey(step, i))} = ${sql.id(alias, ownKey(i))}`,
    )
    return sql` left join (${counted}) as ${sql.id(alias)} on ${sql.join(same, sql` and `)}`
  })
  return sql`${sql.id(rows)}${sql.join(counts, sql``)}`
}

/** The number of combinations of all rows of `countedRows`. */
function combinations(combining: Combining, source: Source): Aliased {
  const factors = joinsFrom(combining, source).map((step) => {
    const count = sql.id(countsOf(step), total)
    // Outer joins give one row of NULLs if there is no related row.
    return step.join.type === 'inner'
      ? sql`coalesce(${count}, 0)`
      : sql`coalesce(nullif(${count}, 0), 1)`
  })
  // `1.0` makes the product a float, because SQLite, the only database that counts combinations, fails if a sum of integers is too large.
  return sql`sum(${sql.join([sql`1.0`, ...factors], sql` * `)})`.as(total)
}
