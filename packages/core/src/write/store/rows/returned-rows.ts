// ReturnedRows: collects the rows that the statements of a list return (RETURNING), so that the response needs no other read. An endpoint
// creates it (`returnedEcho`), if nothing can change or hide a row afterwards.

import { cellOf, type RawRow } from '../../../database/cell.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import type { Output } from '../../../query/plan/plan.ts'
import { recordKey } from '../../../query/plan/record.ts'
import { type LoadedRow, loadRows } from '../../../query/run/loaded-row.ts'
import type { CompiledWrite } from '../../statements/statements.ts'

/** What the statements return, and the rows that they have returned so far. */
export interface ReturnedRows {
  /** The returned columns of each record: columns of its own table, including its key. */
  readonly output: readonly Output[]
  /** Whether the rows that an INSERT returns are stored as they are: no trigger changes them afterwards. */
  readonly byInsert: boolean
  /** Whether the rows that an UPDATE returns are stored as they are. */
  readonly byUpdate: boolean
  /** The rows that were returned so far; emptied if later steps may have changed them. */
  readonly rows: LoadedRow[]
}

/** Adds the rows of one statement. */
export function addReturned(
  { rows }: ReturnedRows,
  readers: CompiledWrite['readers'],
  raws: readonly RawRow[],
): void {
  const loaded = loadRows(readers, raws)
  for (let i = 0; i < loaded.length; i++) rows.push(loaded[i] as LoadedRow)
}

/** Returns a function that reads a column of the record from a returned row; throws if the statement does not return the column. */
export function columnReader(
  readers: CompiledWrite['readers'],
  { name }: NamedColumn,
): (raw: RawRow) => JsonValue {
  const named = (key: string) => readers.find((reader) => reader.key === key)
  const reader = named(recordKey(name)) ?? named(name)
  if (reader === undefined) throw new Error(`The statement does not return ${name}.`)
  return (raw) => {
    const value = cellOf(raw, reader)
    return value === null || value === undefined ? null : reader.decode(value)
  }
}
