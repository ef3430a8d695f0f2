// Replication: the primary's log position after a write, and whether a replica has reached it. Clients send the position back with reads
// (`database/replicas/`). Types only.

import type { Expression } from 'kysely'

/** A position is a string that identifies everything the primary had committed at one moment. */
export interface Replication {
  /** The primary's position; NULL if it has none. */
  readonly position: Expression<unknown>
  /** What a primary needs to have a position, for messages. */
  readonly needs: string
  /** Whether a string has the form of a position. */
  readonly isPosition: (text: string) => boolean
  /** 1 if a server has reached the position, otherwise 0 or NULL. */
  readonly reached: (position: string) => Expression<unknown>
}
