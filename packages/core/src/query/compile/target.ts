// Target: what statements are compiled for — the dialect, a Kysely instance, and the scope of each source. Types only.

import type { BoundTarget } from './bound-target.ts'
import type { Scopes } from './scopes.ts'

export interface Target extends BoundTarget {
  /** Which rows of each source may be read. */
  readonly scopes: Scopes
}
