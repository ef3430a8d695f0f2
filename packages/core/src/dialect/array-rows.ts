// Finds out whether the driver gives rows as arrays when it is asked to: the wrappers of `@model-api/core/prepared` do.

import { CompiledQuery, type Kysely } from 'kysely'
import { asArrays } from '../prepared/array-rows.ts'
import type { Dialect } from './dialect.ts'

/** The dialect, knowing it. */
export async function withArrayRows(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  dialect: Dialect,
): Promise<Dialect> {
  // Who prints statements by Kysely alone has no wrapper of ours.
  if (dialect.textStyle === undefined) return dialect
  const probe = CompiledQuery.raw(asArrays('select 1 as one'))
  return db.getExecutor().provideConnection(async (connection) => {
    const { rows } = await connection.executeQuery(probe)
    if (Array.isArray(rows[0])) return { ...dialect, arrayRows: true }
    const { advice = [], unwrappedAdvice } = dialect
    return {
      ...dialect,
      arrayRows: false,
      advice: [...advice, ...(unwrappedAdvice?.(connection) ?? [])],
    }
  })
}
