// readLock: lets a write in the host's transaction read the newest rows, where a plain SELECT would read the transaction's snapshot
// (REPEATABLE READ of MariaDB and MySQL). `write` makes its targets by `readingNewest` and `readingForChange`; all compilers end their SELECTs
// with `readLock`, which is empty for other targets, and add locks to expressions of the host by `withReadLock`.

import {
  type Expression,
  OperationNodeTransformer,
  type QueryId,
  SelectModifierNode,
  type SelectQueryNode,
} from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { ReadLocks } from './bound-target.ts'
import { expressionOf } from './rows/distinct-query.ts'
import type { Target } from './target.ts'

const forUpdate = sql`for update`

/** The target of the reads of a write: `locks` if the host's transaction may have a snapshot, and the database reads past it by locks. */
export function readingNewest<T extends Target>(target: T): T {
  const related = target.dialect.readNewest
  return related === undefined ? target : { ...target, locks: { base: related, related } }
}

/** Reads the rows of the base to change them, so that two transactions do not both get the weaker lock and wait for each other. */
export const readingForChange = <T extends Target>(target: T): T =>
  target.locks === undefined ? target : { ...target, locks: { ...target.locks, base: forUpdate } }

/** What ends a SELECT on rows of the base of a statement (`of` is `base`), or only on related rows. Empty unless `readingNewest`. */
export const readLock = ({ locks }: Target, of: keyof ReadLocks): Fragment =>
  locks === undefined ? none : sql` ${locks[of]}`

const none = sql``

/**
 * An expression of the host with a lock in each of its SELECTs; `of` is that of the outer one. SELECTs in handwritten SQL and in UNIONs
 * remain as they are.
 */
export function withReadLock(
  { locks }: Target,
  expression: Expression<unknown>,
  of: keyof ReadLocks,
): Expression<unknown> {
  if (locks === undefined) return expression
  const transformer = new Locking(locks, of)
  return expressionOf(transformer.transformNode(expression.toOperationNode()))
}

/** Adds the lock to the SELECTs of a Kysely expression. */
class Locking extends OperationNodeTransformer {
  readonly #locks: ReadLocks
  #of: keyof ReadLocks

  constructor(locks: ReadLocks, of: keyof ReadLocks) {
    super()
    this.#locks = locks
    this.#of = of
  }

  protected override transformSelectQuery(
    node: SelectQueryNode,
    queryId?: QueryId,
  ): SelectQueryNode {
    // A member of a UNION, which takes no lock of its own.
    const isUnionMember = this.nodeStack.at(-2)?.kind === 'SetOperationNode'
    const lock = this.#locks[this.#of]
    // Every SELECT inside this one reads related rows.
    this.#of = 'related'
    const inner = super.transformSelectQuery(node, queryId)
    // The host has written `for update` or the like itself.
    const hasOwn = (node.endModifiers ?? []).length > 0
    if (isUnionMember || hasOwn || node.setOperations !== undefined) return inner
    const modifier = SelectModifierNode.createWithExpression(lock.toOperationNode())
    return { ...inner, endModifiers: [modifier] }
  }
}
