// Stores the responses of POST requests with an Idempotency-Key in the table `idempotency_keys` of the same database (docs/guide/writing.md).
// `http/endpoints/writes/response/idempotent-post.ts` calls `claimKey` before the write, `storeResponse` at the end of its transaction,
// `releaseKey` if it fails, and `readKeyState` if another request has taken the key over (ClaimLost). A batch stores its response, which
// may be long, by `storeLongResponse`, and reads it by `withParts`.

import type { QueryResult } from 'kysely'
import { ApiError } from '../../errors.ts'
import { exactJson } from '../../lib/json/canonical.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { asciiJson } from '../../lib/json/stringify.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Lease } from '../leases/lease.ts'
import { withRetries } from '../statements/retry.ts'
import { asUnavailable } from '../statements/unavailable.ts'
import { createTable, storeTable } from './create-table.ts'

/** How long a key is stored, in milliseconds. */
const lifetime = 24 * 60 * 60 * 1000
/** Milliseconds after which an unfinished request is considered dead, so that another one may claim its key. */
const claimTime = 60 * 1000
/** Maximum size of a response in one row, in bytes; the `text` column of MySQL holds 65,535. */
const maxResponseSize = 60_000
/** Milliseconds between two purges of expired keys. */
const purgeInterval = 60 * 1000
const purgeLimit = 500

/** The response of a finished request, as its key stores it. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The number of records, as the response tells it. */
  readonly total: number
  /** Undefined if the response was too long to store; a replay then reads the records again. */
  readonly value?: JsonValue
  /** A hash of the resources that the caller could list; if it differs on a replay, the records are read again. */
  readonly authority: string
  /** Whether the value is a list of records. */
  readonly many: boolean
  /** Of one record: the first part of the ETag. */
  readonly recordHash?: string
  /** Keys of the records, as JSON. */
  readonly keys: readonly (readonly JsonValue[])[]
  /** The number of further rows that contain the value; absent if the value is in the same row, or not stored. */
  readonly parts?: number
}

/** One key of one client for one route. */
export interface Claim {
  /** A hash of the client, the route and the key. */
  readonly id: string
  /** A hash of the request. If it differs, the client has used the key for another request. */
  readonly fingerprint: string
}

/** A claim that this request holds, unless another request has taken it over. */
export interface HeldClaim extends Claim {
  /** Milliseconds since 1970. Identifies the claim, since no two claims of a key have the same time. */
  readonly claimedAt: number
}

/** `busy`: another request with the key runs. `mismatch`: the key was used for a different request. */
export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly held: HeldClaim }
  | { readonly kind: 'answered'; readonly response: StoredResponse }
  | { readonly kind: 'busy' | 'mismatch' }

/** The connection and the clock of the store. */
export interface KeyStore {
  readonly lease: Lease
  /** The schema of the service's own tables. */
  readonly schema: string | undefined
  /** Milliseconds since 1970; used if the dialect has no server clock. */
  readonly now: () => number
  /** A monotonic clock: milliseconds from any fixed point. */
  readonly elapsed: () => number
  /** Called if claiming a key failed but the claim may be stored. */
  readonly onUncertain?: (held: HeldClaim) => void
}

/** The row of a key, undefined if it has none, and the time at which it was read. */
interface Found {
  readonly now: number
  readonly row: Row | undefined
}

interface Row {
  readonly fingerprint: string
  /** The stored response as JSON; null until the request has finished. */
  readonly answer: string | null
  readonly claimedAt: number
  readonly expiresAt: number
}

/**
 * Claims a key, or returns its state. If several requests do so concurrently, also in several processes, exactly one gets
 * the claim. Conflicts are retried; throws 503 if the database is unavailable, read-only or too slow.
 */
export async function claimKey(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  const { lease } = store
  const attempt = () => claimOnce(store, claim)
  const isConflict = (error: unknown) => lease.dialect.classify(error).kind === 'retry'
  try {
    await purge(store)
    return lease.db.isTransaction ? await attempt() : await withRetries(attempt, isConflict)
  } catch (error) {
    throw asUnavailable(lease.dialect, error) ?? error
  }
}

/** Returns the state of a key, without claiming it. */
export async function readKeyState(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  try {
    return stateOf(await findNewest(store, claim.id), claim) ?? busy
  } catch (error) {
    throw asUnavailable(store.lease.dialect, error) ?? error
  }
}

const busy: ClaimOutcome = { kind: 'busy' }

async function claimOnce(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  const found = await findOrCreateTable(store, claim.id)
  const state = stateOf(found, claim)
  if (state !== undefined) return state
  const held = { ...claim, claimedAt: found.now }
  const { row } = found
  const claiming = row === undefined ? insertClaim(store, held) : takeOver(store, held, row)
  claiming.catch((error: unknown) => {
    if (mayBeStored(store, error)) store.onUncertain?.(held)
  })
  if (await claiming) return { kind: 'claimed', held }
  // A concurrent request was faster. In a transaction, PostgreSQL refuses all statements after the failed INSERT.
  const { db, dialect } = store.lease
  if (db.isTransaction && dialect.readNewest === undefined) return busy
  return stateOf(await findNewest(store, claim.id), claim) ?? busy
}

