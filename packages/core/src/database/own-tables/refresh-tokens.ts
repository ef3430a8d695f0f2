// The store of refresh tokens: the table `refresh_tokens`, created on first use. Each token can be used once; using it again
// revokes its successors, but for repetitions within the grace (API_JWT_REFRESH_GRACE).
//
// The tokens of a session form one chain by `replaced_by`: a used token names its successor, and a token that is not used names the
// sibling that was issued beside it, if there is one: when a client presents a used token again within the grace, because it did not get
// the response, it receives a sibling of the successor (`http/endpoints/auth/issue-tokens.ts`).

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

/** A refresh token that is presented, and what replaces it if it is valid. */
export interface Exchange {
  readonly digest: string
  readonly successor: RefreshRecord
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds after its use in which a token may be presented again. */
  readonly grace: number
}

/** The use of a token: when, and the digest of its successor. */
export interface StoredUse {
  readonly usedAt: number
  readonly successor: string
}

/**
 * The result of a rotation. `replayed`: a used token was presented again, and its valid successor was revoked. `repeated`: it was
 * presented again within the grace; the uses lead from it to a token that is valid.
 */
export type Rotation =
  | { readonly kind: 'rotated' | 'refused' | 'replayed' }
  | { readonly kind: 'repeated'; readonly uses: readonly StoredUse[] }

export interface RefreshTokenStore {
  /** Stores a token. Now and then it also deletes some expired ones, as `rotate` does. */
  save(db: AnyDatabase, record: RefreshRecord): Promise<void>
  /**
   * Replaces a token, by one compare-and-set in a transaction: of concurrent rotations of a token, one succeeds.
   */
  rotate(db: AnyDatabase, exchange: Exchange): Promise<Rotation>
  /** Stores a token beside a valid one, in the same family; false, and nothing is stored, if that one is not valid any more. */
  addSibling(db: AnyDatabase, digest: string, sibling: RefreshRecord, now: number): Promise<boolean>
  /** Revokes a token; returns whether it was valid. */
  revoke(db: AnyDatabase, digest: string, now: number): Promise<boolean>
  /** Revokes all valid tokens of a user; returns their number. */
  revokeAll(db: AnyDatabase, userKey: string, now: number): Promise<number>
  /** Revokes all valid tokens of users that a write has deleted or made inactive, in its transaction; does nothing if there is no table. */
  endAll(db: AnyDatabase, userKeys: readonly string[], now: number): Promise<void>
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
  const ready = createTableOnce(parts.root, parts.bounds, name, (types) =>
    definitionOf(name, types),
  )

