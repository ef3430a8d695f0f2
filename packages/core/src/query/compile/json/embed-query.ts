// Compiles the statement that reads the related rows of an embed for all parents, by the parents' keys.

import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import { valueOfJson } from '../../plan/conditions/value.ts'
import type { EmbedPlan, Value } from '../../plan/plan.ts'
import { slotParam } from '../bound-target.ts'
import { readLock } from '../read-lock.ts'
import { orderBy } from '../rows/clauses.ts'
import { allOf } from '../rows/condition.ts'
import { type KeyColumn, keysCondition, mostKeys } from '../rows/keys-condition.ts'
import { orderTerms } from '../rows/row-order.ts'
import { type MemberReader, selectList } from '../selection.ts'
import { comparedColumns, joinedSource } from '../source.ts'
import type { Target } from '../target.ts'
import {
  type ObjectColumn,
  type ObjectSelection,
  objectAlias,
  objectColumn,
} from './object-json.ts'

export interface CompiledEmbed {
  readonly rows: Fragment
  readonly readers: readonly MemberReader[]
  /** Where a row contains the JSON of its object, and the test whether that has the expected form. */
  readonly object?: ObjectColumn
  /** Reads the key of the row's parent, in the order of `relation.from`. */
  readonly parentKey: readonly KeyReader[]
}

/** Reads one part of a key. */
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
  if (column.type !== 'decimal') return decode
  return (raw) => (valueOfJson(column, decode(raw)) as string | undefined) ?? null
}

const parentAlias = (i: number): string => `parent_${i}`
const rank = 'rank_in_parent'

/**
 * Compiles the statement. `maxRows` limits its rows, so that one request cannot read a whole database; null for to-one relations.
 * `object` is the JSON of each row that the database builds.
 */
export function compileEmbed(
  target: Target,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
  maxRows: number | null,
  object?: ObjectSelection,
): CompiledEmbed {
  const { relation, rows: plan } = embed
  const { dialect } = target
  const selection = selectList(target, object?.separate ?? plan.output, false)
  const parents = parentColumns(target, embed)
  const source = joinedSource(target, { from: plan.from, relation, source: plan.from })
  const chosen = allOf(target, plan.where)
  const order = orderTerms(target, plan, false)
  const parentSelection = parents.map(({ column, ref }, i) =>
    sql`${dialect.select(column, ref)}`.as(parentAlias(i)),
  )
  const { readers } = selection
  const objects = object === undefined ? [] : [object.text.as(objectAlias)]
  const parentKey = parents.map(({ column }, i) => ({
    alias: parentAlias(i),
    index: readers.length + objects.length + i,
    decode: keyDecoder(dialect, column),
  }))
  const selected = [...selection.items, ...objects, ...parentSelection]
  const reading = { readers, parentKey, ...objectColumn(object, readers.length) }
  const within = keysCondition(target, parents, slotParam(target, keysSlot, keys))
  const where = chosen === undefined ? within : sql`${within} and ${chosen}`
  const limit =
    maxRows === null
      ? sql``
      : sql` limit ${limitValue(dialect, slotParam(target, limitSlot, maxRows))}`
  if (embed.limit === null) {
    const all = sql`select ${sql.join(selected)} from ${source} where ${where}`
    return { rows: sql`${all}${orderBy(order)}${limit}${readLock(target, 'related')}`, ...reading }
  }
  const partition = sql.join(parents.map(({ column, ref }) => dialect.comparable(column, ref)))
  const ranking = sql`row_number() over (partition by ${partition} order by ${sql.join(order)})`
  const ranked = sql`select ${sql.join([...selected, ranking.as(rank)])} from ${source} where ${where}${readLock(target, 'related')}`
  return {
    rows: sql`select * from (${ranked}) as ${sql.id('ranked')} where ${sql.id(rank)} <= ${embed.limit} order by ${sql.id(rank)}${limit}`,
    ...reading,
  }
}

/** The slots of the parents' keys and of the limit. */
export const keysSlot: object = { name: 'keys of parents' }
export const limitSlot: object = { name: 'most embedded rows' }

/** The most keys of parents that one statement can have. */
export const mostParentKeys = (target: Target, embed: EmbedPlan): number =>
  mostKeys(
    target.dialect,
    parentColumns(target, embed).map(({ column }) => column),
  )

/** Returns the columns that hold the parent's key: in the related table, or in the junction. */
const parentColumns = (target: Target, { relation, rows }: EmbedPlan): readonly KeyColumn[] =>
  comparedColumns(target, { relation, source: rows.from })
