// Errors of the drivers of MySQL and MariaDB, classified by error number.

import type { DatabaseFailure } from '../dialect.ts'
import {
  type CodeTable,
  connectionFailure,
  failure,
  firstKnown,
  type Kind,
  kindOfCode,
  text,
  triggerFailure,
} from '../shared/session/driver-errors.ts'

/** Kinds of failures by error number. */
const numbers: CodeTable = [
  ['unique', 1062, 1586, 1859, 1022],
  ['foreignKey', 1451, 1452, 1216, 1217, 1557, 1761, 1762],
  ['notNull', 1048, 1364, 1263],
  ['check', 3819, 4025],
  [
    'value',
    ...[1406, 1264, 1265, 1292, 1300, 1366, 1367, 1411, 1441, 1525, 1690, 3140, 1139, 3697, 3698],
    ...[1267, 3854],
  ],
  // 1412: the table was created after the transaction's snapshot. 1243: another server behind a pooler prepared the statement.
  // 3101: a conflict that MySQL's group replication finds at COMMIT; Galera reports 1213.
  ['retry', 1213, 1205, 1020, 1243, 1412, 3101, 3572],
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
    ...[3, 1021, 1026, 1030, 1037, 1038, 1041, 1114, 1206],
    // 1047: a Galera node that is not part of the cluster's primary component. 1180 and 3100: COMMIT failed.
    ...[1047, 1180, 3100],
  ],
]

/** Error numbers of connections that the server closed; a running statement may have been executed. */
const serverClosedConnection: ReadonlySet<number> = new Set([
  1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169, 4031,
])

/** Classifies by error number. Names of constraints come from the message, because the drivers return nothing else. */
export function classifyMysql(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    if (typeof error.errno !== 'number') return connectionFailure(error)
    if (serverClosedConnection.has(error.errno)) return { kind: 'unavailable', lost: true }
    // SIGNAL with SQLSTATE 45000, which applications use.
    if (error.sqlState === '45000') return triggerFailure(error)
    const kind = kindOfCode(numbers, error.errno)
    // Negative numbers are error numbers of the socket.
    if (kind === undefined) return connectionFailure(error) ?? { kind: 'other' }
    const message = text(error.sqlMessage ?? error.message)
    return failure(kind, mysqlConstraint(kind, message), mysqlColumn(kind, message))
  })
}

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
