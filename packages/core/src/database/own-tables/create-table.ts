// Names and creates the service's own tables when a request first needs them; several processes may do so concurrently.

import type { StoreTypes } from '../../dialect/dialect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { storeTypesOf } from '../../dialect/shared/values/store-types.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { Lease } from '../leases/lease.ts'
import { type Bounds, boundsFromNow } from '../statements/bounds.ts'
import { asUnavailable } from '../statements/unavailable.ts'

/** Returns the identifier of a table of the service, in the schema of the API if it has one. */
export const storeTable = (schema: string | undefined, name: string): Fragment =>
  schema === undefined ? sql.id(name) : sql.id(schema, name)

/** Creates a table if it is missing. */
export interface TableMaker {
  /** Resolves when the table exists. */
  ensure(db: AnyDatabase, dialect: InternalDialect): Promise<void>
  /**
   * Whether the table exists, for a statement that has nothing to do without it, such as DELETE. In a transaction of a database that
   * creates tables only outside of one, it is not created: that needs another connection, and the pool may have one alone.
   */
  exists(db: AnyDatabase, dialect: InternalDialect): Promise<boolean>
  /** Makes the next `ensure` check the table again, since a statement on it has failed and it may have been dropped. */
  forget(db: AnyDatabase): void
}

/**
 * Creates the table once per database; after a failure the next caller tries again. `statement` makes the CREATE TABLE IF NOT EXISTS with
 * the column types of the dialect. `root` is the database on which the table is created if that is impossible in a transaction.
 */
export function createTableOnce(
  root: AnyDatabase,
  bounds: Bounds,
  table: Fragment,
  statement: (types: StoreTypes) => Fragment,
): TableMaker {
  const made = new WeakMap<object, Promise<void>>()
  const create = (db: AnyDatabase, dialect: InternalDialect): Promise<void> => {
    const known = made.get(db)
    if (known !== undefined) return known
    const making = createTable(leaseOf(db, dialect, bounds), statement(storeTypesOf(dialect)))
    made.set(db, making)
    making.catch(() => made.delete(db))
    return making
  }
  return {
    async ensure(db, dialect) {
      if (!db.isTransaction) return create(db, dialect)
      // On MySQL, `create table` would commit the transaction, so it runs on another connection. Elsewhere it runs in the
      // transaction, and the next request checks the table again, because a rollback drops it.
      if (!dialect.capabilities.createsTablesInTransactions) return create(root, dialect)
      if (!made.has(root)) await leaseOf(db, dialect, bounds).send(statement(storeTypesOf(dialect)))
    },
    async exists(db, dialect) {
      if (!db.isTransaction) {
        await create(db, dialect)
        return true
      }
      // The transaction may be one of another database than `root`, where the table is known to exist.
      const lease = leaseOf(db, dialect, bounds)
      if (dialect.capabilities.createsTablesInTransactions) {
        await lease.send(statement(storeTypesOf(dialect)))
        return true
      }
      try {
        const alias = sql.id('one')
        await lease.send(sql`select 1 as ${alias} from ${table} where 1 = 0`)
        return true
      } catch (error) {
        const failure = asUnavailable(dialect, error)
        if (failure !== undefined) throw failure
        return false
      }
    },
    forget(db) {
      made.delete(db)
      if (db.isTransaction) made.delete(root)
    },
  }
}

const leaseOf = (db: AnyDatabase, dialect: InternalDialect, bounds: Bounds): Lease =>
  new Lease({ db: withoutPlugins(db), dialect, bounds })

/**
 * Creates a table in up to 5 attempts: concurrent `create table if not exists` statements can fail with a conflict. All attempts
 * together take no longer than API_STATEMENT_TIMEOUT; if the database is unavailable, there is no further attempt.
 */
export async function createTable(
  { db, dialect, bounds }: Lease,
  statement: Fragment,
): Promise<void> {
  const all = new Lease({ db, dialect, bounds: boundsFromNow(bounds) })
  for (let tries = 1; ; tries++) {
    try {
      await all.send(statement)
      return
    } catch (error) {
      const isUnavailable = unavailableKinds.has(dialect.classify(error).kind)
      if (tries === 5 || isUnavailable) throw asUnavailable(dialect, error) ?? error
      await pause(tries)
    }
  }
}

const unavailableKinds: ReadonlySet<string> = new Set(['unavailable', 'timeout'])

const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 10 * tries + Math.random() * 20))