/** Whether the outcome of a failed claim is unknown: its connection broke, or it exceeded its deadline. */
const mayBeStored = ({ lease }: KeyStore, error: unknown): boolean =>
  error instanceof ApiError || lease.dialect.classify(error).lost === true

/**
 * Returns the state of a key by its row; undefined if the key may be claimed. A claim with a time in the future was made before
 * the clock was set back; it also ends after `claimTime`.
 */
function stateOf({ row, now }: Found, claim: Claim): ClaimOutcome | undefined {
  if (row === undefined || row.expiresAt <= now || row.claimedAt > now + lifetime) return undefined
  if (row.fingerprint !== claim.fingerprint) return { kind: 'mismatch' }
  if (row.answer !== null) return { kind: 'answered', response: responseFrom(row.answer) }
  return Math.abs(now - row.claimedAt) < claimTime ? busy : undefined
}

/** Thrown in the transaction of a write whose claim another request has taken over, to roll it back. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

/**
 * Stores the response in the transaction of the write, so that both are committed or neither. The UPDATE is a
 * compare-and-set and locks the row until the transaction ends. If another request has taken the key over, the UPDATE changes no
 * row, and this throws ClaimLost. A request that tries to take the key over later waits for the lock, and then finds the response.
 */
export async function storeResponse(
  store: KeyStore,
  { id, claimedAt }: HeldClaim,
  response: StoredResponse,
): Promise<void> {
  const whole = asciiText(response)
  const { value: _, ...withoutValue } = response
  const text = whole.length > maxResponseSize ? asciiText(withoutValue) : whole
  try {
    const { numAffectedRows } = await send(
      store,
      sql`update ${keysTable(store)} set answer = ${text}
        where id = ${id} and claimed_at = ${claimedAt} and answer is null`,
    )
    if (numAffectedRows === 0n) throw new ClaimLost('Another request has taken the key over.')
  } catch (error) {
    throw asUnavailable(store.lease.dialect, error) ?? error
  }
}

/**
 * Stores a response of any length, as `storeResponse` does. If its value is too long for the column, it is stored in separate rows,
 * which expire with the row of the key.
 */
export async function storeLongResponse(
  store: KeyStore,
  held: HeldClaim,
  response: StoredResponse,
): Promise<void> {
  if (asciiText(response).length <= maxResponseSize) return storeResponse(store, held, response)
  const { value, ...rest } = response
  const text = asciiText({ value: value ?? null })
  const parts = Math.ceil(text.length / maxResponseSize)
  await storeResponse(store, held, { ...rest, parts })
  const { claimedAt, fingerprint } = held
  try {
    for (let i = 0; i < parts; i++) {
      const id = partId(held, i)
      const part = text.slice(i * maxResponseSize, (i + 1) * maxResponseSize)
      // Deletes the part of an earlier response that has expired, if there is one.
      await send(store, sql`delete from ${keysTable(store)} where id = ${id}`)
      await send(
        store,
        sql`insert into ${keysTable(store)} (id, fingerprint, answer, claimed_at, expires_at)
          values (${id}, ${fingerprint}, ${part}, ${claimedAt}, ${claimedAt + lifetime})`,
      )
    }
  } catch (error) {
    throw asUnavailable(store.lease.dialect, error) ?? error
  }
}

/** Returns the response with the value that `storeLongResponse` has stored in separate rows. */
export async function withParts(
  store: KeyStore,
  claim: Claim,
  response: StoredResponse,
): Promise<StoredResponse> {
  const { parts } = response
  if (parts === undefined) return response
  let text = ''
  for (let i = 0; i < parts; i++) {
    const { row } = await findNewest(store, partId(claim, i))
    text += row?.answer ?? ''
  }
  return { ...response, ...responseFrom(text) }
}

/** Returns the id of the row of a part; it contains a dot, which the id of a claim never does. Both fit `varchar(64)`. */
const partId = ({ id }: Claim, part: number): string => `${id.slice(0, 52)}.${part}`

/**
 * Releases a key after a failure, so that the client can use it again. Continues if the client disconnects, and retries
 * while the database is unavailable.
 */
export async function releaseKey(store: KeyStore, { id, claimedAt }: HeldClaim): Promise<void> {
  const { lease } = store
  const withoutClient = { ...store, lease: store.lease.withoutClient() }
  const release = () =>
    send(
      withoutClient,
      sql`delete from ${keysTable(store)}
        where id = ${id} and claimed_at = ${claimedAt} and answer is null`,
    )
  const isTemporary = (error: unknown) => asUnavailable(lease.dialect, error) !== undefined
  await (lease.db.isTransaction ? release() : withRetries(release, isTemporary))
}

