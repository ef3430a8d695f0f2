// How the table of refresh tokens comes to be, with several processes at once.

import type { RawBuilder } from 'kysely'
import type { Dialect } from '../dialect/dialect.ts'
import { type OwnTypes, ownTypes } from '../dialect/shared/own-tables.ts'
import { onBoundedConnection } from '../execute/bounded-connection.ts'
import { type Bounds, boundsOfAll } from '../execute/bounds.ts'
import { unavailableBecause } from '../execute/unavailable.ts'
import type { AnyDatabase } from '../sql/any-database.ts'

/** Sees to it that a table is there. */
export interface TableMaker {
  ensure(db: AnyDatabase, dialect: Dialect): Promise<void>
  /** The next `ensure` looks again. */
  forget(db: AnyDatabase): void
}

/** Creates the table once per database; a failed attempt is repeated by the next caller, not remembered. */
export function createTableOnce(
  root: AnyDatabase,
  bounds: Bounds,
  statement: (types: OwnTypes) => RawBuilder<unknown>,
): TableMaker {
  const made = new WeakMap<object, Promise<void>>()
  const create = (db: AnyDatabase, dialect: Dialect): Promise<void> => {
    const known = made.get(db)
    if (known !== undefined) return known
    const making = attempt(db, dialect, bounds, statement(ownTypes(dialect)))
    made.set(db, making)
    making.catch(() => made.delete(db))
    return making
  }
  return {
    async ensure(db, dialect) {
      if (!db.isTransaction) return create(db, dialect)
      // Some databases end a transaction that creates a table; the others may undo the table with it.
      if (!ownTypes(dialect).inTransaction) return create(root, dialect)
      if (!made.has(root)) await statement(ownTypes(dialect)).execute(db.withoutPlugins())
    },
    forget(db) {
      made.delete(db)
      if (db.isTransaction) made.delete(root)
    },
  }
}

/**
 * Two processes that create a table at once can get in each other's way, even with `if not exists`. All attempts together
 * take no longer than one statement may; a database that is away is not asked again.
 */
async function attempt(
  db: AnyDatabase,
  dialect: Dialect,
  bounds: Bounds,
  statement: RawBuilder<unknown>,
): Promise<void> {
  const all = boundsOfAll(bounds)
  for (let tries = 1; ; tries++) {
    try {
      await onBoundedConnection(db.withoutPlugins(), dialect, all, (own) => statement.execute(own))
      return
    } catch (error) {
      const isAway = awayKinds.has(dialect.classify(error).kind)
      if (tries === 5 || isAway) throw unavailableBecause(dialect, error) ?? error
      await pause(tries)
    }
  }
}

const awayKinds: ReadonlySet<string> = new Set(['unavailable', 'timeout'])

const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 10 * tries + Math.random() * 20))
