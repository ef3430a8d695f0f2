// Errors of the drivers of MySQL and MariaDB, classified by error number, and other numbers by the class of their SQLSTATE.

import type { DatabaseFailure } from '../dialect.ts'
import {
  type CodeTable,
  connectionFailure,
  failure,
  firstKnown,
  type Kind,
  kindOfCode,
  textOrEmpty,
} from '../shared/session/driver-errors.ts'

/**
 * Kinds of failures by class, the first two characters of an SQLSTATE, for numbers that `numbers` does not list. It has every class
 * of the servers; any other class, and 45, is one of the application, which its triggers signal.
 */
const classes: CodeTable = [
  // Data exceptions.
  ['value', '22'],
  // Constraints, and WITH CHECK OPTION of views.
  ['check', '23', '44'],
  // A statement of a trigger failed: no row, CASE without a case, too many rows.
  ['trigger', '02', '20', '21'],
  // The transaction was rolled back; a distributed transaction failed.
  ['retry', '40', 'XA'],
  // The statement was interrupted.
  ['timeout', '70'],
  // Connections.
  ['unavailable', '08'],
  // Mistakes in statements, missing features and rights.
  [
    'other',
    ...['01', '07', '0A', '0K', '0Z', '24', '25', '28', '2F', '34', '3D', '42', 'HY', 'IM'],
    ...['S0', 'S1', 'XX'],
  ],
]

/** Kinds of failures by error number. */
const numbers: CodeTable = [
  // Several numbers for one failure differ in what their messages tell, or in the engine or version that reports them.
  ['unique', 1062, 1586, 1859, 1022, 1169],
  // 1557, 1761, 1762: an ON UPDATE action would store a unique value twice in the referring table.
  ['foreignKey', 1451, 1452, 1216, 1217, 1557, 1761, 1762],
  // 1364: the column was left out and has no default.
  ['notNull', 1048, 1364, 1263],
  // 3819 of MySQL and 4025 of MariaDB; 1369: WITH CHECK OPTION of a view. 1526, 1748: no partition takes the row.
  ['check', 3819, 4025, 1369, 1526, 1748],
  [
    'value',
    // Too long, out of range, cut, of a wrong form for the column or a function, no JSON, or a division by zero.
    ...[1406, 1264, 1265, 1292, 1300, 1365, 1366, 1367, 1411, 1441, 1525, 1690, 3140],
    // Texts whose character sets or collations cannot be compared or converted.
    ...[1267, 1270, 1271, 3854, 3988],
    // Regular expressions. 3699 is a timeout.
    ...[
      1139, 3685, 3686, 3687, 3688, 3689, 3690, 3691, 3692, 3693, 3694, 3695, 3696, 3697, 3698,
      3700,
    ],
    // The row, its undo record or the result of a function is too long, or the row too long to be sorted.
    ...[1118, 1301, 1713, 1038],
    // The statement is longer than max_allowed_packet, though the session's value allows it: of a proxy.
    1153,
  ],
  // SELECT … INTO found several rows.
  ['trigger', 1172],
  // 1213: a deadlock. 1205, 1689, 3572: a lock was not free. 1020: the record has changed. 1297: a temporary error of the engine.
  // 1412: the table was created after the transaction's snapshot. 1243: another server behind a pooler prepared the statement.
  // 3101: a conflict that MySQL's group replication finds at COMMIT; Galera reports 1213.
  ['retry', 1213, 1205, 1020, 1243, 1297, 1412, 1689, 3101, 3572],
  // The time limit of MySQL and of MariaDB, and statements, regular expressions and sorts that were ended.
  ['timeout', 3024, 1969, 1317, 3699, 1028],
  [
    'unavailable',
    // The server has too many connections, in total or of this user, cannot open another one, or blocks this host after errors.
    ...[1040, 1129, 1135, 1203, 1226],
    // The server is offline, starting or cannot be reached. `serverClosedConnection` has the errors of connections that it closed.
    ...[1077, 1079, 2002, 2003, 3032, 3168],
    // Read-only: by --read-only, by the transaction, or by another mode of the server.
    ...[1290, 1792, 1836],
    // The disk or memory is full, or the storage failed.
    ...[3, 1021, 1026, 1030, 1037, 1041, 1114, 1197, 1206, 1637],
    // A counter or a sequence has no further number.
    ...[167, 1467, 4084],
    // 1047: a Galera node that is not part of the cluster's primary component. 1180 and 3100: COMMIT failed.
    ...[1047, 1180, 3100],
  ],
  // Mistakes of statements whose SQLSTATE has another meaning: ambiguous columns, wrong numbers of columns.
  ['other', 1052, 1136, 1222, 1241],
]

