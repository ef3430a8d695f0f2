// printScopes: prints the narrowed queries of policies as SQL and parameters, so that callers whose policies have the same SQL
// share a cached statement.

import type { RootOperationNode } from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, withOrigin } from '../../lib/sql/fragment.ts'
import { kyselyText } from '../../lib/sql/kysely-text.ts'
import type { TextStyle } from '../../lib/sql/print.ts'
import { hasConditions, type ScopeDecisions, type Scopes } from '../compile/scopes.ts'

export interface PrintedScopes {
  /**
   * The SQL of each scope without its parameters, in the order of the sources. If `forms` are equal, the statements of one plan
   * have the same SQL.
   */
  readonly forms: readonly string[]
  /** The scopes that were given, with each narrowed query replaced by its printed fragment, whose origin is the source. */
  readonly scopes: Scopes
  readonly fragments: ReadonlyMap<object, Fragment>
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
  if (!scopes.narrowing) return unnarrowed(scopes)
  const fragments = new Map<object, Fragment>()
  const forms: string[] = []
  for (const [source, scope] of scopes.decided) {
    if (scope === 'all') {
      forms.push(open)
    } else if (hasConditions(scope)) {
      // The conditions narrow the query of a filter callback. `form` does not contain that query and its parameters.
      if (scope.rows !== 'all') return undefined
      forms.push(scope.form)
      fragments.set(source, scope.condition)
    } else {
      // Prints the scope with the compiler of the host's dialect, as Kysely does for a whole statement.
      const printed = kyselyText(db, style, scope.toOperationNode() as RootOperationNode)
      if (printed === undefined) return undefined
      const fragment = withOrigin<never>(source, printed.fragment)
      forms.push(printed.text)
      fragments.set(source, fragment)
      scopes.print(source, fragment)
    }
  }
  return { forms, scopes, fragments }
}

/** Returns the printed scopes of a read that may read all rows of every source. */
export const unnarrowed = (scopes: Scopes): PrintedScopes => ({
  forms: noForms,
  scopes,
  fragments: noFragments,
})

/** The form of a scope with all rows. No narrowed query or condition has this text. */
const open = '*'

const noForms: readonly string[] = []
const noFragments: ReadonlyMap<object, Fragment> = new Map()
