// Compiles statements for the driver: fragments are printed here, queries of Kysely's builders by Kysely. A lease sends the statements of
// requests; `rowsOf` sends those by which `dialect` and `catalogue` read the database's declarations.

import { type Compilable, type CompiledQuery, createQueryId, type QueryResult } from 'kysely'
import type { AnyDatabase } from './any-database.ts'
import { type Fragment, isFragment, sql } from './fragment.ts'
import { printFragment, type TextStyle } from './print.ts'

/** A statement that can be sent: a fragment, or a query of Kysely's builders. */
export type Statement = Fragment | Compilable

/** Returns the text and parameters of a statement; without a style, Kysely prints it. */
export function compileStatement(
  db: AnyDatabase,
  statement: Statement,
  style: TextStyle | undefined,
): CompiledQuery {
  if (!isFragment(statement)) return (statement as Compilable).compile()
  return (
    (style && printFragment(statement as Fragment, style)) ??
    compileByKysely(db, statement as Fragment)
  )
}

/** Compiles a fragment with Kysely's compiler. */
function compileByKysely(db: AnyDatabase, fragment: Fragment): CompiledQuery {
  const executor = db.getExecutor()
  const id = createQueryId()
  const node = executor.transformQuery(fragment.toOperationNode() as never, id)
  return executor.compileQuery(node, id)
}

/** Sends a fragment without a lease, printed by Kysely. */
export const executeFragment = (
  db: AnyDatabase,
  fragment: Fragment,
): Promise<QueryResult<unknown>> => db.executeQuery(compileByKysely(db, fragment))

/**
 * A template tag that sends its SQL without a lease and resolves with the rows, for look-ups of `dialect` and `catalogue`.
 *
 * ```ts
 * const rows = await rowsOf<{ name: string }>(db)`select name from pragma_database_list`
 * ```
 */
export const rowsOf =
  <R>(db: AnyDatabase) =>
  async (strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<R[]> =>
    (await executeFragment(db, sql(strings, ...values))).rows as R[]
