// Compiles the statement that reads the related rows of an embed for all parents, by the parents' keys:
// `select …, "author_id" as "parent_0" from "books" where "author_id" in (1, 2, 3)`. `run/embed.ts` sends it when the parents are read, and
// attaches each row to its parent. More parents than `mostParentKeys` need several statements.

import type { Expression } from 'kysely'
import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import { valueOfJson } from '../../plan/conditions/value.ts'
import type { EmbedPlan, Value } from '../../plan/plan.ts'
import { slotParam } from '../bound-target.ts'
import { readLock } from '../read-lock.ts'
import { orderBy, whereAll } from '../rows/clauses.ts'
import { compileAll } from '../rows/condition.ts'
import { keysCondition, mostKeys } from '../rows/keys-condition.ts'
import { orderTerms } from '../rows/row-order.ts'
import { type MemberReader, selectList } from '../selection.ts'
import { type ComparedColumn, comparedColumns, joinedSource } from '../source.ts'
import type { Target } from '../target.ts'
import {
  type ObjectColumn,
  type ObjectSelection,
  objectAlias,
  objectColumn,
} from './object-json.ts'

/** The statement of an embed, and where its rows have their values. */
export interface CompiledEmbed {
  /** The SELECT of the related rows. */
  readonly rows: Fragment
  readonly readers: readonly MemberReader[]
  /** Where a row contains the JSON of its object, and the test whether that has the expected form. */
  readonly object?: ObjectColumn
  /** Where a row tells its parent. */
  readonly parent: ParentReader
}

/**
 * `key`: the key of the parent, in the order of `relation.from`. `number`: the place of that key among those of the statement, from 1, where
 * the database finds keys equal whose texts differ.
 */
export type ParentReader =
  | { readonly by: 'key'; readonly key: readonly KeyReader[] }
  | { readonly by: 'number'; readonly number: KeyReader }

/** Reads one part of a key from a row, by its alias or index. */
export interface KeyReader {
  readonly alias: string
  readonly index: number
  readonly decode: (raw: unknown) => JsonValue
}

/**
 * Returns the decoder of a key for `keyText`. It removes trailing zeros of decimals, because the two columns of a relation may
 * differ in scale.
 */
function keyDecoder(dialect: Target['dialect'], column: NamedColumn): KeyReader['decode'] {
  const decode = dialect.decoder(column)
  if (columnTypes[column.type].number !== 'exact') return decode
  return (raw) => (valueOfJson(column, decode(raw)) as string | undefined) ?? null
}

const parentAlias = (i: number): string => `parent_${i}`

/** How the statement finds the rows of the parents, and what it selects to tell which parent a row belongs to. */
interface ParentRows {
  readonly from: Fragment
  /** The condition that a row belongs to one of the parents; undefined if the join in `from` has it. */
  readonly within: Fragment | undefined
  readonly selected: readonly Aliased[]
  /** What is equal for the rows of one parent. */
  readonly partition: readonly Expression<unknown>[]
  /** Reads the parent of a row, where `selected` begins at this index of the select list. */
  readonly readerAt: (index: number) => ParentReader
}

/** Finds the rows by the keys themselves, or, where a collation finds keys equal whose texts differ, by a table that numbers the keys. */
function parentRows(
  target: Target,
  embed: EmbedPlan,
  keys: Param<readonly (readonly Value[])[]>,
): ParentRows {
  const { relation, rows: plan } = embed
  const { dialect } = target
  const parents = parentColumns(target, embed)
  const source = joinedSource(target, { relation, source: plan.from })
  const numbered = dialect.numberedKeys?.(parents)
  if (numbered !== undefined) {
    const { table, number, refs } = numbered(keys)
    const same = parents.map(({ column, ref, otherColumn }, i) =>
      dialect.sameKey(column, ref, otherColumn, refs[i] as Expression<unknown>),
    )
    return {
      from: sql`${table} join ${source} on ${sql.join(same, sql` and `)}`,
      within: undefined,
      selected: [sql`${number}`.as(parentAlias(0))],
      partition: [number],
      readerAt: (index) => ({
        by: 'number',
        number: { alias: parentAlias(0), index, decode: Number },
      }),
    }
  }
  return {
    from: sql`${source}`,
    within: keysCondition(target, parents, keys),
    selected: parents.map(({ column, ref }, i) =>
      sql`${dialect.select(column, ref)}`.as(parentAlias(i)),
    ),
    partition: parents.map(({ column, ref }) => dialect.comparable(column, ref)),
    readerAt: (first) => ({
      by: 'key',
      key: parents.map(({ column }, i) => ({
        alias: parentAlias(i),
        index: first + i,
        decode: keyDecoder(dialect, column),
      })),
    }),
  }
}

/** The column with the number of a row among those of its parent, where each parent has a limit (`books.limit=3`). */
const rank = 'rank_in_parent'

/**
 * Compiles the statement for the parents with these keys, each in the order of `relation.from`. `maxRows` limits its rows, so that one
 * request cannot read a whole database; null for to-one relations.
 * `object` is the JSON of each row that the database builds.
 */
export function compileEmbed(
  target: Target,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
  maxRows: number | null,
  object?: ObjectSelection,
): CompiledEmbed {
  const { rows: plan } = embed
  const { dialect } = target
  // Besides the JSON of the object, only the columns that embeds and links need.
  const selection = selectList(target, object?.separate ?? plan.output)
  const parents = parentRows(target, embed, slotParam(target, keysSlot, keys))
  const filters = compileAll(target, plan.where)
  const order = orderTerms(target, plan)
  const { readers } = selection
  const objects = object === undefined ? [] : [object.text.as(objectAlias)]
  const parent = parents.readerAt(readers.length + objects.length)
  const selected = [...selection.items, ...objects, ...parents.selected]
  const reading = { readers, parent, ...objectColumn(object, readers.length) }
  const where = whereAll([parents.within, filters].filter((test) => test !== undefined))
  const limit =
    maxRows === null
      ? sql``
      : sql` limit ${limitValue(dialect, slotParam(target, limitSlot, maxRows))}`
  if (embed.limit === null) {
    const all = sql`select ${sql.join(selected)} from ${parents.from}${where}`
    return { rows: sql`${all}${orderBy(order)}${limit}${readLock(target, 'related')}`, ...reading }
  }
  const partition = sql.join(parents.partition)
  const ranking = sql`row_number() over (partition by ${partition} order by ${sql.join(order)})`
  const ranked = sql`select ${sql.join([...selected, ranking.as(rank)])} from ${parents.from}${where}${readLock(target, 'related')}`
  return {
    rows: sql`select * from (${ranked}) as ${sql.id('ranked')} where ${sql.id(rank)} <= ${embed.limit} order by ${sql.id(rank)}${limit}`,
    ...reading,
  }
}

/** The slots of the parents' keys and of the limit: a stored statement is sent again with those of another request. */
export const keysSlot: object = { name: 'keys of parents' }
export const limitSlot: object = { name: 'most embedded rows' }

/** The most keys of parents that one statement can have; infinity without a limit. */
export function mostParentKeys(target: Target, embed: EmbedPlan): number {
  const parents = parentColumns(target, embed)
  return target.dialect.numberedKeys?.(parents) === undefined
    ? mostKeys(
        target.dialect,
        parents.map(({ column }) => column),
      )
    : Number.POSITIVE_INFINITY
}

/** Returns the columns that hold the parent's key: in the related table, or in the junction. */
const parentColumns = (target: Target, { relation, rows }: EmbedPlan): readonly ComparedColumn[] =>
  comparedColumns(target, { relation, source: rows.from })