  /** Runs `work` in a transaction if the driver has them, with the SQL fragments of this database, whose table exists. */
  const runOn = async <T>(
    db: AnyDatabase,
    dialect: InternalDialect,
    work: (fragments: Fragments) => Promise<T>,
  ): Promise<T> => {
    try {
      const lease = new Lease({ db: withoutPlugins(db), dialect, bounds: parts.bounds })
      return await lease.inTransactionIfSupported(
        (inside) => work(fragmentsOf(inside, name)),
        lease.db,
      )
    } catch (error) {
      // The table may have been dropped: the next caller creates it if needed.
      ready.forget(db)
      throw asUnavailable(dialect, error) ?? error
    }
  }
  /** `runOn`, after the table was created if it is missing. */
  const run = async <T>(
    db: AnyDatabase,
    work: (fragments: Fragments) => Promise<T>,
  ): Promise<T> => {
    const dialect = await parts.dialect(db)
    await ready.ensure(db, dialect)
    return runOn(db, dialect, work)
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
    async rotate(db, exchange) {
      const rotation = await run(db, (fragments) => rotate(fragments, exchange))
      if (rotation.kind === 'rotated') await purgeSome(db, exchange.now)
      return rotation
    },
    addSibling: (db, digest, sibling, now) =>
      run(db, (fragments) => addSibling(fragments, digest, sibling, now)),
    revoke: (db, digest, now) => run(db, (fragments) => revokeOne(fragments, digest, now)),
    revokeAll: (db, userKey, now) => run(db, (fragments) => revokeAll(fragments, [userKey], now)),
    async endAll(db, userKeys, now) {
      const dialect = await parts.dialect(db)
      if (!(await ready.exists(db, dialect))) return
      await runOn(db, dialect, (fragments) => revokeAll(fragments, userKeys, now))
    },
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
  /** The end of a SELECT that locks its rows, if the database has such locks. */
  readonly locked: Fragment
  /** The columns that `tokenRow` reads. */
  readonly tokenColumns: Fragment
  tokenRow(row: Readonly<Record<string, unknown>>, now: number): TokenRow
  rows(statement: Fragment): Promise<readonly Readonly<Record<string, unknown>>[]>
}

function fragmentsOf(lease: Lease, table: Fragment): Fragments {
  const { dialect } = lease
  const iso = (ms: number): string => new Date(ms).toISOString()
  const time = (ms: number): unknown => dialect.encode({ ...moment, name: 'at' }, iso(ms))
  const bool = (value: boolean): unknown => dialect.encode(flag, value)
  const expiresAt = { ...moment, name: 'expires_at' }
  const read = [expiresAt, { ...moment, name: 'last_used_at' }, flag].map((column) => ({
    name: column.name,
    selected: sql`${dialect.select(column, sql.id(column.name))} as ${sql.id(column.name)}`,
    decode: dialect.decoder(column),
  }))
  return {
    locked: dialect.capabilities.locksRows ? sql` for update` : sql``,
    tokenColumns: sql.join([...read.map(({ selected }) => selected), sql.id('replaced_by')]),
    tokenRow(row, now) {
      const [expires, used, revoked] = read.map(({ name, decode }) =>
        row[name] === null ? null : decode(row[name]),
      )
      return {
        isAlive: revoked === false && Date.parse(String(expires)) > now,
        usedAt: used === null ? undefined : Date.parse(String(used)),
        next: typeof row.replaced_by === 'string' ? row.replaced_by : null,
      }
    },
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

/** Creates the columns. The unique constraint is the index by which the tokens of a user are found. `replaced_by` is not a foreign key, because the successor may be purged before the token. */
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
    sql`unique (${sql.id('user_pk')}, ${sql.id('token')})`,
  ])})`

/** Stores a token; `sibling` follows it in its chain. A `revoked` one only keeps another request from storing it. */
async function insert(
  { table, time, bool, execute }: Fragments,
  record: RefreshRecord,
  {
    sibling = null,
    revoked = false,
  }: { readonly sibling?: string | null; readonly revoked?: boolean } = {},
): Promise<void> {
  const columns = [
    'token',
    'user_pk',
    'user_lookup',
    'expires_at',
    'created_at',
    'revoked',
    'replaced_by',
  ]
  const values = [
    record.digest,
    record.userKey,
    record.userLookup,
    time(record.expiresAt),
    time(record.createdAt),
    bool(revoked),
    sibling,
  ]
  await execute(
    sql`insert into ${table} (${sql.join(columns.map((column) => sql.id(column)))}) values (${sql.join(values)})`,
  )
}

/** A stored token. */
interface TokenRow {
  /** Whether it is neither revoked nor expired. */
  readonly isAlive: boolean
  /** When it was exchanged; undefined if it was not. */
  readonly usedAt: number | undefined
  /** The next token of the chain; null at its end. */
  readonly next: string | null
}

/**
 * Marks the token as used and then stores the successor. If the second statement fails where there are no transactions, the user has
 * to log in again. A replay between the two stores the successor as revoked (`presentedAgain`), so that the second one fails.
 */
async function rotate(fragments: Fragments, exchange: Exchange): Promise<Rotation> {
  const { digest, successor, now } = exchange
  const { table, set, time, alive, expired, execute } = fragments
  const next = sql.id('replaced_by')
  const used = sql`${set(now)}, ${sql.id('last_used_at')} = ${time(now)}, ${next} = ${successor.digest}`
  let sibling: string | null = null
  for (let tries = 0; ; tries++) {
    const follows = sibling === null ? sql`${next} is null` : sql`${next} = ${sibling}`
    // The number of rows: 1 if this rotation is the one that succeeds.
    const won = await execute(
      sql`update ${table} set ${used} where ${sql.id('token')} = ${digest} and ${alive} and not (${expired(now)}) and ${follows}`,
    )
    if (won === 1) {
      await insert(fragments, successor, { sibling })
      return { kind: 'rotated' }
    }
    const row = await readToken(fragments, digest, now)
    // A token has at most one sibling directly behind it.
    if (row?.isAlive !== true || tries > 1) return presentedAgain(fragments, row, exchange)
    sibling = row.next
  }
}

/** The largest number of tokens between a repeated token and a valid one. */
const longestWay = 16

/** Tells a repetition within the grace from a replay, after which all successors are revoked. */
async function presentedAgain(
  fragments: Fragments,
  presented: TokenRow | undefined,
  { now, grace, successor }: Exchange,
): Promise<Rotation> {
  const uses: StoredUse[] = []
  let row = presented
  while (row?.usedAt !== undefined && row.next !== null && uses.length < longestWay) {
    // Clocks of processes differ, so that the use may lie in the future.
    if (grace === 0 || Math.abs(now - row.usedAt) > grace) break
    uses.push({ usedAt: row.usedAt, successor: row.next })
    row = await readToken(fragments, row.next, now)
    if (row?.isAlive === true) return { kind: 'repeated', uses }
  }
  // Only a token whose own grace is over, not one that followed it, is a replay.
  if (uses.length > 0 || presented?.usedAt === undefined || presented.next === null) {
    return { kind: 'refused' }
  }
  // Where there are no transactions, the rotation that used the token may store its successor later. Then it fails.
  if ((await readToken(fragments, presented.next, now)) === undefined) {
    await insert(fragments, { ...successor, digest: presented.next }, { revoked: true })
  }
  const revoked = await revokeDescendants(fragments, presented.next, now)
  return { kind: revoked ? 'replayed' : 'refused' }
}

/** Stores the sibling behind a valid token. Locks that token first, so that `revokeAll` waits and then finds the sibling. */
async function addSibling(
  fragments: Fragments,
  digest: string,
  sibling: RefreshRecord,
  now: number,
): Promise<boolean> {
  const { table, execute, locked } = fragments
  const row = await readToken(fragments, digest, now, locked)
  if (row?.isAlive !== true) return false
  await insert(fragments, sibling, { sibling: row.next })
  await execute(
    sql`update ${table} set ${sql.id('replaced_by')} = ${sibling.digest} where ${sql.id('token')} = ${digest}`,
  )
  return true
}

async function readToken(
  { table, tokenColumns, tokenRow, rows }: Fragments,
  digest: string,
  now: number,
  lock: Fragment = sql``,
): Promise<TokenRow | undefined> {
  const [row] = await rows(
    sql`select ${tokenColumns} from ${table} where ${sql.id('token')} = ${digest}${lock}`,
  )
  return row && tokenRow(row, now)
}

/** Revokes twice: a rotation for which the first statement waited has stored its successor since. */
async function revokeAll(
  { table, set, alive, execute }: Fragments,
  userKeys: readonly string[],
  now: number,
): Promise<number> {
  const revoke = () =>
    execute(
      sql`update ${table} set ${set(now)} where ${sql.id('user_pk')} in (${sql.join(userKeys)}) and ${alive}`,
    )
  return (await revoke()) + (await revoke())
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
