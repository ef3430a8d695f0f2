// Where a read is sent: to a replica where there is one that may answer it, else to the primary.

import type { Call } from '../call.ts'
import { ApiError } from '../errors.ts'
import type { Replica } from '../execute/replica.ts'
import type { Result } from '../http/envelope.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import { carriedPosition } from './write-position.ts'

/** Who reads, and where. */
type Reading = Pick<Call, 'request' | 'runtime'>

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * Reads from a replica; undefined where the primary has to be asked: there is none that may answer, or it was lost on the way.
 */
export async function readFromReplica<T>(
  reading: Reading,
  read: (replica: Replica) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { replicas, root, session } = reading.runtime
  if (replicas === undefined || (await session(reading.request)) !== root) return undefined
  const replica = await replicaFor(reading)
  if (replica === undefined) return undefined
  try {
    return await read(replica)
  } catch (error) {
    const lost = isLost(error, replica)
    if (lost) replicas.leaveOut(replica, error)
    if (lost || gaveWay(error, replica)) return undefined
    throw error
  }
}

/**
 * Reads from a replica, and once more from the primary where the replica was lost on the way. Whoever carries the position
 * of a write reads where that write is. An instance of the session getter's is read as it is.
 */
export function readPreferringReplica(
  call: Call,
  read: (call: Call) => MaybePromise<Result>,
): MaybePromise<Result> {
  const { replicas, root, session } = call.runtime
  if (replicas === undefined) return read(call)
  return andThen(session(call.request), (own) => {
    if (own !== root) return read(call)
    return andThen(replicaFor(call), (replica) =>
      replica === undefined ? read(call) : readFrom(call, replica, read),
    )
  })
}

/** A replica that has what the caller has written, or undefined. */
function replicaFor(call: Reading): MaybePromise<Replica | undefined> {
  const { replicas, settings } = call.runtime
  const replica = replicas?.next()
  if (replica === undefined || settings.readYourWrites === 'off') return replica
  const position = carriedPosition(call, replica.dialect)
  if (position === undefined) return replica
  if (position === 'unknown') return undefined
  return replica.reaches(position, call.request).then(
    (isReached) => (isReached ? replica : undefined),
    (error: unknown) => {
      if (!isLost(error, replica)) throw error
      replicas?.leaveOut(replica, error)
      return undefined
    },
  )
}

async function readFrom(
  call: Call,
  replica: Replica,
  read: (call: Call) => MaybePromise<Result>,
): Promise<Result> {
  try {
    return await read({ ...call, replica })
  } catch (error) {
    const lost = isLost(error, replica)
    if (lost) call.runtime.replicas?.leaveOut(replica, error)
    if (lost || gaveWay(error, replica)) return read(call)
    throw error
  }
}

const kindOf = (error: unknown, { dialect }: Replica): string | undefined =>
  error instanceof ApiError && error.status === 503 && error.cause !== undefined
    ? dialect.classify(error.cause).kind
    : undefined

const isLost = (error: unknown, replica: Replica): boolean =>
  kindOf(error, replica) === 'unavailable'

/** A replica ends a read that is in the way of what it has to apply. */
const gaveWay = (error: unknown, replica: Replica): boolean => kindOf(error, replica) === 'retry'
