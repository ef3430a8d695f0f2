/** Breaks of waiting for locks of a SQLite file, and of noticing that the file was moved. */
import type { Break } from './break.ts'

const locks = 'test/faults/sqlite-locks.test.ts'
const moved = 'test/faults/sqlite-file.test.ts'
const watched = 'packages/http-node/src/database/watched-file.ts'

export const sqliteFiles: readonly Break[] = [
  {
    title: 'A transaction of SQLite goes on after a failure that may have ended it',
    file: 'packages/core/src/database/leases/lock-retry-connection.ts',
    find: 'if (ending !== undefined && !isRollback(compiled)) throw ending',
    replace: '',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'A ROLLBACK without a transaction hides the original error',
    file: 'packages/core/src/database/leases/lock-retry-connection.ts',
    find: 'throw ending ?? error',
    replace: 'throw error',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'A COMMIT that fails because the disk is full may be stored',
    file: 'packages/core/src/database/leases/in-transaction.ts',
    find: ' && undone !== true',
    replace: '',
    fails: 'test/faults/sqlite-full.test.ts',
  },
  {
    title: 'An instance of the host blocks the process while a file is locked',
    file: 'packages/core/src/dialect/sqlite/busy-timeout.ts',
    find: 'await rowsOf(db)`pragma busy_timeout = 0`.catch(() => {})',
    replace: 'await rowsOf(db)`pragma busy_timeout`.catch(() => {})',
    fails: 'test/dialect/busy-timeout.test.ts',
  },
  {
    title: 'A transaction takes the lock only after its callbacks have run',
    file: 'packages/core/src/dialect/sqlite/dialect.ts',
    find: "beginWrite: 'begin immediate'",
    replace: '',
    fails: locks,
  },
  {
    title:
      'A request with an Idempotency-Key that waits for the lock blocks the connection for all others',
    file: 'packages/core/src/database/leases/lock-retry-connection.ts',
    find: '() => db.connection().execute(run),',
    replace:
      '() => db.connection().execute((one) => retryWhileLocked(() => run(one), isLocked, bounds)),',
    fails: locks,
  },
  {
    title: 'A COMMIT that readers block fails at once',
    file: 'packages/core/src/database/leases/lock-retry-connection.ts',
    find: 'return await retryAfter(first, () => send<R>(compiled, options), isLocked, within)',
    replace: 'throw first',
    fails: locks,
  },
  {
    title: 'A statement outside of a transaction is 503 as soon as the file is locked',
    file: 'packages/core/src/database/leases/send.ts',
    find: 'return retryWhileLocked(() => db.executeQuery(compiled), lockedBy(dialect), bounds)',
    replace: 'return db.executeQuery(compiled)',
    fails: locks,
  },
  {
    title: 'A request waits for a lock after its client has disconnected',
    file: 'packages/core/src/database/statements/lock-retry.ts',
    find: 'if (client?.signal?.aborted === true) throw clientGone()',
    replace: '',
    fails: locks,
  },
  {
    title: 'Reading the schema does not wait for a locked file',
    file: 'packages/core/src/catalogue/introspect/read-catalogue.ts',
    find: 'const lockDeadline = 5_000',
    replace: 'const lockDeadline = 0',
    fails: locks,
  },
  {
    title: 'A write into a removed file is acknowledged',
    file: watched,
    find: 'if (!current.isInTransaction() && !isUnmoved()) {',
    replace: 'if (current.isInTransaction() && !isUnmoved()) {',
    fails: moved,
  },
  {
    title: 'COMMIT writes into a removed file',
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
