/** Breaks of waiting for locks of a SQLite file, and of noticing that the file was moved. */
import type { Break } from './break.ts'

const locks = 'test/faults/sqlite-locks.test.ts'
const moved = 'test/faults/sqlite-file.test.ts'
const watched = 'packages/http-node/src/database/watched-file.ts'

export const sqliteFiles: readonly Break[] = [
  {
    title: 'A transaction of SQLite goes on after a failure that may have ended it',
    file: 'packages/core/src/execute/lock-retry-connection.ts',
    find: 'if (ending !== undefined && !isRollback(compiled)) throw ending',
    replace: '',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'A ROLLBACK that finds no transaction hides why',
    file: 'packages/core/src/execute/lock-retry-connection.ts',
    find: 'throw ending ?? error',
    replace: 'throw error',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'A COMMIT without room may be stored',
    file: 'packages/core/src/execute/transaction.ts',
    find: ' && undone !== true',
    replace: '',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'An instance of the host stops the process while a file is locked',
    file: 'packages/core/src/dialect/sqlite/busy-timeout.ts',
    find: 'await rowsOf(db)`pragma busy_timeout = 0`.catch(() => {})',
    replace: 'await rowsOf(db)`pragma busy_timeout`.catch(() => {})',
    fails: 'test/dialect/busy-timeout.test.ts',
  },
  {
    title: 'A transaction meets the lock after its callbacks have run',
    file: 'packages/core/src/dialect/sqlite/dialect.ts',
    find: "beginWrite: 'begin immediate'",
    replace: '',
    fails: locks,
  },
  {
    title: 'Whoever waits with a key keeps the connection from everybody else',
    file: 'packages/core/src/execute/lock-retry-connection.ts',
    find: '() => db.connection().execute(run),',
    replace:
      '() => db.connection().execute((one) => retryWhileLocked(() => run(one), isLocked, bounds)),',
    fails: locks,
  },
  {
    title: 'A COMMIT that readers keep out is given up at once',
    file: 'packages/core/src/execute/lock-retry-connection.ts',
    find: 'return await retryAfter(first, () => send<R>(compiled, options), isLocked, within)',
    replace: 'throw first',
    fails: locks,
  },
  {
    title: 'A statement of its own is 503 as soon as the file is locked',
    file: 'packages/core/src/execute/run.ts',
    find: 'return retryWhileLocked(() => db.executeQuery(compiled), lockedBy(dialect), bounds)',
    replace: 'return db.executeQuery(compiled)',
    fails: locks,
  },
  {
    title: 'A lock is waited for after the client has gone away',
    file: 'packages/core/src/execute/lock-retry.ts',
    find: 'if (client?.signal?.aborted === true) throw clientGone()',
    replace: '',
    fails: locks,
  },
  {
    title: 'The schema of a locked file is not waited for',
    file: 'packages/core/src/introspect/read-catalogue.ts',
    find: 'const lockDeadline = 5_000',
    replace: 'const lockDeadline = 0',
    fails: locks,
  },
  {
    title: 'A write into a file that was removed meanwhile is acknowledged',
    file: watched,
    find: 'if (!current.isInTransaction() && !isUnmoved()) {',
    replace: 'if (current.isInTransaction() && !isUnmoved()) {',
    fails: moved,
  },
  {
    title: 'COMMIT goes into a file that was removed',
    file: watched,
    find: 'if (!current.isInTransaction() || isCommit.test(text)) look()',
    replace: 'if (!current.isInTransaction()) look()',
    fails: moved,
  },
  {
    title: 'The write-ahead log of a former file is mixed into a new one',
    file: watched,
    find: 'if (log !== undefined && log === identityOf(`${file}-wal`)) {',
    replace: 'if (log === undefined) {',
    fails: moved,
  },
  {
    title: 'A service that only reads never notices that its file is gone',
    file: watched,
    find: 'if (performance.now() - lookedAt > interval) look()',
    replace: '',
    fails: moved,
  },
]
