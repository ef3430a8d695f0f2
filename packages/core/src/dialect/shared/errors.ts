// What drivers throw, by what the caller can do about it: the table of reliability §3, for every driver of a family.

import type { DatabaseFailure } from '../dialect.ts'

type Kind = DatabaseFailure['kind']

/** What the drivers of all families put on their errors, under the names they use. */
interface DriverError {
  readonly code?: unknown
  readonly errno?: unknown
  readonly errcode?: unknown
  readonly message?: unknown
  readonly sqlMessage?: unknown
  readonly constraint?: unknown
  readonly constraint_name?: unknown
  readonly column?: unknown
  readonly column_name?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
  readonly routine?: unknown
}

type Table = readonly (readonly [Kind, ...(string | number)[]])[]

/** Of sockets that did not get as far as a connection. */
const unreachedCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
])

/** Of connections that broke. */
const brokenCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
])

/** Drivers and pools reject with plain errors, without a code, when they have no connection to send a statement on. */
const noConnection =
  /^(connect |No database connection became free|Setting up a |Connection terminated due to connection timeout|timeout exceeded when trying to connect|Client was closed|Cannot use a pool after|Pool is closed|Queue limit reached|No connections available|Can't add new command when connection is in closed state|driver has already been destroyed|The database connection is not open|database is not open|PGlite is closed)/i

/** And so when a connection breaks. */
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|CONNECTION_)/i

const timedOut = /^(Query read timeout|Query inactivity timeout)/i

/** PostgreSQL by SQLSTATE: whole codes first, then classes of two letters. */
const postgresCodes: Table = [
  ['unique', '23505', '23P01'],
  ['foreignKey', '23503', '23001'],
  ['notNull', '23502'],
  ['check', '23514', '44000'],
  [
    'value',
    '22001',
    '22003',
    '22007',
    '22008',
    '22P02',
    '22P03',
    '22021',
    '22P05',
    '2201B',
    '22025',
  ],
  // 26000 and 42P05: a pooler has given the connection another server, which has other prepared statements.
  ['retry', '40000', '40001', '40P01', '26000', '42P05'],
  ['timeout', '57014', '55P03', '25P03', '25P04', '57P05'],
  ['unavailable', '57P03', '57P04', '08000', '08001', '08004', '25006', '53', '58'],
]

/** MySQL and MariaDB by error number. */
const mysqlNumbers: Table = [
  ['unique', 1062, 1586, 1859, 1022],
  ['foreignKey', 1451, 1452, 1216, 1217, 1557, 1761, 1762],
  ['notNull', 1048, 1364, 1263],
  ['check', 3819, 4025],
  [
    'value',
    ...[1406, 1264, 1265, 1292, 1300, 1366, 1367, 1411, 1441, 1525, 1690, 3140, 1139, 3697, 3698],
    ...[1267, 3854],
  ],
  // 1412: a table that was made after the transaction's view of the data. 1243: a statement that another server behind a
  // pooler has prepared. 3101: a conflict that MySQL's group replication finds at COMMIT; Galera reports 1213.
  ['retry', 1213, 1205, 1020, 1243, 1412, 3101, 3572],
  ['timeout', 3024, 1969, 1317, 3699, 1028],
  [
    'unavailable',
    // Too many connections, or none for this user.
    ...[1040, 1129, 1135, 1203, 1226],
    // The server is offline, starting or cannot be reached; `endedByServer` has the connections that it ends.
    ...[1077, 1079, 2002, 2003, 3032, 3168],
    // Read-only: by --read-only, by the session, by replication.
    ...[1290, 1792, 1836],
    // No room on the disk or in memory, or an error of the storage.
    ...[3, 1021, 1026, 1030, 1037, 1038, 1041, 1114, 1206],
    // 1047: a Galera node that is not part of the cluster's primary component. 1180 and 3100: COMMIT failed.
    ...[1047, 1180, 3100],
  ],
]

