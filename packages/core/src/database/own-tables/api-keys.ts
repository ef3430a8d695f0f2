// The store of API keys: the table `api_keys`, created on first use. It has the SHA-256 of each key, never the key. `auth/keys` looks
// the key of a request up here, the endpoints of keys list and change them.

import type { StoreTypes } from '../../dialect/dialect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { asciiJson } from '../../lib/json/stringify.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { Lease } from '../leases/lease.ts'
import type { Bounds } from '../statements/bounds.ts'
import { asUnavailable } from '../statements/unavailable.ts'
import { createTableOnce, storeTable } from './create-table.ts'

/** A key as stored. The times are in milliseconds since 1970. */
export interface StoredApiKey {
  /** The part of the key that is no secret. */
  readonly id: string
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly digest: string
  /** The user's primary key as text. */
  readonly userKey: string
  /** What the user logs in with, such as the e-mail address. */
  readonly userLookup: string
  /** What the user has called the key. */
  readonly name: string
  /** The roles to which the key is limited; null: all roles of the user. */
  readonly scopes: readonly string[] | null
  readonly createdAt: number
  /** Null: the key does not expire. */
  readonly expiresAt: number | null
  /** To the minute; null: not used yet. */
  readonly lastUsedAt: number | null
}

export interface ApiKeyStore {
  save(db: AnyDatabase, key: StoredApiKey): Promise<void>
  /** Returns the key with this id; undefined if there is none. */
  find(db: AnyDatabase, id: string): Promise<StoredApiKey | undefined>
  /** Returns the keys of a user, the newest first. */
  ofUser(db: AnyDatabase, userKey: string): Promise<readonly StoredApiKey[]>
  /** Returns the number of keys of a user. */
  count(db: AnyDatabase, userKey: string): Promise<number>
  /** Deletes a key; returns whether there was one. */
  delete(db: AnyDatabase, id: string): Promise<boolean>
  /** Deletes all keys of a user; returns their number. */
  deleteAll(db: AnyDatabase, userKey: string): Promise<number>
  /** Deletes all keys of users that a write has deleted or made inactive, in its transaction; does nothing if there is no table. */
  endAll(db: AnyDatabase, userKeys: readonly string[]): Promise<void>
  /** Stores when a key was last used. */
  noteUse(db: AnyDatabase, id: string, now: number): Promise<void>
}

/** Creates the SQL store; `root` is the instance on which the table can be created if a request runs in a transaction of the host. */
export function createApiKeyStore(parts: {
  readonly root: AnyDatabase
  readonly schema: string | undefined
  readonly dialect: (on: AnyDatabase) => MaybePromise<InternalDialect>
  readonly bounds: Bounds
}): ApiKeyStore {
  const table = storeTable(parts.schema, 'api_keys')
  const ready = createTableOnce(parts.root, parts.bounds, table, (types) =>
    definitionOf(table, types),
  )

  const sendOn = async (db: AnyDatabase, dialect: InternalDialect, statement: Fragment) => {
    try {
      return await new Lease({ db: withoutPlugins(db), dialect, bounds: parts.bounds }).send<Row>(
        statement,
      )
    } catch (error) {
      // The table may have been dropped: the next caller creates it if needed.
      ready.forget(db)
      throw asUnavailable(dialect, error) ?? error
    }
  }
  const send = async (db: AnyDatabase, statement: Fragment) => {
    const dialect = await parts.dialect(db)
    await ready.ensure(db, dialect)
    return sendOn(db, dialect, statement)
  }
  const changed = async (db: AnyDatabase, statement: Fragment): Promise<number> =>
    Number((await send(db, statement)).numAffectedRows ?? 0)
  const all = sql`select ${names} from ${table}`
  const isId = (id: string): Fragment => sql`${sql.id('id')} = ${id}`
  const isOfUser = (userKey: string): Fragment => sql`${sql.id('user_pk')} = ${userKey}`
  return {
    async save(db, key) {
      await send(db, sql`insert into ${table} (${names}) values (${sql.join(valuesOf(key))})`)
    },
    async find(db, id) {
      const [row] = (await send(db, sql`${all} where ${isId(id)}`)).rows
      return row && keyOf(row)
    },
    async ofUser(db, userKey) {
      const order = sql`order by ${sql.id('created_at')} desc, ${sql.id('id')}`
      const { rows } = await send(db, sql`${all} where ${isOfUser(userKey)} ${order}`)
      return rows.map(keyOf)
    },
    async count(db, userKey) {
      const counting = sql`select count(*) as ${sql.id('total')} from ${table}`
      const [row] = (await send(db, sql`${counting} where ${isOfUser(userKey)}`)).rows
      return Number(row?.total ?? 0)
    },
    delete: async (db, id) => (await changed(db, sql`delete from ${table} where ${isId(id)}`)) > 0,
    deleteAll: (db, userKey) => changed(db, sql`delete from ${table} where ${isOfUser(userKey)}`),
    async endAll(db, userKeys) {
      const dialect = await parts.dialect(db)
      if (!(await ready.exists(db, dialect))) return
      const ofUsers = sql`${sql.id('user_pk')} in (${sql.join(userKeys)})`
      await sendOn(db, dialect, sql`delete from ${table} where ${ofUsers}`)
    },
    async noteUse(db, id, now) {
      await send(db, sql`update ${table} set ${sql.id('last_used_at')} = ${now} where ${isId(id)}`)
    },
  }
}

const columns = [
  'id',
  'digest',
  'user_pk',
  'user_lookup',
  'name',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

type Row = Readonly<Record<(typeof columns)[number] | 'total', unknown>>

const names: Fragment = sql.join(columns.map((column) => sql.id(column)))

/** The unique constraint is the index by which the keys of a user are found. */
const definitionOf = (table: Fragment, types: StoreTypes): Fragment =>
  sql`create table if not exists ${table} (${sql.join([
    sql`${sql.id('id')} ${sql([types.digest])} not null primary key`,
    sql`${sql.id('digest')} ${sql([types.digest])} not null`,
    sql`${sql.id('user_pk')} ${sql([types.text])} not null`,
    sql`${sql.id('user_lookup')} ${sql([types.text])} not null`,
    sql`${sql.id('name')} ${sql([types.text])} not null`,
    sql`${sql.id('scopes')} text null`,
    sql`${sql.id('created_at')} bigint not null`,
    sql`${sql.id('expires_at')} bigint null`,
    sql`${sql.id('last_used_at')} bigint null`,
    sql`unique (${sql.id('user_pk')}, ${sql.id('id')})`,
  ])})`

const valuesOf = (key: StoredApiKey): readonly unknown[] => [
  key.id,
  key.digest,
  key.userKey,
  key.userLookup,
  key.name,
  key.scopes === null ? null : asciiJson(key.scopes),
  key.createdAt,
  key.expiresAt,
  key.lastUsedAt,
]

/** Drivers return the integers as numbers, bigints or strings. */
const keyOf = (row: Row): StoredApiKey => ({
  // MySQL pads `char(64)`; the driver takes the blanks off.
  id: String(row.id),
  digest: String(row.digest),
  userKey: String(row.user_pk),
  userLookup: String(row.user_lookup),
  name: String(row.name),
  scopes: row.scopes === null ? null : JSON.parse(String(row.scopes)),
  createdAt: Number(row.created_at),
  expiresAt: row.expires_at === null ? null : Number(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
})
