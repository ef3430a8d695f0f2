// What `query/read.ts` needs of a request: `readerOf` gives the caller with its policies, cache and connection, `databaseJson` decides which
// JSON the database may build for the response.

import { callsCanRead } from '../../../access/can-read.ts'
import { hasDump } from '../../../access/hooks/read-hooks.ts'
import { scoperOf } from '../../../access/policies/scoper-of.ts'
import type { DatabaseJson } from '../../../query/compile/json/database-json.ts'
import type { ReadPlan } from '../../../query/plan/plan.ts'
import type { ReadingCaller } from '../../../query/read-request.ts'
import type { Call } from '../../call/call.ts'
import { openRequestDatabase } from './database/request-database.ts'

/** Returns the caller as a read sees it. No connection is taken before `connect` is called. */
export const readerOf = (call: Call): ReadingCaller => ({
  authority: call,
  scoper: scoperOf(call),
  reads: call.runtime.caches.reads,
  connect: () => openRequestDatabase(call),
})

/** Names the reads of this request's resource and action, as part of the key under which plans are cached. */
export const readName = ({ action }: Call, resource: { readonly name: string }): string =>
  `${resource.name}\n${action}`

/**
 * Decides which JSON the database may build: none if a policy or the caller of the API needs the values. If callbacks need
 * objects, the database builds only the JSON of embedded relations. Parsing that JSON costs less than a separate statement whose
 * values are decoded one by one.
 */
export function databaseJson(
  call: Call,
  plan: ReadPlan,
  of: 'list' | 'record',
): DatabaseJson | undefined {
  const { asText, hooks, base } = call
  const { rows, embeds } = plan
  const isForCallback = (hooks.dump ?? hooks.return ?? hooks.final) !== undefined
  if (!(asText || isForCallback) || callsCanRead(call, plan)) return undefined
  // `objects: false`: only embedded objects.
  if (isForCallback || hasDump(rows.from.resource, embeds)) return { base, objects: false }
  // The ETag covers all columns, so the database may build a single record only if it is whole (`records`), without `fields`.
  const objects = of === 'record' ? rows.shape === 'records' && 'columns' : 'complete'
  return { base, objects }
}