/** Reads what `asciiText` has written; the value keeps the digits of its numbers. */
const responseFrom = (text: string): StoredResponse => exactJson(text) as unknown as StoredResponse

/** The column may have any character set. */
const asciiText = (response: Partial<StoredResponse>): string =>
  asciiJson(response as unknown as JsonValue)

const keysTable = ({ schema }: KeyStore): Fragment => storeTable(schema, 'idempotency_keys')

const send = <R>({ lease }: KeyStore, statement: Fragment): Promise<QueryResult<R>> =>
  lease.send<R>(statement)

/**
 * `find`, but in a transaction of the host it reads the row as last committed, not as the transaction's snapshot has it. Only there it
 * locks: two first requests with the same key would wait for each other.
 */
const findNewest = (store: KeyStore, id: string): Promise<Found> => {
  const { db, dialect } = store.lease
  return find(store, id, db.isTransaction ? dialect.readNewest : undefined)
}

/** Reads the row of a key, and the time. `lock` is the lock clause of the SELECT, if it has one. The left join returns a row with the time even if the key has none. */
async function find(store: KeyStore, id: string, lock: unknown = sql``): Promise<Found> {
  const clock = store.lease.dialect.server?.clock
  const now = store.now()
  const { rows } = await send<Readonly<Record<string, string | number | bigint | null>>>(
    store,
    sql`
      select ${clock ?? sql`null`} as t, k.fingerprint as f, k.answer as a, k.claimed_at as c, k.expires_at as e
      from (select 1 as one) as o left join ${keysTable(store)} as k on k.id = ${id} ${lock}`,
  )
  const { t = null, f = null, a = null, c, e } = rows[0] ?? {}
  return {
    now: t === null ? now : Number(t),
    row:
      f === null
        ? undefined
        : {
            fingerprint: String(f),
            answer: a === null ? null : String(a),
            claimedAt: Number(c),
            expiresAt: Number(e),
          },
  }
}

/** Calls `find`, and creates the table on first use, but not in a transaction of the host, which CREATE TABLE would commit on MySQL. */
async function findOrCreateTable(store: KeyStore, id: string): Promise<Found> {
  try {
    return await find(store, id)
  } catch (error) {
    const { db, dialect } = store.lease
    if (db.isTransaction || dialect.classify(error).kind !== 'other') throw error
    await createTable(store.lease, creationOf(keysTable(store)))
    return find(store, id)
  }
}

const creationOf = (table: Fragment): Fragment =>
  sql`create table if not exists ${table} (
    id varchar(64) primary key, fingerprint varchar(64) not null, answer text,
    claimed_at bigint not null, expires_at bigint not null)`

async function insertClaim(store: KeyStore, held: HeldClaim): Promise<boolean> {
  const { id, fingerprint, claimedAt } = held
  try {
    await send(
      store,
      sql`insert into ${keysTable(store)} (id, fingerprint, claimed_at, expires_at)
        values (${id}, ${fingerprint}, ${claimedAt}, ${claimedAt + lifetime})`,
    )
    return true
  } catch (error) {
    if (store.lease.dialect.classify(error).kind === 'unique') return false
    throw error
  }
}

/**
 * Takes over an expired claim by a compare-and-set: of several requests, exactly one succeeds, or none if the claim's owner
 * finished first.
 */
async function takeOver(store: KeyStore, held: HeldClaim, row: Row): Promise<boolean> {
  const { id, fingerprint, claimedAt } = held
  const unchanged = row.answer === null ? sql`answer is null` : sql`answer is not null`
  const { numAffectedRows } = await send(
    store,
    sql`update ${keysTable(store)}
      set fingerprint = ${fingerprint}, answer = null, claimed_at = ${claimedAt}, expires_at = ${claimedAt + lifetime}
      where id = ${id} and claimed_at = ${row.claimedAt} and ${unchanged}`,
  )
  return numAffectedRows === 1n
}

/** When expired keys were last deleted, by the connected dialect, of which each API has its own. */
const lastPurge = new WeakMap<object, number>()

/**
 * Deletes expired keys, at most once per interval. Ignores failures, since the next statement reports them. Deletes by id,
 * because a condition on the time alone would wait for every row that a transaction has locked.
 */
async function purge(store: KeyStore): Promise<void> {
  const { db, dialect } = store.lease
  const since = store.elapsed() - (lastPurge.get(dialect) ?? Number.NEGATIVE_INFINITY)
  if (db.isTransaction || since < purgeInterval) return
  lastPurge.set(dialect, store.elapsed())
  const expired = sql`expires_at <= ${dialect.server?.clock ?? sql`${store.now()}`}`
  try {
    const { rows } = await send<{ id: string }>(
      store,
      sql`select id from ${keysTable(store)} where ${expired} limit ${sql([String(purgeLimit)])}`,
    )
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    await send(
      store,
      sql`delete from ${keysTable(store)} where id in (${sql.join(ids)}) and ${expired}`,
    )
  } catch {}
}
