// Watches a SQLite file: one that was removed or replaced takes no more writes, and the file that is there instead is opened.

import { statSync } from 'node:fs'
import type { SqliteDatabase } from 'kysely'

type Statement = ReturnType<SqliteDatabase['prepare']>

/** A connection to the file. */
export interface OpenFile {
  readonly served: SqliteDatabase
  readonly isInTransaction: () => boolean
}

export interface WatchOptions {
  /** Opens the file that is there now. */
  readonly open: () => OpenFile
  readonly onWarning: (message: string) => void
}

/** Milliseconds between two looks at the file, as far as only reads are concerned. */
const interval = 1_000

/**
 * A database for Kysely's SqliteDialect. The file is looked at before and after each write, and once a second for reads.
 *
 * While it is gone, and in a transaction that was under way, statements fail as those on a database that is away; once
 * another file is there, that one is opened. A write into a file that was removed meanwhile fails, too: nobody may be told
 * that it is stored.
 */
export function watchedFile(file: string, { open, onWarning }: WatchOptions): SqliteDatabase {
  let current = open()
  let known = identityOf(file)
  let log = identityOf(`${file}-wal`)
  let lookedAt = performance.now()
  let logSeenAt = lookedAt
  let warning = ''

  const warnOnce = (message: string): void => {
    if (message !== warning) onWarning(message)
    warning = message
  }
  const isUnmoved = (): boolean => {
    const now = identityOf(file)
    if (now === undefined || now !== known) return false
    const at = performance.now()
    // While a connection is open, its log stays the same file; there is none before the first statement.
    if (log === undefined || at - logSeenAt > interval) {
      log = identityOf(`${file}-wal`)
      logSeenAt = at
    }
    lookedAt = at
    if (warning !== '') onWarning(`The database file ${file} is there again.`)
    warning = ''
    return true
  }

  /** Makes sure of the right file; throws where there is none. */
  const look = (): void => {
    if (isUnmoved()) return
    lookedAt = Number.NEGATIVE_INFINITY
    const now = identityOf(file)
    if (now === undefined) {
      warnOnce(`The database file ${file} is gone. Requests are answered 503 until it is back.`)
      throw unavailable(`The database file ${file} is gone.`)
    }
    if (current.isInTransaction()) throw unavailable(`The database file ${file} was replaced.`)
    // SQLite would take what the former file has in there for changes of this one.
    if (log !== undefined && log === identityOf(`${file}-wal`)) {
      warnOnce(
        `The database file ${file} was replaced, but ${file}-wal beside it is that of the former file: remove it and ${file}-shm. Requests are answered 503 until then.`,
      )
      throw unavailable(
        `The database file ${file} was replaced, and the former write-ahead log was left.`,
      )
    }
    const former = current
    current = open()
    known = now
    log = identityOf(`${file}-wal`)
    lookedAt = performance.now()
    warning = ''
    // SQLite sees that its file has moved, and touches nothing of the new one.
    former.served.close()
    onWarning(
      `The database file ${file} was replaced, and the new one is opened. Restart the service if its tables are others.`,
    )
  }

  /** After a write outside a transaction, and after COMMIT. */
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
        if (performance.now() - lookedAt > interval) look()
        return current.served.prepare(text)
      }
      // In a transaction it is BEGIN and COMMIT that matter.
      if (!current.isInTransaction() || isCommit.test(text)) look()
      return confirming(current.served.prepare(text), confirmed)
    },
    close: () => current.served.close(),
  }
}

/** With the mark that asks for rows as arrays before it, or without. */
const isRead = /^(?:\/\*[^*]*\*\/ )?select /i
const isCommit = /^\s*commit\b/i
const isRollback = /^\s*rollback\b/i

const confirming = (statement: Statement, confirmed: <T>(result: T) => T): Statement => ({
  reader: statement.reader,
  all: (parameters) => confirmed(statement.all(parameters)),
  run: (parameters) => confirmed(statement.run(parameters)),
  iterate: (parameters) => statement.iterate(parameters),
})

/** Which file it is; undefined where there is none. As long as one is open, no other has its number. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** As SQLite itself reports a file that is not where it was. */
const unavailable = (message: string): Error =>
  Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' })
