// Decodes rows that `Lease.rows` returns as objects by alias, to objects by the keys of their outputs. Writes read their stored records so,
// whose values they compare and check, without embeds or serialising.

import type { NamedRow } from '../../database/leases/lease.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ValueReader } from '../compile/selection.ts'

/** Decodes the rows of one statement. */
export function decodeRows(
  readers: readonly ValueReader[],
  raws: readonly NamedRow[],
): readonly Readonly<Record<string, JsonValue>>[] {
  const rows: Readonly<Record<string, JsonValue>>[] = []
  for (let i = 0; i < raws.length; i++) rows.push(decodedValues(readers, raws[i] as NamedRow))
  return rows
}

/** Decodes one row, to an object whose `values` are the decoded ones, as those of a `LoadedRow`. */
export function decodeRow(
  readers: readonly ValueReader[],
  raw: NamedRow,
): { readonly values: Readonly<Record<string, JsonValue>> } {
  return { values: decodedValues(readers, raw) }
}

/** The values of a row by the keys of their outputs. */
function decodedValues(
  readers: readonly ValueReader[],
  raw: NamedRow,
): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {}
  for (let i = 0; i < readers.length; i++) {
    const { key, alias, decode } = readers[i] as ValueReader
    const value = raw[alias]
    values[key] = value === null || value === undefined ? null : decode(value)
  }
  return values
}