/**
 * Error numbers of connections that the server closed, because it shuts down, of a KILL, a timeout or a broken network; a running
 * statement may have been executed.
 */
const serverClosedConnection: ReadonlySet<number> = new Set([
  1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169, 4031,
])

/**
 * Errors with which InnoDB rolls back the whole transaction: a deadlock, no memory for further locks, and, with innodb_snapshot_isolation of
 * MariaDB, a record that another transaction has changed. 1205, a wait for a lock that took too long, is one of them because of servers
 * with innodb_rollback_on_timeout; others keep the transaction, but what waited is lost, and it is repeated anyway.
 */
const endsTransaction: ReadonlySet<number> = new Set([1213, 1206, 1020, 1205])

/** Classifies by error number. Names of constraints come from the message, because the drivers return nothing else. */
export function classifyMysql(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    if (typeof error.errno !== 'number') return connectionFailure(error)
    if (serverClosedConnection.has(error.errno)) return { kind: 'unavailable', lost: true }
    const ofClass = kindOfClass(textOrEmpty(error.sqlState))
    if (ofClass === 'signal' || signals.has(error.errno)) {
      return { kind: ofClass === 'retry' ? 'retry' : 'trigger' }
    }
    const listed = kindOfCode(numbers, error.errno)
    // Negative numbers are error numbers of the socket.
    if (listed === undefined && (error.errno < 0 || ofClass === undefined)) {
      return connectionFailure(error) ?? { kind: 'other' }
    }
    const kind = listed ?? ofClass ?? 'other'
    if (listed === undefined && kind === 'unavailable') return { kind, lost: true }
    const message = textOrEmpty(error.sqlMessage ?? error.message)
    const found = failure(kind, mysqlConstraint(kind, message), mysqlColumn(kind, message))
    return endsTransaction.has(error.errno) ? { ...found, ended: true } : found
  })
}

/** The error numbers of SIGNAL, unless it sets another one. */
const signals: ReadonlySet<number> = new Set([1643, 1644])

/** The kind of an SQLSTATE by its class; `signal` for those of the application; undefined without an SQLSTATE. */
function kindOfClass(sqlState: string): Kind | 'signal' | undefined {
  if (sqlState === '') return undefined
  return kindOfCode(classes, sqlState.slice(0, 2)) ?? 'signal'
}

/** The name in `Duplicate entry 'Emma' for key 'books.title_unique'`, or in the messages of other violated constraints. */
function mysqlConstraint(kind: Kind, message: string): string {
  if (kind === 'unique') {
    // Matches from the end, because the message quotes a value of any text before the key. MySQL 8 writes the table before the
    // key.
    const key = /for key '((?:[^']|'')*)'$/.exec(message)?.[1] ?? ''
    return key.replace(/^[^.]*\./, '')
  }
  if (kind === 'foreignKey') return /CONSTRAINT `([^`]+)`/.exec(message)?.[1] ?? ''
  if (kind !== 'check') return ''
  return (
    /^CONSTRAINT `([^`]+)` failed/.exec(message)?.[1] ??
    /constraint '([^']+)'/.exec(message)?.[1] ??
    ''
  )
}

/** The column in `Column 'title' cannot be null`, or in the messages of other failures. */
function mysqlColumn(kind: Kind, message: string): string {
  if (kind === 'foreignKey') return /FOREIGN KEY \(`([^`]+)`\)/.exec(message)?.[1] ?? ''
  if (kind === 'notNull') return /(?:Column|Field) '([^']+)'/.exec(message)?.[1] ?? ''
  if (kind !== 'value') return ''
  return (
    /for column '([^']+)' at row \d+$/.exec(message)?.[1] ??
    /for column (?:`[^`]*`\.)*`([^`]+)` at row \d+$/.exec(message)?.[1] ??
    ''
  )
}
