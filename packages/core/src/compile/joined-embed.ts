// EmbedPlan of a to-one relation → a left join of the statement that reads the rows it is embedded in.

import type { EmbedPlan, RowPlan } from '../plan/plan.ts'
import { refersToPrimaryKey } from '../plan/primary-key-relation.ts'
import { type Aliased, type Fragment, sql } from '../sql/fragment.ts'
import type { Place } from './cell.ts'
import { compileSelection, type MemberReader } from './selection.ts'
import { columnOf, joinCondition, joinedSource } from './source.ts'
import type { Target } from './target.ts'

/** A relation whose one row stands beside the row it is embedded in. */
export interface JoinedEmbed {
  readonly embed: EmbedPlan
  readonly readers: readonly MemberReader[]
  /** NULL where there is no related row. */
  readonly key: Place
}

/** What the statement needs for it. */
export interface EmbedJoin extends JoinedEmbed {
  readonly join: Fragment
  readonly selected: readonly Aliased[]
}

/** Whether at most one row can be joined, which nothing chooses, and whose alias is free. */
export function isJoinable({ from, joins }: RowPlan, { relation, rows }: EmbedPlan): boolean {
  const taken = [from, ...joins.map(({ source }) => source)].map(({ alias }) => alias.toLowerCase())
  return (
    refersToPrimaryKey(relation) &&
    rows.where.length === 0 &&
    rows.joins.length === 0 &&
    !taken.includes(rows.from.alias.toLowerCase())
  )
}

/** `first`: the place of its first value in the select list; `number` tells its aliases from those of others. */
export function compileEmbedJoin(
  target: Target,
  plan: RowPlan,
  embed: EmbedPlan,
  first: number,
  number: number,
): EmbedJoin {
  const { relation, rows } = embed
  const source = rows.from
  const selection = compileSelection(target, rows.output, false)
  const aliasOf = (i: number): string => `joined ${number} ${i}`
  const [key] = relation.to
  if (key === undefined) throw new Error(`${relation.name} has no key`)
  const values = selection.expressions.map(({ expression }) => expression)
  const selected = [target.dialect.select(key, columnOf(source, key)), ...values]
  const planned = { from: plan.from, relation, source }
  return {
    embed,
    join: sql` left join ${joinedSource(target, planned)} on ${joinCondition(target, planned)}`,
    selected: selected.map((value, i) => sql`${value}`.as(aliasOf(i))),
    key: { alias: aliasOf(0), index: first },
    readers: selection.readers.map((reader, i) => ({
      ...reader,
      alias: aliasOf(i + 1),
      index: first + i + 1,
    })),
  }
}
