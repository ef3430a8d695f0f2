// The service's own reads by keys, such as that of the user of a request (`auth`): `prepareByKey` is called once at start, and each request
// binds its key to the stored SQL by `compileByKey`, or several keys by `compileByKeys`. They have no query string, and no policies apply.

import type { Lease } from '../../database/leases/lease.ts'
import { noShortcuts } from '../compile/json/database-json.ts'
import { compileRead, type ReadProgram } from '../compile/read-program.ts'
import type { Slice } from '../compile/rows/row-query.ts'
import type { Target } from '../compile/target.ts'
import type { ReadPlan, Value } from '../plan/plan.ts'
import { type PreparedRead, planWithValues, prepareRead } from './prepared-read.ts'
import type { Skeleton } from './skeleton.ts'
import { makeFromStore } from './stored-read.ts'

/** The skeleton of an empty query. */
const noQuery: Skeleton = { key: '', values: [], pageOrCursor: undefined }

/** Prepares a plan whose conditions have slots for the values of a key. */
export function prepareByKey(plan: ReadPlan): PreparedRead {
  // `openScopes`: not used, because the caller of `compileByKey` gives the scopes with the target.
  const prepared = prepareRead(plan, noQuery, { openScopes: undefined, additional: [] })
  if (prepared === undefined) throw new Error('a read by key has a value of a query')
  return prepared
}

/**
 * Compiles the program that reads the row with this key, or the rows of a `slice`. The values of `key` replace those of the plan; it is
 * empty for a plan without conditions on a key.
 */
export function compileByKey(
  target: Target,
  prepared: PreparedRead,
  key: readonly Value[],
  lease: Lease,
  slice?: Slice,
): ReadProgram {
  const converted = planWithValues(prepared, { skeleton: noQuery, key })
  if (converted === undefined) throw new Error('a read by key misses a value')
  const { store } = prepared.statements(target.dialect, noScopeForms)
  const { plan, values } = converted
  const make = makeFromStore({ target, store, values, lease })
  return compileRead(target, plan, { shortcuts: noShortcuts, make }, slice)
}

/**
 * Compiles the program that reads the rows with these keys of one column. The limit is written into the SQL (`fixed`), rounded up to a
 * power of two, so that lists of similar length share a statement.
 */
export function compileByKeys(
  target: Target,
  prepared: PreparedRead,
  keys: readonly Value[],
  lease: Lease,
): ReadProgram {
  const limit = 2 ** Math.ceil(Math.log2(keys.length))
  return compileByKey(target, prepared, keys, lease, { limit, fixed: true, offset: 0 })
}

/** The forms of the scopes (`PrintedScopes.forms`): none, because these reads ignore the policies. */
const noScopeForms: readonly string[] = []
