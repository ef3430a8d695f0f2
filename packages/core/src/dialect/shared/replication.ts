// Replication: what a primary is asked after a write, and what a replica is asked before a read, so that writers read what they wrote. Types only.

import type { Expression } from 'kysely'

/** A position is a text that names everything that a primary had committed at one moment. */
export interface Replication {
  /** The position of a primary; null where it keeps none. */
  readonly position: Expression<unknown>
  /** What a primary must be set to for it to keep one, in words. */
  readonly needs: string
  /** Whether a text has the form of a position. */
  readonly isPosition: (text: string) => boolean
  /** 1 where a server has everything that the position names, else 0 or NULL. */
  readonly reached: (position: string) => Expression<unknown>
}
