// Finds out whether the driver gives rows as arrays when it is asked to: the wrappers of `@model-api/core/prepared` do.

import { CompiledQuery } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'
import type { Dialect } from '../dialect.ts'
import { asArrays } from './array-rows.ts'

/** The dialect, knowing it. */
export async function withArrayRows(db: AnyDatabase, dialect: Dialect): Promise<Dialect> {
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
