// Target: what statements are compiled for — the dialect, a Kysely instance, and the scope of each source. `http/endpoints/reads` makes it
// for a request, without scopes; the policies add these. Types only.

import type { Fragment } from '../../lib/sql/fragment.ts'
import type { RelatedRef } from '../plan/plan.ts'
import type { BoundTarget } from './bound-target.ts'
import type { Scopes } from './scopes.ts'

/** A `BoundTarget` by which the rows of sources can be read. */
export interface Target extends BoundTarget {
  /** Which rows of each source may be read. */
  readonly scopes: Scopes
  /** The values of aggregates of related rows that the statement has joined; others are subqueries. */
  readonly groups?: ReadonlyMap<RelatedRef, Fragment>
}
