// The parts of the classification of driver errors that all dialects share: chains of causes, failures of connections, and look-ups in
// their tables of codes. `mysql-errors.ts` and its like use them.

import type { DatabaseFailure } from '../../dialect.ts'

export type Kind = DatabaseFailure['kind']

/** The properties of driver errors that classification reads, under each driver's own names. */
export interface DriverError {
  readonly code?: unknown
  readonly errno?: unknown
  readonly errcode?: unknown
  readonly message?: unknown
  readonly sqlMessage?: unknown
  readonly sqlState?: unknown
  readonly constraint?: unknown
  readonly constraint_name?: unknown
  readonly column?: unknown
  readonly column_name?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
  readonly routine?: unknown
  /** The type that an error is about; pg and PGlite call it `dataType`, postgres.js `type_name`. */
  readonly dataType?: unknown
  readonly type_name?: unknown
}

/** Error codes and numbers, by the kind of failure. */
export type CodeTable = readonly (readonly [Kind, ...(string | number)[]])[]

/** System error codes of attempts to connect that failed: no statement was sent. */
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

/** System error codes of broken connections; a running statement may have been executed. */
export const brokenCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
])

/** Messages of drivers and pools without a connection to send the statement on; these errors have no code. */
const noConnection =
  /^(connect |No database connection became free|Setting up a |Connection terminated due to connection timeout|timeout exceeded when trying to connect|Client was closed|Cannot use a pool after|Pool is closed|Queue limit reached|No connections available|Can't add new command when connection is in closed state|driver has already been destroyed|The database connection is not open|database is not open|PGlite is closed)/i

/** Messages of drivers whose connection broke; these errors have no code. */
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|CONNECTION_)/i

/** Messages of drivers that cannot hold a transaction open: of D1, and of others over HTTP. */
const noTransactions =
  /transactions? (?:is|are) not (?:yet )?supported|^D1_ERROR: To execute a transaction/i

/** Whether BEGIN failed because the driver has no transactions. */
export const isWithoutTransactions = (thrown: unknown): boolean =>
  thrown instanceof Error && noTransactions.test(thrown.message)

const timedOut = /^(Query read timeout|Query inactivity timeout)/i

/** Returns the first classification that `look` finds among the error, its causes, and the members of an AggregateError. */
export function firstKnown(
  thrown: unknown,
  look: (error: DriverError) => DatabaseFailure | undefined,
): DatabaseFailure {
  const queue: unknown[] = [thrown]
  // The limit ends circular chains of causes.
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

/** Classifies failures of the connection itself, whose errors are similar in all drivers; undefined for other errors. */
export function connectionFailure(error: DriverError): DatabaseFailure | undefined {
  const code = textOrEmpty(error.code)
  const message = textOrEmpty(error.message)
  // The first code is of mysql2's option `timeout`.
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

/** The kind of a code in a table; undefined if the table does not have it. */
export function kindOfCode(table: CodeTable, code: string | number): Kind | undefined {
  return table.find(([, ...codes]) => codes.includes(code))?.[0]
}

/** A failure with the names that the error tells; an empty text stands for a name that it does not tell. */
export function failure(kind: Kind, constraint: string, column: string): DatabaseFailure {
  return {
    kind,
    ...(constraint === '' ? {} : { constraint }),
    ...(column === '' ? {} : { column }),
  }
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
