// Sendable: a statement that can be sent, printed already or not.

import type { CompiledQuery } from 'kysely'
import type { Statement } from '../sql/statement.ts'

/** A statement that is still to be printed, or one that is as the driver takes it. */
export type Sendable = Statement | Ready

/** As the driver takes it. */
export interface Ready {
  readonly ready: CompiledQuery
}
