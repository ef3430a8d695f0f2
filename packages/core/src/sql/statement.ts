// Compiles a statement for the driver: fragments are printed here, queries of Kysely's builders by Kysely.

import { type Compilable, type CompiledQuery, createQueryId } from 'kysely'
import type { AnyDatabase } from './any-database.ts'
import { type Fragment, isFragment } from './fragment.ts'
import { printFragment, type TextStyle } from './print.ts'

/** A statement that can be sent: a fragment, or a query of Kysely's builders. */
export type Statement = Fragment | Compilable

/** The text and parameters of a statement; without a style, Kysely prints it. */
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
