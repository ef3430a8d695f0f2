// Scopes: which rows of each source of a plan may be read; a source for which nothing was decided cannot be compiled.

import type { Expression } from 'kysely'
import type { Source } from '../plan/plan.ts'
import type { Target } from './target.ts'

/** All rows of the source's table, or the query that its access policy left. */
export type Scope = 'all' | Expression<unknown>

export interface Scopes {
  /** The rows that may be read of a source; throws where nothing was decided. */
  of(source: Source): Scope
  /** Whether any source is narrowed by a query. */
  readonly narrowing: boolean
}

/** Scopes that are being decided, source by source. */
export interface ScopeDecisions extends Scopes {
  decide(source: Source, scope: Scope): void
}

export function scopeDecisions(): ScopeDecisions {
  const decided = new Map<Source, Scope>()
  let narrowing = false
  return {
    decide(source, scope) {
      decided.set(source, scope)
      narrowing ||= scope !== 'all'
    },
    of: (source) => decided.get(source) ?? undecided(source),
    get narrowing() {
      return narrowing
    },
  }
}

function undecided({ resource, alias }: Source): never {
  throw new Error(
    `Nothing was decided about the rows of "${alias}" (${resource.name}). Narrow the plan by its policies first, or read it with unscoped(target).`,
  )
}

/** The scopes of a request before its plan is narrowed. */
export const noScopes: Scopes = { of: undecided, narrowing: false }

const allRows: Scopes = { of: () => 'all', narrowing: false }

/**
 * Reads past the access policies: for what the service itself must know, never for what a client is shown. Every use is
 * listed in `test/architecture/unscoped.test.ts`.
 */
export const unscoped = (target: Target): Target => ({ ...target, scopes: allRows })