/** SQLite by result code, extended ones first; the numbers are what drivers without names give. */
const sqliteCodes: Table = [
  [
    'unique',
    'SQLITE_CONSTRAINT_UNIQUE',
    'SQLITE_CONSTRAINT_PRIMARYKEY',
    'SQLITE_CONSTRAINT_ROWID',
    2067,
    1555,
    2579,
  ],
  ['foreignKey', 'SQLITE_CONSTRAINT_FOREIGNKEY', 787],
  ['notNull', 'SQLITE_CONSTRAINT_NOTNULL', 1299],
  ['check', 'SQLITE_CONSTRAINT_CHECK', 275],
  ['value', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT_DATATYPE', 20, 18, 3091],
  // A transaction that read before others wrote can never write; it succeeds when it is run again.
  ['retry', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_PROTOCOL', 'SQLITE_SCHEMA', ...[517, 15, 17]],
  ['locked', 'SQLITE_BUSY', 'SQLITE_LOCKED', ...[5, 6]],
  ['timeout', 'SQLITE_INTERRUPT', 9],
  [
    'unavailable',
    'SQLITE_IOERR',
    'SQLITE_CANTOPEN',
    'SQLITE_FULL',
    'SQLITE_READONLY',
    'SQLITE_NOMEM',
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'SQLITE_PERM',
    ...[10, 14, 13, 8, 7, 11, 26, 3],
  ],
]

/** SQLSTATE, constraint and column as pg, PGlite and postgres.js name them. */
export function classifyPostgres(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    const code = text(error.code)
    // EPIPE has the form of an SQLSTATE.
    if (!/^[0-9A-Z]{5}$/.test(code) || brokenCodes.has(code)) return connectionFailure(error)
    if (isStalePlan(error)) return { kind: 'retry' }
    if (endedByServer.has(code)) return { kind: 'unavailable', lost: true }
    const kind = find(postgresCodes, code) ?? find(postgresCodes, code.slice(0, 2))
    return failure(
      kind ?? 'other',
      text(error.constraint ?? error.constraint_name),
      text(error.column ?? error.column_name),
    )
  })
}

/**
 * "cached plan must not change result type": the tables of a prepared statement have changed. The message may be in any
 * language. It ends a transaction, which succeeds when it is run again: the statement is prepared anew.
 */
const isStalePlan = ({ code, routine }: DriverError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery'

/** Numbers of both servers; names are taken from the message, which is all the drivers hand on. */
export function classifyMysql(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    if (typeof error.errno !== 'number') return connectionFailure(error)
    if (endedByServer.has(error.errno)) return { kind: 'unavailable', lost: true }
    const kind = find(mysqlNumbers, error.errno)
    // Negative numbers are those of the socket.
    if (kind === undefined) return connectionFailure(error) ?? { kind: 'other' }
    const message = text(error.sqlMessage ?? error.message)
    return failure(kind, mysqlConstraint(kind, message), mysqlColumn(kind, message))
  })
}

/** Names of better-sqlite3 and its kin, numbers of node:sqlite, and the message where a driver gives neither. */
export function classifySqlite(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    const message = text(error.message)
    const kind =
      sqliteKind(error.code) ??
      sqliteKind(error.errcode) ??
      (text(error.code).startsWith('SQLITE') ? sqliteKind(error.errno) : undefined) ??
      sqliteKindOfMessage(message)
    if (kind === undefined) {
      return connectionFailure(error) ?? (isSqlite(error) ? { kind: 'other' } : undefined)
    }
    return failure(kind, sqliteConstraint(kind, message), sqliteColumn(kind, message))
  })
}

/** A database we do not know: what the three families would say, if one of them recognises the error. */
export function classifyAny(thrown: unknown): DatabaseFailure {
  for (const classify of [classifyPostgres, classifyMysql, classifySqlite]) {
    const found = classify(thrown)
    if (found.kind !== 'other') return found
  }
  return { kind: 'other' }
}

// ---------------------------------------------------------------- MySQL and MariaDB

