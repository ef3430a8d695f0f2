// Sends one compiled statement and turns what the driver throws into the answer it deserves.

import type { CompiledQuery } from 'kysely'
import type { Reader } from '../compile/selection.ts'
import type { AnyDatabase } from '../compile/target.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { databaseUnavailable, valueOutOfRange } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { compileStatement, type Statement } from '../sql/statement.ts'
import type { LoadedRow } from './loaded-row.ts'

export type RawRow = Readonly<Record<string, unknown>>

/** What a statement needs to be sent: the connection of this request and the dialect that reads its failures. */
export interface Connection {
  readonly db: AnyDatabase
  readonly dialect: Dialect
  /** Milliseconds after which the server gives a read up, where a statement can say so. */
  readonly statementTimeout?: number
}

/** Runs a read; 503 when the database is away or too slow, 400 when a sum or value left its range. */
export async function run(
  connection: Connection,
  statement: Statement,
): Promise<readonly RawRow[]> {
  try {
    const compiled = compileStatement(connection.db, statement, connection.dialect.textStyle)
    const { rows } = await connection.db.executeQuery(limited(connection, compiled))
    return rows as readonly RawRow[]
  } catch (error) {
    const { kind } = connection.dialect.classify(error)
    if (kind === 'unavailable' || kind === 'timeout' || kind === 'retry') {
      throw Object.assign(databaseUnavailable(), { cause: error })
    }
    if (kind === 'value') throw Object.assign(valueOutOfRange(), { cause: error })
    throw error
  }
}

/** Reads only: a write that is given up halfway is the transaction's business. */
function limited(
  { dialect, statementTimeout }: Connection,
  compiled: CompiledQuery,
): CompiledQuery {
  const isRead = compiled.sql.startsWith('select ') && !compiled.sql.endsWith(' for update')
  if (statementTimeout === undefined || dialect.timeLimited === undefined || !isRead)
    return compiled
  return { ...compiled, sql: dialect.timeLimited(compiled.sql, statementTimeout) }
}

/** Decodes one row with the readers of its plan. */
export function load(readers: readonly Reader[], raw: RawRow): LoadedRow {
  const values: Record<string, JsonValue> = {}
  for (const { key, alias, decode } of readers) {
    const value = raw[alias]
    values[key] = value === null || value === undefined ? null : decode(value)
  }
  return { values, related: {} }
}
