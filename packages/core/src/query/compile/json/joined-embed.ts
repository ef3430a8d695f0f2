// Compiles the embed of a to-one relation, such as a book's author, as a left join in the statement of the parent rows, which saves the
// statement of its own. `database-json.ts` chooses the relations; `run/embed.ts` makes a row of each.

import type { CellLocation } from '../../../database/cell.ts'
import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { EmbedPlan, RowPlan } from '../../plan/plan.ts'
import { refersToPrimaryKey } from '../../plan/relations/primary-key-relation.ts'
import { compileSelection, type MemberReader } from '../selection.ts'
import { columnOf, joinCondition, joinedSource } from '../source.ts'
import type { Target } from '../target.ts'

/** A to-one relation whose columns are in the parent row; `readers` decode them. */
export interface JoinedEmbed {
  readonly embed: EmbedPlan
  readonly readers: readonly MemberReader[]
  /** Where the related row's key is; its value is NULL if there is no related row. */
  readonly key: CellLocation
}

/** A joined embed with the SQL that the statement needs for it: the join, and the items of the select list. */
export interface EmbedJoin extends JoinedEmbed {
  readonly join: Fragment
  readonly selected: readonly Aliased[]
}

/** Whether an embed can be joined: it adds at most one row, it has no conditions, and no other source uses its alias. */
export function isJoinable({ from, joins }: RowPlan, { relation, rows }: EmbedPlan): boolean {
  const used = [from, ...joins.map(({ source }) => source)].map(({ alias }) => alias.toLowerCase())
  return (
    refersToPrimaryKey(relation) &&
    rows.where.length === 0 &&
    rows.joins.length === 0 &&
    !used.includes(rows.from.alias.toLowerCase())
  )
}

/** Compiles the join. `first` is the index of its first value in the select list; `number` makes its aliases unique. */
export function compileEmbedJoin(
  target: Target,
  plan: RowPlan,
  embed: EmbedPlan,
  first: number,
  number: number,
): EmbedJoin {
  const { relation, rows } = embed
  const source = rows.from
  const selection = compileSelection(target, rows.output)
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
