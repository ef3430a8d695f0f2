// Errors of SQLite's drivers, classified by extended result code, then by message, then by primary result code.

import type { DatabaseFailure } from '../dialect.ts'
import {
  type CodeTable,
  connectionFailure,
  type DriverError,
  failure,
  firstKnown,
  type Kind,
  kindOfCode,
  textOrEmpty,
} from '../shared/session/driver-errors.ts'

/**
 * Kinds of failures by result code: names for better-sqlite3, and the same codes as numbers, for drivers without names. An extended code that is not listed has
 * the kind of its primary code.
 */
const resultCodes: CodeTable = [
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
  // Of a virtual table, such as an R-tree whose box ends before it begins.
  ['check', 'SQLITE_CONSTRAINT_CHECK', 'SQLITE_CONSTRAINT_VTAB', ...[275, 2323]],
  // Primary codes alone come from drivers that do not report extended ones; `RAISE` has no other sign.
  ['trigger', 'SQLITE_CONSTRAINT_TRIGGER', 'SQLITE_CONSTRAINT', ...[1811, 19]],
  ['value', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT_DATATYPE', 20, 18, 3091],
  // BUSY_SNAPSHOT: the transaction's snapshot is stale, so it can no longer write; a new one can.
  [
    'retry',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_ABORT_ROLLBACK',
    'SQLITE_PROTOCOL',
    'SQLITE_SCHEMA',
    ...[517, 516, 15, 17],
  ],
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
    'SQLITE_NOLFS',
    ...[10, 14, 13, 8, 7, 11, 26, 3, 22],
  ],
]

/**
 * Classifies by the code's name (better-sqlite3 and similar drivers), by its number (node:sqlite), or by the message if there is
 * neither.
 */
export function classifySqlite(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    const message = textOrEmpty(error.message)
    const codes = [error.code, error.errcode, isSqlite(error) ? error.errno : undefined]
    const kind =
      firstKind(codes, listedKind) ?? sqliteKindOfMessage(message) ?? firstKind(codes, primaryKind)
    if (kind === undefined) {
      return connectionFailure(error) ?? (isSqlite(error) ? { kind: 'other' } : undefined)
    }
    if (isFull(error)) return { kind, undone: true }
    if (kind === 'trigger') return { kind }
    return failure(kind, sqliteConstraint(kind, message), sqliteColumn(kind, message))
  })
}

const firstKind = (
  codes: readonly unknown[],
  kindOf: (code: unknown) => Kind | undefined,
): Kind | undefined =>
  codes.reduce<Kind | undefined>((found, code) => found ?? kindOf(code), undefined)

/** The kind of a listed code, unless it is the primary code of all constraints (19), of which the message tells more. */
const listedKind = (code: unknown): Kind | undefined =>
  isCode(code) && code !== 'SQLITE_CONSTRAINT' && code !== 19
    ? kindOfCode(resultCodes, code)
    : undefined

/**
 * The kind of the primary code, the lowest byte of an extended one: of SQLITE_IOERR for SQLITE_IOERR_READ. Undefined if it is not listed.
 */
function primaryKind(code: unknown): Kind | undefined {
  if (!isCode(code)) return undefined
  const primary = typeof code === 'number' ? code & 0xff : code.split('_').slice(0, 2).join('_')
  return kindOfCode(resultCodes, primary)
}

const isCode = (code: unknown): code is string | number =>
  typeof code === 'number' || textOrEmpty(code).startsWith('SQLITE_')

/** Messages of errors that the arguments of a function cause; they have the code of all errors, SQLITE_ERROR. */
const dataException =
  /integer overflow|pattern too complex|cannot store \w+ value in|string or blob too big|malformed JSON|(?:bad JSON path|JSON path error)|JSON cannot hold BLOB|labels must be TEXT/

function sqliteKindOfMessage(message: string): Kind | undefined {
  const constraint = /(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed/.exec(message)?.[1]
  if (constraint === 'UNIQUE') return 'unique'
  if (constraint === 'NOT NULL') return 'notNull'
  if (constraint === 'CHECK') return 'check'
  if (constraint === 'FOREIGN KEY') return 'foreignKey'
  if (dataException.test(message)) return 'value'
  return /database (table )?is locked/.test(message) ? 'locked' : undefined
}

/** Returns the name or expression of a CHECK; of a unique key, which the message lists as `t.a, t.b`, the columns as `"a", "b"`. */
function sqliteConstraint(kind: Kind, message: string): string {
  if (kind === 'unique') {
    const index = /constraint failed: index '([^']+)'/.exec(message)?.[1]
    const columns = /constraint failed: (?!index ')(.+)$/.exec(message)?.[1] ?? ''
    return index ?? columns.replace(/(^|, )[^.,]+\.([^,]+)/g, '$1"$2"')
  }
  return kind === 'check' ? (/CHECK constraint failed: (.+)$/.exec(message)?.[1] ?? '') : ''
}

/** Returns the column that the message names; of several (`t.a, t.b`) the first. */
function sqliteColumn(kind: Kind, message: string): string {
  if (kind === 'value') return / column \w+\.(\w+)$/.exec(message)?.[1] ?? ''
  if (kind !== 'unique' && kind !== 'notNull') return ''
  return /constraint failed: (?!index ')[^.,]+\.([^,]+)/.exec(message)?.[1] ?? ''
}

/** Whether the disk is full (SQLITE_FULL, 13). SQLite writes before COMMIT takes effect, so nothing of the transaction is stored. */
const isFull = ({ code, errcode, errno }: DriverError): boolean =>
  code === 'SQLITE_FULL' || errcode === 13 || (isSqlite({ code }) && errno === 13)

function isSqlite(error: DriverError): boolean {
  return textOrEmpty(error.code).includes('SQLITE')
}
