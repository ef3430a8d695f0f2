// The statements of one read, each compiled when it is asked for: what execution runs, wherever they come from.

import type { CompiledQuery } from 'kysely'
import type { EmbedPlan, ReadPlan, Value } from '../plan/plan.ts'
import type { Statement } from '../sql/statement.ts'
import { type CompiledEmbed, compileEmbed } from './embed-query.ts'
import { type CompiledRows, compileCount, compileRows, type Slice } from './row-query.ts'
import type { Target } from './target.ts'

/** A statement that is still to be printed, or one that is as the driver takes it. */
export type Sendable = Statement | Ready

/** As the driver takes it. */
export interface Ready {
  readonly ready: CompiledQuery
}

export type RowStatement = Omit<CompiledRows, 'rows'> & { readonly rows: Sendable }
export type EmbedStatement = Omit<CompiledEmbed, 'rows'> & { readonly rows: Sendable }

export interface ReadStatements {
  rows(slice: Slice): RowStatement
  count(most: number | null): Sendable
  embed(embed: EmbedPlan, keys: readonly (readonly Value[])[], most: number | null): EmbedStatement
}

/** The statements of a plan. */
export const readStatements = (target: Target, plan: Pick<ReadPlan, 'rows'>): ReadStatements => ({
  rows: (slice) => compileRows(target, plan.rows, slice),
  count: (most) => compileCount(target, plan.rows, most),
  embed: (embed, keys, most) => compileEmbed(target, embed, keys, most),
})
