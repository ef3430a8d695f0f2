// Errors of PostgreSQL's drivers, classified by SQLSTATE.

import type { DatabaseFailure } from '../dialect.ts'
import {
  brokenCodes,
  type CodeTable,
  connectionFailure,
  type DriverError,
  failure,
  firstKnown,
  kindOfCode,
  text,
  triggerFailure,
} from '../shared/session/driver-errors.ts'

/** Kinds of failures by SQLSTATE: a whole code, or the two characters of its class. */
const sqlStates: CodeTable = [
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
  // 26000 and 42P05: a pooler switched to another server connection, which has different prepared statements.
  ['retry', '40000', '40001', '40P01', '26000', '42P05'],
  ['timeout', '57014', '55P03', '25P03', '25P04', '57P05'],
  ['unavailable', '57P03', '57P04', '08000', '08001', '08004', '25006', '53', '58'],
]

/** SQLSTATEs of sessions that the server terminated; a running statement may have been executed. */
const serverClosedConnection: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '08003',
  '08006',
  '08007',
  '40003',
])

/** Classifies by SQLSTATE. Reads constraint and column under the names that pg, PGlite and postgres.js use. */
export function classifyPostgres(thrown: unknown): DatabaseFailure {
  return firstKnown(thrown, (error) => {
    const code = text(error.code)
    // The system error code EPIPE looks like an SQLSTATE.
    if (!/^[0-9A-Z]{5}$/.test(code) || brokenCodes.has(code)) return connectionFailure(error)
    // The SQLSTATE of RAISE EXCEPTION if the trigger gives none.
    if (code === 'P0001') return triggerFailure(error)
    if (isPolicyViolation(error)) return { kind: 'policy' }
    if (isStalePlan(error)) return { kind: 'retry' }
    if (serverClosedConnection.has(code)) return { kind: 'unavailable', lost: true }
    const kind = kindOfCode(sqlStates, code) ?? kindOfCode(sqlStates, code.slice(0, 2))
    return failure(
      kind ?? 'other',
      // A violated NOT NULL of a domain names only the domain.
      text(
        error.constraint ??
          error.constraint_name ??
          (kind === 'notNull' ? domainOf(error) : undefined),
      ),
      text(error.column ?? error.column_name),
    )
  })
}

/**
 * A row that a policy of row-level security does not allow. Missing privileges have the same SQLSTATE; they come from another function
 * of the server, and are a mistake of the configuration.
 */
const isPolicyViolation = ({ code, routine }: DriverError): boolean =>
  code === '42501' && routine === 'ExecWithCheckOptions'

const domainOf = ({ dataType, type_name }: DriverError): unknown => dataType ?? type_name

/**
 * The error "cached plan must not change result type", in any language: the tables of a prepared statement have changed. It aborts
 * the transaction. A retry succeeds, because the statement is then prepared again.
 */
const isStalePlan = ({ code, routine }: DriverError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery'
