// makeFromStore: how `compile/read-program.ts` makes the statements of a prepared read: each is printed once and stored, and later
// requests bind their values to it. `combinedSlotValues` joins the values of a query and those of its policies for that.

import type { Lease } from '../../database/leases/lease.ts'
import type { SlotValues } from '../../lib/sql/stored-statement.ts'
import type { SlotValue, StatementMaker, StatementRequest } from '../compile/read-program.ts'
import type { Target } from '../compile/target.ts'
import type { StatementStore } from './statement-store.ts'

/** A prepared read with the values of a request. */
export interface StoredRead {
  readonly target: Target
  readonly store: StatementStore
  /** The values of the plan's conditions, cursor and scopes, by their slots. */
  readonly values: SlotValues
  /** Sends the statements. */
  readonly lease: Lease
}

/** Makes statements by the store; a statement is undefined if it must be compiled normally. */
export function makeFromStore({ target, store, values, lease }: StoredRead): StatementMaker {
  const style = target.dialect.shortcuts?.textStyle
  // Where the connection bounds all statements, the text has no time limit of the server.
  // So the two forms have different names.
  const place = lease.isBounded ? 'bounded ' : ''
  return <R>({ name, own, asArrays, compile }: StatementRequest<R>) =>
    style &&
    store.make<R>({
      name: place + name,
      values: own.length === 0 ? values : withOwn(values, own),
      style,
      finish: (text) => lease.sqlOfRead(text, asArrays),
      compile: (decisions) => compile({ ...target, decisions }),
    })
}

/** The values of the plan and of the statement's own slots. */
const withOwn = (values: SlotValues, own: readonly SlotValue[]): SlotValues => ({
  get(slot) {
    for (const [owned, value] of own) if (owned === slot) return value
    return values.get(slot)
  },
})

/** The values of the query and those of the policies, which have different slots, as one. */
export const combinedSlotValues = (some: SlotValues, others: SlotValues): SlotValues => ({
  get: (slot) => some.get(slot) ?? others.get(slot),
})