function mysqlConstraint(kind: Kind, message: string): string {
  if (kind === 'unique') {
    // The value stands before it and may hold anything; MySQL 8 writes the table before the key.
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

// ---------------------------------------------------------------- SQLite

function sqliteKind(code: unknown): Kind | undefined {
  if (typeof code === 'number') return find(sqliteCodes, code) ?? find(sqliteCodes, code & 0xff)
  const name = text(code)
  if (!name.startsWith('SQLITE_')) return undefined
  // SQLITE_IOERR_READ and the like fall back to their primary code.
  return find(sqliteCodes, name) ?? find(sqliteCodes, name.split('_').slice(0, 2).join('_'))
}

function sqliteKindOfMessage(message: string): Kind | undefined {
  const constraint = /(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed/.exec(message)?.[1]
  if (constraint === 'UNIQUE') return 'unique'
  if (constraint === 'NOT NULL') return 'notNull'
  if (constraint === 'CHECK') return 'check'
  if (constraint === 'FOREIGN KEY') return 'foreignKey'
  if (/integer overflow|pattern too complex|cannot store \w+ value in/.test(message)) return 'value'
  return /database (table )?is locked/.test(message) ? 'locked' : undefined
}

function sqliteConstraint(kind: Kind, message: string): string {
  if (kind === 'unique') return /constraint failed: index '([^']+)'/.exec(message)?.[1] ?? ''
  return kind === 'check' ? (/CHECK constraint failed: (.+)$/.exec(message)?.[1] ?? '') : ''
}

/** `t.a, t.b`: the first column of the key. */
function sqliteColumn(kind: Kind, message: string): string {
  if (kind === 'value') return / column \w+\.(\w+)$/.exec(message)?.[1] ?? ''
  if (kind !== 'unique' && kind !== 'notNull') return ''
  return /constraint failed: (?!index ')[^.,]+\.([^,]+)/.exec(message)?.[1] ?? ''
}

function isSqlite(error: DriverError): boolean {
  return text(error.code).includes('SQLITE')
}

// ---------------------------------------------------------------- shared

/** Looks at the error, at what caused it, and at each of several errors in one. */
function firstKnown(
  thrown: unknown,
  look: (error: DriverError) => DatabaseFailure | undefined,
): DatabaseFailure {
  const queue: unknown[] = [thrown]
  // A chain of causes may lead back to its start.
  for (let seen = 0; queue.length > 0 && seen < 20; seen += 1) {
    const next = queue.shift()
    if (typeof next !== 'object' || next === null) continue
    const error = next as DriverError
    const found = look(error)
    if (found !== undefined) return found
    queue.push(error.cause)
    if (Array.isArray(error.errors)) queue.push(...error.errors)
  }
  return { kind: 'other' }
}

function connectionFailure(error: DriverError): DatabaseFailure | undefined {
  const code = text(error.code)
  const message = text(error.message)
  if (code === 'PROTOCOL_SEQUENCE_TIMEOUT' || timedOut.test(message)) {
    return { kind: 'timeout', lost: true }
  }
  if (unreachedCodes.has(code) || noConnection.test(message)) return { kind: 'unavailable' }
  const isBroken =
    brokenCodes.has(code) ||
    code.startsWith('PROTOCOL_CONNECTION') ||
    brokenConnection.test(message) ||
    brokenConnection.test(code)
  return isBroken ? { kind: 'unavailable', lost: true } : undefined
}

/** What servers say of connections that they end, at whatever moment. */
const endedByServer: ReadonlySet<string | number> = new Set([
  ...['57P01', '57P02', '08003', '08006', '08007', '40003'],
  ...[1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169, 4031],
])

function find(table: Table, code: string | number): Kind | undefined {
  return table.find(([, ...codes]) => codes.includes(code))?.[0]
}

function failure(kind: Kind, constraint: string, column: string): DatabaseFailure {
  return {
    kind,
    ...(constraint === '' ? {} : { constraint }),
    ...(column === '' ? {} : { column }),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
