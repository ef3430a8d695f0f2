// watchedFile: watches a SQLite file: if it was removed or replaced, writes are refused, and a new file is opened. Otherwise a service
// would go on writing to a file that nobody finds.

import { statSync } from 'node:fs'
import type { SqliteDatabase } from 'kysely'

type Statement = ReturnType<SqliteDatabase['prepare']>

/** A connection to the file. */
export interface OpenFile {
  readonly served: SqliteDatabase
  readonly isInTransaction: () => boolean
}

export interface WatchOptions {
  /** Opens the current file. */
  readonly open: () => OpenFile
  readonly onWarning: (message: string) => void
}

/** Milliseconds between two checks of the file for reads. */
const interval = 1_000

/**
 * Creates a database for Kysely's SqliteDialect. The file is checked before and after each write, and once a second for reads.
 *
 * While the file is missing, statements fail as if the database were unavailable, and so does the rest of a running transaction;
 * when there is a new file, it is opened. A write fails too if the file was removed during it, because the write is not stored.
 */
export function watchedFile(file: string, { open, onWarning }: WatchOptions): SqliteDatabase {
  let current = open()
  let knownFile = identityOf(file)
  let walFile = identityOf(`${file}-wal`)
  let checkedAt = performance.now()
  let walSeenAt = checkedAt
  /** The latest warning about the file; empty while the file is there. */
  let warning = ''

  const warnOnce = (message: string): void => {
    if (message !== warning) onWarning(message)
    warning = message
  }
  const isUnmoved = (): boolean => {
    const now = identityOf(file)
    if (now === undefined || now !== knownFile) return false
    const at = performance.now()
    // The write-ahead log stays the same file while a connection is open; there is none before the first statement.
    if (walFile === undefined || at - walSeenAt > interval) {
      walFile = identityOf(`${file}-wal`)
      walSeenAt = at
    }
    checkedAt = at
    if (warning !== '') onWarning(`The database file ${file} is there again.`)
    warning = ''
    return true
  }

  /** Opens the new file if it was replaced; throws if there is none. */
  const openIfReplaced = (): void => {
    if (isUnmoved()) return
    checkedAt = Number.NEGATIVE_INFINITY
    const now = identityOf(file)
    if (now === undefined) {
      warnOnce(`The database file ${file} is gone. Requests are answered 503 until it is back.`)
      throw unavailable(`The database file ${file} is gone.`)
    }
    if (current.isInTransaction()) throw unavailable(`The database file ${file} was replaced.`)
    // SQLite would apply the old file's write-ahead log to the new file.
    if (walFile !== undefined && walFile === identityOf(`${file}-wal`)) {
      warnOnce(
        `The database file ${file} was replaced, but ${file}-wal beside it is that of the former file: remove it and ${file}-shm. Requests are answered 503 until then.`,
      )
      throw unavailable(
        `The database file ${file} was replaced, and the former write-ahead log was left.`,
      )
    }
    const former = current
    current = open()
    knownFile = now
    walFile = identityOf(`${file}-wal`)
    checkedAt = performance.now()
    warning = ''
    // SQLite detects that its file was moved and does not write to the new one.
    former.served.close()
    onWarning(
      `The database file ${file} was replaced, and the new one is opened. Restart the service if its tables are others.`,
    )
  }

  /** Called after a write outside a transaction and after COMMIT; throws if the file was removed or replaced meanwhile. */
  const confirmed = <T>(result: T): T => {
    if (!current.isInTransaction() && !isUnmoved()) {
      throw unavailable(`The database file ${file} was removed or replaced during a write.`)
    }
    return result
  }

  return {
    prepare(text) {
      if (isRollback.test(text)) return current.served.prepare(text)
      if (isRead.test(text)) {
        if (performance.now() - checkedAt > interval) openIfReplaced()
        return current.served.prepare(text)
      }
      // Inside a transaction only BEGIN and COMMIT need the check.
      if (!current.isInTransaction() || isCommit.test(text)) openIfReplaced()
      return confirming(current.served.prepare(text), confirmed)
    },
    close: () => current.served.close(),
  }
}

/** Matches a select statement, possibly after the comment that requests rows as arrays. */
const isRead = /^(?:\/\*[^*]*\*\/ )?select /i
const isCommit = /^\s*commit\b/i
const isRollback = /^\s*rollback\b/i

const confirming = (statement: Statement, confirmed: <T>(result: T) => T): Statement => ({
  reader: statement.reader,
  all: (parameters) => confirmed(statement.all(parameters)),
  run: (parameters) => confirmed(statement.run(parameters)),
  iterate: (parameters) => statement.iterate(parameters),
})

/** Returns device and inode of a file; undefined if there is no file. While a file is open, no other file gets its inode. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Creates an error with SQLite's own code for a file that was moved. */
const unavailable = (message: string): Error =>
  Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' })
