// printScopes: the narrowed queries of policies as SQL text and parameters, so that a cached statement can be used with the parameters of another caller whose policies give the same text.

import type { Expression, RootOperationNode } from 'kysely'
import { hasConditions, type Scopes, scopeDecisions } from '../compile/scopes.ts'
import type { ReadPlan, Source } from '../plan/plan.ts'
import { allSourcesOf } from '../plan/sources.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { type Fragment, withOrigin } from '../sql/fragment.ts'
import { kyselyText } from '../sql/kysely-text.ts'
import type { TextStyle } from '../sql/print.ts'

export interface PrintedScopes {
  /** The SQL texts of all scopes, without their parameters. Statements of one plan have the same SQL if these are equal. */
  readonly form: string
  /** The same decisions, as fragments whose origin is the source. */
  readonly scopes: Scopes
  readonly fragments: ReadonlyMap<object, Fragment>
}

/**
 * Prints the scope of each source of a plan; undefined if the text cannot be separated from its parameters.
 *
 * `select * from "books" where "owner_id" = $1` with the parameters `[7]`
 */
export function printScopes(
  db: AnyDatabase,
  style: TextStyle,
  plan: Pick<ReadPlan, 'rows' | 'embeds'>,
  scopes: Scopes,
): PrintedScopes | undefined {
  if (!scopes.narrowing) return unnarrowed(scopes)
  const decisions = scopeDecisions()
  const fragments = new Map<object, Fragment>()
  let form = ''
  for (const source of allSourcesOf(plan)) {
    const scope = scopes.of(source)
    if (scope === 'all') {
      form += '*'
      decisions.decide(source, 'all')
      continue
    }
    if (hasConditions(scope)) {
      // The query of the filter callback has its own parameters.
      if (scope.rows !== 'all') return undefined
      form += `where ${scope.form.length}:${scope.form}`
      fragments.set(source, scope.condition)
      decisions.decide(source, scope)
      continue
    }
    const printed = printScope(db, style, source, scope)
    if (printed === undefined) return undefined
    form += `${printed.text.length}:${printed.text}`
    fragments.set(source, printed.fragment)
    decisions.decide(source, printed.fragment)
  }
  return { form, scopes: decisions, fragments }
}

/** The scopes of a read whose sources all have all rows. */
export const unnarrowed = (scopes: Scopes): PrintedScopes => ({ form: '', scopes, fragments: none })

const none: ReadonlyMap<object, Fragment> = new Map()

function printScope(
  db: AnyDatabase,
  style: TextStyle,
  source: Source,
  scope: Expression<unknown>,
): { readonly text: string; readonly fragment: Fragment } | undefined {
  // Prints it with the compiler of the host's dialect, like Kysely does when it prints a whole statement.
  const printed = kyselyText(db, style, scope.toOperationNode() as RootOperationNode)
  return printed && { text: printed.text, fragment: withOrigin(source, printed.fragment) }
}
