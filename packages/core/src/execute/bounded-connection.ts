// Several statements on one connection, each within its bounds: transactions, and what is looked up at first.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { AnyDatabase } from '../compile/target.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { sender } from './bounded-statement.ts'
import type { Bounds } from './bounds.ts'
import { Running } from './running.ts'
import { WaitingForConnection } from './waiting-for-connection.ts'

/**
 * Gives `work` an instance that is bound to one connection; what it and Kysely itself send there (BEGIN and COMMIT, too) is
 * bounded. Rejects when a statement is given up, while the connection may still be on its way back to the pool. Work in a
 * transaction stays in it.
 */
export function onBoundedConnection<T>(
  db: AnyDatabase,
  dialect: Dialect,
  bounds: Bounds,
  work: (db: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (dialect.blocksProcess === true) return work(db)
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForConnection(bounds, reject)
    const run = async (one: AnyDatabase): Promise<T | undefined> => {
      const connection = await one.getExecutor().provideConnection(async (own) => own)
      // Whoever asked for it has left.
      if (!waiting.end()) return undefined
      const guard = guarded(connection, { db, dialect, bounds, leave: reject })
      try {
        return await work(one)
      } finally {
        guard.end()
      }
    }
    const done = db.isTransaction ? run(db) : db.connection().execute(run)
    done.then(
      (result) => resolve(result as T),
      (error: unknown) => {
        waiting.end()
        reject(error)
      },
    )
  })
}

interface Guarding {
  readonly db: AnyDatabase
  readonly dialect: Dialect
  readonly bounds: Bounds
  readonly leave: (error: Error) => void
}

/** Connections whose statements are bounded at this moment. */
const guardedOnes = new WeakSet<DatabaseConnection>()

const unguarded = { end: (): void => {} }

/** Bounds every statement of a connection until it ends; Kysely itself replaces the same method, to log. */
function guarded(
  connection: DatabaseConnection,
  { db, dialect, bounds, leave }: Guarding,
): { end(): void } {
  // Two requests may share a transaction of the host.
  if (guardedOnes.has(connection)) return unguarded
  guardedOnes.add(connection)
  const own = connection.executeQuery
  const send = sender(db, dialect, bounds)
  const uncancelled: Bounds = { deadline: bounds.deadline }
  let lost: Error | undefined

  const executeQuery = <R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> => {
    // Nothing may be sent or committed after a statement that was given up.
    if (lost !== undefined && !isRollback(compiled)) return Promise.reject(lost)
    return new Promise((settle, free) => {
      const isEnd = isRollback(compiled) || isCommit(compiled)
      const place = { db, dialect, connection, send, bounds: isEnd ? uncancelled : bounds }
      const running = new Running(place, compiled.sql, {
        leave: (error) => {
          lost = error
          leave(error)
        },
        free: (error) => {
          lost = error
          free(error)
        },
      })
      own.call(connection, compiled, options).then(
        (result) => {
          running.end()
          settle(result as QueryResult<R>)
        },
        (error: unknown) => {
          running.end()
          free(error)
        },
      )
    })
  }
  connection.executeQuery = executeQuery
  return {
    end() {
      guardedOnes.delete(connection)
      // A connection that was closed answers for itself.
      if (connection.executeQuery === executeQuery) connection.executeQuery = own
    },
  }
}

const isCommit = ({ sql }: CompiledQuery): boolean => /^\s*commit\b/i.test(sql)

const isRollback = ({ sql }: CompiledQuery): boolean => /^\s*rollback\b/i.test(sql)
