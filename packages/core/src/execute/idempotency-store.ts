// Remembers what POST requests with an Idempotency-Key were answered, in a table of the same database (contract §8, reliability R14).

import { type Expression, type RawBuilder, sql } from 'kysely'
import { tableOf } from '../compile/source.ts'
import type { Target } from '../compile/target.ts'
import { ApiError } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import { retried } from './retry.ts'
import { type Connection, execute } from './run.ts'
import { unavailableBecause } from './unavailable.ts'

const table = 'idempotency_keys'
const lifetime = 24 * 60 * 60 * 1000
/** A request that has not ended by then is taken for dead, and its key may be used again. */
const lease = 60 * 1000
/** Bytes: the smallest of the databases' text columns has 65,535. */
const longestAnswer = 60_000
const purgeEvery = 60 * 1000
const purgedAtOnce = 500

/** What was answered. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly total: number
  /** Undefined where the answer was too long to be kept: then the records are read again. */
  readonly value?: JsonValue
  /** A hash of the resources that the caller could list; under another one the records are read again. */
  readonly authority: string
  readonly many: boolean
  /** Keys of the records, in JSON forms. */
  readonly keys: readonly (readonly JsonValue[])[]
}

/** One key of one client for one route. */
export interface Claim {
  readonly id: string
  readonly fingerprint: string
}

/** A claim that this request holds, unless another one has taken it over since. */
export interface HeldClaim extends Claim {
  /** Milliseconds since 1970. No two claims of one key have the same, so it tells them apart. */
  readonly claimedAt: number
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly held: HeldClaim }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'busy' | 'mismatch' }

/** Where keys are kept. */
export interface KeyStore {
  readonly connection: Connection
  readonly target: Target
  /** Milliseconds since 1970, where the server's own clock is not used. */
  readonly now: () => number
  /** Milliseconds from any fixed point, never going back. */
  readonly elapsed: () => number
  /** Told of a claim that failed although it may be stored. */
  readonly onUncertain?: (held: HeldClaim) => void
}

/** The row of a key, and the time at which it was read. */
interface Found {
  readonly now: number
  readonly row: Row | undefined
}

interface Row {
  readonly fingerprint: string
  readonly answer: string | null
  readonly claimedAt: number
  readonly expiresAt: number
}

/**
 * Claims a key, or says what has become of it. Of any number of requests at once, on whatever connections or nodes, one
 * gets it. A conflict is tried again; where the database is away, read-only or too slow it is 503.
 */
export async function claimKey(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  const { connection } = store
  const attempt = () => claimOnce(store, claim)
  const isConflict = (error: unknown) => connection.dialect.classify(error).kind === 'retry'
  try {
    await purge(store)
    return connection.db.isTransaction ? await attempt() : await retried(attempt, isConflict)
  } catch (error) {
    throw unavailableBecause(connection.dialect, error) ?? error
  }
}

/** What has become of a key, without claiming it. */
export async function lookAtKey(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  try {
    return stateOf(await find(store, claim.id), claim) ?? busy
  } catch (error) {
    throw unavailableBecause(store.connection.dialect, error) ?? error
  }
}

const busy: ClaimOutcome = { kind: 'busy' }

async function claimOnce(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  const found = await findOrCreateTable(store, claim.id)
  const state = stateOf(found, claim)
  if (state !== undefined) return state
  const held = { ...claim, claimedAt: found.now }
  const { row } = found
  const won = row === undefined ? insertClaim(store, held) : takeOver(store, held, row)
  won.catch((error: unknown) => {
    if (mayBeStored(store, error)) store.onUncertain?.(held)
  })
  if (await won) return { kind: 'claimed', held }
  // Somebody else was faster, and may be done already; PostgreSQL takes nothing more in a transaction after that.
  if (store.connection.db.isTransaction) return busy
  return stateOf(await find(store, claim.id), claim) ?? busy
}

/** Whether a claim failed without an answer of the database: its connection broke, or nobody waited any longer. */
const mayBeStored = ({ connection }: KeyStore, error: unknown): boolean =>
  error instanceof ApiError || connection.dialect.classify(error).lost === true

/**
 * What a row says of a claim; undefined: the key may be claimed. A claim of a time to come was made before the clock was
 * set back: nobody holds it for longer than its lease either way.
 */
function stateOf({ row, now }: Found, claim: Claim): ClaimOutcome | undefined {
  if (row === undefined || row.expiresAt <= now || row.claimedAt > now + lifetime) return undefined
  if (row.fingerprint !== claim.fingerprint) return { kind: 'mismatch' }
  if (row.answer !== null) return { kind: 'answered', answer: JSON.parse(row.answer) }
  return Math.abs(now - row.claimedAt) < lease ? busy : undefined
}

/** Thrown in the transaction of a write whose claim another request has taken over: it must not be committed. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

/**
 * Stores the answer, in the transaction of the write: both are kept or neither. A compare-and-set, which also locks the row
 * until the end of the transaction: a request that has taken the key over in the meantime has changed the row already, and
 * one that wants to do so waits for the end and then finds the answer.
 */
