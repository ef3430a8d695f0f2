// The store of refresh tokens: the table `refresh_tokens`, created on first use. Each token can be used once; using it again
// revokes its successors.

import type { StoreTypes } from '../../dialect/dialect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { constant } from '../../lib/sql/param.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { isOutcomeUnknown } from '../leases/in-transaction.ts'
import { Lease } from '../leases/lease.ts'
import type { Bounds } from '../statements/bounds.ts'
import { asUnavailable, unavailable } from '../statements/unavailable.ts'
import { createTableOnce, storeTable } from './create-table.ts'

/** A refresh token as stored: its SHA-256, never the token. The times are in milliseconds since 1970. */
export interface RefreshRecord {
  readonly digest: string
  /** The user's primary key as text. */
  readonly userKey: string
  /** What the user logs in with, such as the e-mail address. */
  readonly userLookup: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** The result of a rotation; `replayed`: a used token was presented again, and its valid successor was revoked. */
export type Rotation = 'rotated' | 'refused' | 'replayed'

export interface RefreshTokenStore {
  /** Stores a token. Now and then it also deletes some expired ones, as `rotate` does. */
  save(db: AnyDatabase, record: RefreshRecord): Promise<void>
  /**
   * Replaces a token, by one compare-and-set in a transaction: of concurrent rotations of a token, one succeeds.
   */
  rotate(db: AnyDatabase, digest: string, successor: RefreshRecord, now: number): Promise<Rotation>
  /** Revokes a token; returns whether it was valid. */
  revoke(db: AnyDatabase, digest: string, now: number): Promise<boolean>
  /** Revokes all valid tokens of a user; returns their number. */
  revokeAll(db: AnyDatabase, userKey: string, now: number): Promise<number>
  /** Deletes expired tokens; returns their number. */
  purge(db: AnyDatabase, now: number): Promise<number>
}

/** Milliseconds between two deletions of expired tokens, and how many one deletes. */
const purgeInterval = 60 * 1000
const purgeLimit = 500

/** The columns of the table, as the functions of the dialect take them. */
const moment = { type: 'datetime', nullable: true } as const
const flag = { name: 'revoked', type: 'boolean', nullable: false } as const

/** Creates the SQL store; `root` is the instance on which the table can be created if a request runs in a transaction of the host. */
export function createRefreshTokenStore(parts: {
  readonly root: AnyDatabase
  readonly schema: string | undefined
  readonly dialect: (on: AnyDatabase) => MaybePromise<InternalDialect>
  readonly bounds: Bounds
}): RefreshTokenStore {
  const name = storeTable(parts.schema, 'refresh_tokens')
  const ready = createTableOnce(parts.root, parts.bounds, (types) => definitionOf(name, types))

  /** Runs `work` in a transaction if the driver has them, with the SQL fragments of this database. */
  const run = async <T>(
    db: AnyDatabase,
    work: (fragments: Fragments) => Promise<T>,
  ): Promise<T> => {
    const dialect = await parts.dialect(db)
    await ready.ensure(db, dialect)
    try {
      const lease = new Lease({ db: withoutPlugins(db), dialect, bounds: parts.bounds })
      return await lease.inTransactionIfSupported((own) => work(fragmentsOf(own, name)), lease.db)
    } catch (error) {
      // The table may have been dropped: the next caller creates it if needed.
      ready.forget(db)
      throw asUnavailable(dialect, error) ?? error
    }
  }
  let purgedAt = Number.NEGATIVE_INFINITY

  /** Deletes some expired tokens, at most once per interval. Ignores failures, since the next statement reports them. */
  const purgeSome = async (db: AnyDatabase, now: number): Promise<void> => {
    if (db.isTransaction || now - purgedAt < purgeInterval) return
    purgedAt = now
    await run(db, (fragments) => deleteExpired(fragments, now)).catch(() => {})
  }
  return {
    // If the commit is uncertain, the token was not sent to anyone; the client can log in again.
    async save(db, record) {
      await run(db, (fragments) => insert(fragments, record)).catch((error: unknown) => {
        throw isOutcomeUnknown(error) ? unavailable(error) : error
      })
      await purgeSome(db, record.createdAt)
    },
    async rotate(db, digest, successor, now) {
      const rotation = await run(db, (fragments) => rotate(fragments, digest, successor, now))
      if (rotation === 'rotated') await purgeSome(db, now)
      return rotation
    },
    revoke: (db, digest, now) => run(db, (fragments) => revokeOne(fragments, digest, now)),
    revokeAll: (db, userKey, now) =>
      run(db, ({ table, set, alive, execute }) =>
        execute(
          sql`update ${table} set ${set(now)} where ${sql.id('user_pk')} = ${userKey} and ${alive}`,
        ),
      ),
    purge: (db, now) =>
      run(db, ({ table, expired, execute }) =>
        execute(sql`delete from ${table} where ${expired(now)}`),
      ),
  }
}

/** SQL fragments that differ between databases. */
interface Fragments {
  readonly table: Fragment
  /** A time as it is stored; `ms` are milliseconds since 1970. */
  time(ms: number): unknown
  /** A truth value as it is stored. */
  bool(value: boolean): unknown
  /** `revoked = true, revoked_at = now` */
  set(now: number): Fragment
  /** Tests that a token is not revoked. */
  readonly alive: Fragment
  /** Tests that a token has expired. */
  expired(now: number): Fragment
  /** Runs a statement; returns the number of rows it changed. */
  execute(statement: Fragment): Promise<number>
  rows(statement: Fragment): Promise<readonly Readonly<Record<string, unknown>>[]>
}

function fragmentsOf(lease: Lease, table: Fragment): Fragments {
  const { dialect } = lease
  const iso = (ms: number): string => new Date(ms).toISOString()
  const time = (ms: number): unknown => dialect.encode({ ...moment, name: 'at' }, iso(ms))
  const bool = (value: boolean): unknown => dialect.encode(flag, value)
  const expiresAt = { ...moment, name: 'expires_at' }
  return {
    table,
    time,
    bool,
    set: (now) => sql`${sql.id('revoked')} = ${bool(true)}, ${sql.id('revoked_at')} = ${time(now)}`,
    alive: sql`${dialect.compare(flag, sql.id('revoked'), 'eq', constant(false))}`,
    expired: (now) =>
      sql`${dialect.compare(expiresAt, sql.id('expires_at'), 'le', constant(iso(now)))}`,
    execute: async (statement) => Number((await lease.send(statement)).numAffectedRows ?? 0),
    rows: async (statement) =>
      (await lease.send<Readonly<Record<string, unknown>>>(statement)).rows,
  }
}

/** Creates the columns. `replaced_by` is not a foreign key, because the successor may be purged before the token. */
const definitionOf = (table: Fragment, types: StoreTypes): Fragment =>
  sql`create table if not exists ${table} (${sql.join([
    sql`${sql.id('token')} ${sql([types.digest])} not null primary key`,
    sql`${sql.id('user_pk')} ${sql([types.text])} not null`,
    sql`${sql.id('user_lookup')} ${sql([types.text])} not null`,
    sql`${sql.id('expires_at')} ${sql([types.datetime])} not null`,
    sql`${sql.id('created_at')} ${sql([types.datetime])} not null`,
    sql`${sql.id('last_used_at')} ${sql([types.datetime])} null`,
    sql`${sql.id('revoked')} ${sql([types.boolean])} not null`,
    sql`${sql.id('revoked_at')} ${sql([types.datetime])} null`,
    sql`${sql.id('replaced_by')} ${sql([types.digest])} null`,
  ])})`

async function insert(
  { table, time, bool, execute }: Fragments,
  record: RefreshRecord,
): Promise<void> {
  const columns = ['token', 'user_pk', 'user_lookup', 'expires_at', 'created_at', 'revoked']
  const values = [
    record.digest,
    record.userKey,
    record.userLookup,
    time(record.expiresAt),
    time(record.createdAt),
    bool(false),
  ]
  await execute(
    sql`insert into ${table} (${sql.join(columns.map((column) => sql.id(column)))}) values (${sql.join(values)})`,
  )
}

/**
 * Stores the successor first, so that even without a transaction a request that finds the token used also finds the successor to
 * revoke. A successor that remains after a failure was not sent to anyone.
 */
async function rotate(
  fragments: Fragments,
  digest: string,
  successor: RefreshRecord,
  now: number,
): Promise<Rotation> {
  const { table, set, time, alive, expired, execute, rows } = fragments
  const used = sql`${set(now)}, ${sql.id('last_used_at')} = ${time(now)}, ${sql.id('replaced_by')} = ${successor.digest}`
  await insert(fragments, successor)
  // The number of rows: 1 if this rotation is the one that succeeds.
  const won = await execute(
    sql`update ${table} set ${used} where ${sql.id('token')} = ${digest} and ${alive} and not (${expired(now)})`,
  )
  if (won === 1) return 'rotated'
  await execute(sql`delete from ${table} where ${sql.id('token')} = ${successor.digest}`)
  const [row] = await rows(successorOf(fragments, digest))
  if (typeof row?.replaced_by !== 'string') return 'refused'
  return (await revokeDescendants(fragments, row.replaced_by, now)) ? 'replayed' : 'refused'
}

/** Deletes by the primary key, because a condition on the time alone would wait for every row that a transaction has locked. */
async function deleteExpired(
  { table, expired, execute, rows }: Fragments,
  now: number,
): Promise<void> {
  const token = sql.id('token')
  const found = await rows(
    sql`select ${token} from ${table} where ${expired(now)} limit ${sql([String(purgeLimit)])}`,
  )
  if (found.length === 0) return
  const digests = found.map((row) => String(row.token))
  await execute(
    sql`delete from ${table} where ${token} in (${sql.join(digests)}) and ${expired(now)}`,
  )
}

const successorOf = ({ table }: Fragments, digest: string): Fragment =>
  sql`select ${sql.id('replaced_by')} from ${table} where ${sql.id('token')} = ${digest}`

const revokeOne = async (
  { table, set, alive, execute }: Fragments,
  digest: string,
  now: number,
): Promise<boolean> =>
  (await execute(
    sql`update ${table} set ${set(now)} where ${sql.id('token')} = ${digest} and ${alive}`,
  )) > 0

/** Revokes every successor of a token that was used twice, because a thief may have one of them. Returns whether one was valid. */
async function revokeDescendants(
  fragments: Fragments,
  from: string,
  now: number,
): Promise<boolean> {
  let revoked = false
  const seen = new Set<string>()
  let digest: string | undefined = from
  while (digest !== undefined && !seen.has(digest)) {
    seen.add(digest)
    // Every token of the chain but the last was used and is already revoked.
    if (await revokeOne(fragments, digest, now)) revoked = true
    const [row] = await fragments.rows(successorOf(fragments, digest))
    digest = typeof row?.replaced_by === 'string' ? row.replaced_by : undefined
  }
  return revoked
}
