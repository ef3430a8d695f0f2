// Chooses the server for a read: a replica if one is available and has replayed the caller's writes, else the primary.

import type { Replica } from '../../../../database/replicas/replica.ts'
import { ApiError } from '../../../../errors.ts'
import type { MaybePromise } from '../../../../lib/maybe-promise.ts'
import type { ApiRequest } from '../../../../model/request.ts'
import type { Call } from '../../../call/call.ts'
import type { Result } from '../../../envelope.ts'
import { carriedPosition } from './write-position.ts'

type Reading = Pick<Call, 'request' | 'runtime'>

/** Whether requests of a method may be served by a replica. QUERY is GET here. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Calls `read` with a replica. Returns undefined if no replica is suitable, or if it failed; the caller must then read the primary. */
export async function readFromReplica<T>(
  reading: Reading,
  read: (replica: Replica) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { replicas, root, session } = reading.runtime.database
  if (replicas === undefined || (await session(reading.request)) !== root) return undefined
  const replica = await replicaFor(reading)
  if (replica === undefined) return undefined
  try {
    return await read(replica)
  } catch (error) {
    const lost = isLost(error, replica)
    if (lost) markUnavailable(reading, replica, error)
    if (lost || wasCanceled(error, replica)) return undefined
    throw error
  }
}

/**
 * Reads from a replica, and repeats the read on the primary if the replica fails. A request with a write position reads
 * from a replica only if the replica has replayed that position. An instance returned by API_SESSION_GETTER is never replaced.
 */
export function readPreferringReplica(
  call: Call,
  read: (call: Call) => MaybePromise<Result>,
): MaybePromise<Result> {
  if (call.runtime.database.replicas === undefined) return read(call)
  const reading = readFromReplica(call, async (replica) => read({ ...call, replica }))
  return reading.then((result) => result ?? read(call))
}

/** The replica from which each request reads; undefined for the primary. */
const chosen = new WeakMap<ApiRequest, MaybePromise<Replica | undefined>>()

/** Returns the replica of a request, which all of its reads use; undefined for the primary. */
function replicaFor(reading: Reading): MaybePromise<Replica | undefined> {
  const { request } = reading
  if (chosen.has(request)) return chosen.get(request)
  const replica = nextReplica(reading)
  chosen.set(request, replica)
  return replica
}

/** Marks a replica as unavailable; the rest of the request reads the primary. */
function markUnavailable({ request, runtime }: Reading, replica: Replica, error: unknown): void {
  runtime.database.replicas?.markUnavailable(replica, error)
  chosen.set(request, undefined)
}

/** Returns the next available replica; undefined if it has not yet replayed all writes that the request must see. */
function nextReplica(call: Reading): MaybePromise<Replica | undefined> {
  const { database, settings } = call.runtime
  const { replicas } = database
  const replica = replicas?.next()
  if (replica === undefined || settings.readYourWrites === 'off') return replica
  const position = carriedPosition(call.request, settings, replica.dialect)
  if (position === undefined) return replica
  if (position === 'unknown') return undefined
  return replica.reaches(position, call.request).then(
    (isReached) => (isReached ? replica : undefined),
    (error: unknown) => {
      if (!isLost(error, replica)) throw error
      replicas?.markUnavailable(replica, error)
      return undefined
    },
  )
}

/** Returns what the dialect makes of the database's error behind a 503: `unavailable`, `retry` …; undefined for any other error. */
const kindOf = (error: unknown, { dialect }: Replica): string | undefined =>
  error instanceof ApiError && error.status === 503 && error.cause !== undefined
    ? dialect.classify(error.cause).kind
    : undefined

/** Whether the connection to the replica failed. */
const isLost = (error: unknown, replica: Replica): boolean =>
  kindOf(error, replica) === 'unavailable'

/** Whether the replica canceled the read, because it conflicts with changes that it has to replay. */
const wasCanceled = (error: unknown, replica: Replica): boolean =>
  kindOf(error, replica) === 'retry'
