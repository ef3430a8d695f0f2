// printScopes: prints the narrowed queries of policies as SQL and parameters, so that callers whose policies have the same SQL share a
// stored statement: that of user 7 is sent for user 8 with another parameter. `scopePlanned` calls it for plans that are cached, and
// printedOpenScopes for those that no policy narrows.

import type { RootOperationNode } from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { kyselyText } from '../../lib/sql/kysely-text.ts'
import type { TextStyle } from '../../lib/sql/print.ts'
import { hasConditions, isPrinted, type ScopeDecisions, type Scopes } from '../compile/scopes.ts'

/** The result of `printScopes`: which stored statement fits, and the values to send with it. */
export interface PrintedScopes {
  /**
   * The SQL of each scope without its parameters, in the order of the sources. If `forms` are equal, the statements of one plan
   * have the same SQL.
   */
  readonly forms: readonly string[]
  /** The scopes that were given, with each narrowed query replaced by its printed SQL. */
  readonly scopes: Scopes
  /** The values of each scope, by its source, which is their slot in the stored statements. */
  readonly values: ReadonlyMap<object, readonly unknown[]>
}

/**
 * Prints the scope of each source of a plan; undefined if the SQL cannot be printed apart from its parameters.
 *
 * `select * from "books" where "owner_id" = $1` with the parameters `[7]`
 */
export function printScopes(
  db: AnyDatabase,
  style: TextStyle,
  scopes: ScopeDecisions,
): PrintedScopes | undefined {
  if (!scopes.narrowing) return printedOpenScopes(scopes)
  const values = new Map<object, readonly unknown[]>()
  const forms: string[] = []
  for (const [source, scope] of scopes.decided) {
    if (scope === 'all') {
      forms.push(open)
    } else if (hasConditions(scope)) {
      // The conditions narrow the query of a filter callback. `form` does not contain that query and its parameters.
      if (scope.rows !== 'all') return undefined
      forms.push(scope.form)
      values.set(source, scope.values)
    } else if (isPrinted(scope)) {
      // Does not occur: only this function makes printed scopes, and it is called once for each read.
      return undefined
    } else {
      // Prints the scope with the compiler of the host's dialect, as Kysely does for a whole statement.
      const printed = kyselyText(db, style, scope.toOperationNode() as RootOperationNode)
      if (printed === undefined) return undefined
      forms.push(printed.text)
      values.set(source, printed.parameters)
      scopes.print(source, printed)
    }
  }
  return { forms, scopes, values }
}

/** Returns the printed scopes of a read that may read all rows of every source. */
export const printedOpenScopes = (scopes: Scopes): PrintedScopes => ({
  forms: noForms,
  scopes,
  values: noValues,
})

/** The form of a scope with all rows. No narrowed query or condition has this text. */
const open = '*'

const noForms: readonly string[] = []
const noValues: ReadonlyMap<object, readonly unknown[]> = new Map()