export async function storeAnswer(
  store: KeyStore,
  { id, claimedAt }: HeldClaim,
  answer: StoredAnswer,
): Promise<void> {
  const whole = asciiJson(answer)
  const { value: _, ...short } = answer
  const text = whole.length > longestAnswer ? asciiJson(short) : whole
  try {
    const { numAffectedRows } = await run(
      store,
      sql`update ${place(store)} set answer = ${text}
        where id = ${id} and claimed_at = ${claimedAt} and answer is null`,
    )
    if (numAffectedRows === 0n) throw new ClaimLost('Another request has taken the key over.')
  } catch (error) {
    throw unavailableBecause(store.connection.dialect, error) ?? error
  }
}

/**
 * Gives a key back after a failure, so that the client may try again with it. Whether or not the client is still there, and
 * tried again where the database is away.
 */
export async function releaseKey(store: KeyStore, { id, claimedAt }: HeldClaim): Promise<void> {
  const { connection } = store
  const unattended = { ...store, connection: { ...connection, client: undefined } }
  const release = () =>
    run(
      unattended,
      sql`delete from ${place(store)}
        where id = ${id} and claimed_at = ${claimedAt} and answer is null`,
    )
  const isAway = (error: unknown) => unavailableBecause(connection.dialect, error) !== undefined
  await (connection.db.isTransaction ? release() : retried(release, isAway))
}

/** The same JSON without any character beyond ASCII: the column may have whatever character set. */
const asciiJson = (answer: Partial<StoredAnswer>): string =>
  stringify(answer as unknown as JsonValue).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const place = ({ target }: KeyStore): Expression<unknown> => tableOf(target, table)

async function run<T>({ connection }: KeyStore, statement: RawBuilder<T>) {
  return execute(connection, statement.compile(connection.db))
}

/** Always one row, for the time. */
async function find(store: KeyStore, id: string): Promise<Found> {
  const clock = store.connection.dialect.server?.clock
  const now = store.now()
  const { rows } = await run(
    store,
    sql<Readonly<Record<string, string | number | bigint | null>>>`
      select ${clock ?? sql`null`} as t, k.fingerprint as f, k.answer as a, k.claimed_at as c, k.expires_at as e
      from (select 1 as one) as o left join ${place(store)} as k on k.id = ${id}`,
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

/** The table is made when it is first needed; never inside a transaction of the host, which it could end. */
async function findOrCreateTable(store: KeyStore, id: string): Promise<Found> {
  try {
    return await find(store, id)
  } catch (error) {
    const { db, dialect } = store.connection
    if (db.isTransaction || dialect.classify(error).kind !== 'other') throw error
    return createTable(store).then(
      () => find(store, id),
      // Several processes may do so at once, and get in each other's way: whoever comes late finds it there.
      (failure: unknown) =>
        find(store, id).catch(() => {
          throw failure
        }),
    )
  }
}

async function createTable({ connection, target }: KeyStore): Promise<void> {
  const schema = connection.db.schema
  const builder = target.schema === undefined ? schema : schema.withSchema(target.schema)
  const creation = builder
    .createTable(table)
    .ifNotExists()
    .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('fingerprint', 'varchar(64)', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('claimed_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
  await execute(connection, creation.compile())
}

async function insertClaim(store: KeyStore, held: HeldClaim): Promise<boolean> {
  const { id, fingerprint, claimedAt } = held
  try {
    await run(
      store,
      sql`insert into ${place(store)} (id, fingerprint, claimed_at, expires_at)
        values (${id}, ${fingerprint}, ${claimedAt}, ${claimedAt + lifetime})`,
    )
    return true
  } catch (error) {
    if (store.connection.dialect.classify(error).kind === 'unique') return false
    throw error
  }
}

/** Compare and set: of several requests that find a dead claim, one gets it, and none where its owner was faster. */
async function takeOver(store: KeyStore, held: HeldClaim, row: Row): Promise<boolean> {
  const { id, fingerprint, claimedAt } = held
  const unchanged = row.answer === null ? sql`answer is null` : sql`answer is not null`
  const { numAffectedRows } = await run(
    store,
    sql`update ${place(store)}
      set fingerprint = ${fingerprint}, answer = null, claimed_at = ${claimedAt}, expires_at = ${claimedAt + lifetime}
      where id = ${id} and claimed_at = ${row.claimedAt} and ${unchanged}`,
  )
  return numAffectedRows === 1n
}

const purged = new WeakMap<object, number>()

/**
 * Removes what is over, now and then; a failure is the business of the statement that follows. By their keys: a condition
 * on the time would wait for every row that a transaction holds.
 */
async function purge(store: KeyStore): Promise<void> {
  const { db, dialect } = store.connection
  const since = store.elapsed() - (purged.get(dialect) ?? Number.NEGATIVE_INFINITY)
  if (db.isTransaction || since < purgeEvery) return
  purged.set(dialect, store.elapsed())
  const over = sql`expires_at <= ${dialect.server?.clock ?? sql`${store.now()}`}`
  try {
    const { rows } = await run(
      store,
      sql<{
        id: string
      }>`select id from ${place(store)} where ${over} limit ${sql.lit(purgedAtOnce)}`,
    )
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    await run(store, sql`delete from ${place(store)} where id in (${sql.join(ids)}) and ${over}`)
  } catch {}
}
