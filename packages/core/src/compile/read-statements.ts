// The statements of one read, each compiled when it is asked for: what execution runs, wherever they come from.

import type { CompiledQuery } from 'kysely'
import type { EmbedPlan, ReadPlan, Value } from '../plan/plan.ts'
import type { Statement } from '../sql/statement.ts'
import type { ObjectPlace } from './cell.ts'
import { type CompiledEmbed, compileEmbed } from './embed-query.ts'
import type { ListTotal } from './list-text.ts'
import { compileCount } from './row-count.ts'
import { type CompiledRows, compileRows, type Slice } from './row-query.ts'
import type { Target } from './target.ts'

/** A statement that is still to be printed, or one that is as the driver takes it. */
export type Sendable = Statement | Ready

/** As the driver takes it. */
export interface Ready {
  readonly ready: CompiledQuery
}

export type RowStatement = Omit<CompiledRows, 'rows' | 'object'> & {
  readonly rows: Sendable
  readonly object?: CheckedObject | undefined
}
export type EmbedStatement = Omit<CompiledEmbed, 'rows' | 'object'> & {
  readonly rows: Sendable
  readonly object?: CheckedObject | undefined
}

/** Where a row holds the text of its object, and whether one has the form that was promised. */
export interface CheckedObject {
  readonly place: ObjectPlace
  /** Of the value at that place. */
  readonly fits: (text: unknown) => boolean
}

/** A statement whose one row is the text of the page's objects (`listPlaces`), and whether that is one of so many of them. */
export interface ListStatement {
  readonly list: Sendable
  readonly fits: (text: unknown, count: number) => boolean
}

export interface ReadStatements {
  /** The page as one text; undefined where it cannot be had. */
  readonly list?: (
    slice: Omit<Slice, 'total'>,
    total: ListTotal | undefined,
  ) => ListStatement | undefined
  /** The same with values instead of objects' texts, of which one had not its form: for this read and those after it. */
  readonly withValues?: () => ReadStatements
  rows(slice: Slice): RowStatement
  count(most: number | null): Sendable
  embed(embed: EmbedPlan, keys: readonly (readonly Value[])[], most: number | null): EmbedStatement
}

/** The statements of a plan. */
export const readStatements = (target: Target, plan: Pick<ReadPlan, 'rows'>): ReadStatements => ({
  rows: (slice) => valuesOf(compileRows(target, plan.rows, slice)),
  count: (most) => compileCount(target, plan.rows, most),
  embed: (embed, keys, most) => valuesOf(compileEmbed(target, embed, keys, most)),
})

/** Of a statement that has no texts of objects. */
export const valuesOf = <C extends Pick<CompiledRows, 'object'>>({
  object: _,
  ...compiled
}: C): Omit<C, 'object'> => compiled
