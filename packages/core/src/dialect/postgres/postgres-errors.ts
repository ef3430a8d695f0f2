// Errors of PostgreSQL's drivers, classified by the class of their SQLSTATE, with named exceptions.

import type { DatabaseFailure } from '../dialect.ts'
import {
  brokenCodes,
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
 * Kinds of failures by class, the first two characters of an SQLSTATE. It has every class of PostgreSQL whose errors reach clients; any
 * other class is one of the application, which its triggers raise.
 */
const classes: CodeTable = [
  // Data exceptions.
  ['value', '22'],
  // Constraints, and WITH CHECK OPTION of views.
  ['check', '23', '44'],
  // A statement of a trigger failed: CASE without a case, too many rows, a row that the trigger has changed already, other languages.
  ['trigger', '09', '20', '21', '27', '38', 'P0'],
  // The transaction was rolled back; its snapshot is too old.
  ['retry', '40', '72'],
  // Connections, lacking resources, interventions of the operator, errors of the system.
  ['unavailable', '08', '53', '57', '58'],
  // Mistakes in statements, missing features and rights.
  [
    'other',
    ...['03', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '24', '25', '26', '28', '2B', '2D', '2F'],
    ...['34', '39', '3B', '3D', '3F', '42', '54', '55', 'F0', 'HV', 'XX'],
  ],
]

/** Kinds of failures by SQLSTATE, where they differ from those of the class. */
const sqlStates: CodeTable = [
  // 23P01: an exclusion constraint.
  ['unique', '23505', '23P01'],
  // 23001: RESTRICT.
  ['foreignKey', '23503', '23001'],
  ['notNull', '23502'],
  // A constraint that was violated at COMMIT.
  ['check', '40002'],
  // 54000: a value is too long for an index.
  ['value', '54000'],
  // 26000 and 42P05: a pooler switched to another server connection, which has different prepared statements.
  ['retry', '26000', '42P05'],
  // The statement was cancelled, by its time limit or on request; a lock was not free in time; the limits of idle transactions, of
  // transactions and of idle sessions.
  ['timeout', '57014', '55P03', '25P03', '25P04', '57P05'],
  // 25006: the transaction is read-only. 2200H: a sequence has no further number. XX001 and XX002: damaged files. HV: another server, or memory, behind a foreign table.
  ['unavailable', '25006', '2200H', 'XX001', 'XX002', 'HV001', 'HV014', 'HV00N'],
  // The protocol was violated, or LIMIT or OFFSET is invalid: mistakes of this library, and not of a client's value, as their classes say.
  ['other', '08P01', '2201W', '2201X'],
]

/** Kinds that an SQLSTATE keeps if RAISE has set it. */
const raisedKinds: ReadonlySet<Kind> = new Set([
  'unique',
  'foreignKey',
  'notNull',
  'check',
  'retry',
])

/** SQLSTATEs with which the server ends a statement: it was cancelled, or did not get a lock in time. The transaction is undone, even if the statement is COMMIT. */
const endedByServer: ReadonlySet<string> = new Set(['57014', '55P03'])

/** SQLSTATEs of sessions that the server terminated (57P), of broken connections (08), and of an unknown outcome (40003); a running statement may have been executed. */
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
    const code = textOrEmpty(error.code)
    // System error codes such as EPIPE look like an SQLSTATE, but have a number too.
    const isSystems = brokenCodes.has(code) || typeof error.errno === 'number'
    if (!/^[0-9A-Z]{5}$/.test(code) || isSystems) return connectionFailure(error)
    if (isPolicyViolation(error)) return { kind: 'policy' }
    if (isStalePlan(error)) return { kind: 'retry' }
    const known = kindOfCode(sqlStates, code) ?? kindOfCode(classes, code.slice(0, 2))
    if (isRaised(error, known) && !raisedKinds.has(known ?? 'other')) return { kind: 'trigger' }
    if (serverClosedConnection.has(code)) return { kind: 'unavailable', lost: true }
    if (endedByServer.has(code)) return { kind: 'timeout', undone: true }
    const kind = known ?? 'trigger'
    return failure(
      kind,
      // A violated NOT NULL of a domain names only the domain.
      textOrEmpty(
        error.constraint ??
          error.constraint_name ??
          (kind === 'notNull' ? domainOf(error) : undefined),
      ),
      textOrEmpty(error.column ?? error.column_name),
    )
  })
}

/** Whether the application has raised the error: by RAISE (P0001) or ASSERT (P0004) of PL/pgSQL, or with an SQLSTATE of its own. */
const isRaised = ({ code, routine }: DriverError, known: Kind | undefined): boolean =>
  known === undefined || code === 'P0001' || code === 'P0004' || routine === 'exec_stmt_raise'

/**
 * A row that a policy of row-level security does not allow. Missing privileges have the same SQLSTATE, 42501; they come from another function
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
