// withArrayRows: finds out whether the driver returns rows as arrays on request, as the wrappers of `@model-api/core/drivers` do, which
// saves making objects of them. Asked when the API first connects (`http/call/connect.ts`).

import { CompiledQuery } from 'kysely'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import type { InternalDialect } from '../../internal-dialect.ts'
import { asArrays } from './array-rows.ts'

/** Returns the dialect with the result in `shortcuts.arrayRows`; without arrays, the dialect also loses `objectText`. */
export async function withArrayRows(
  db: AnyDatabase,
  dialect: InternalDialect,
): Promise<InternalDialect> {
  const { shortcuts } = dialect
  if (shortcuts?.textStyle === undefined || shortcuts.arrayRows === false) return dialect
  const probe = CompiledQuery.raw(asArrays('select 1 as one'))
  return db.getExecutor().provideConnection(async (connection) => {
    const { rows } = await connection.executeQuery(probe)
    if (Array.isArray(rows[0])) {
      return { ...dialect, shortcuts: { ...shortcuts, arrayRows: true } }
    }
    const { server = {} } = dialect
    const { advice = [], poolAdvice } = server
    // Such a driver prepares each statement anew. A statement that builds the JSON of objects is so long that this costs more than it saves.
    const { objectText: _, ...others } = shortcuts
    return {
      ...dialect,
      shortcuts: { ...others, arrayRows: false },
      server: { ...server, advice: [...advice, ...(poolAdvice?.(connection) ?? [])] },
    }
  })
}
