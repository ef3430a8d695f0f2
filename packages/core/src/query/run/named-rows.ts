// Decodes rows whose values have names.

import type { NamedRow } from '../../database/leases/lease.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ValueReader } from '../compile/selection.ts'

/** Decodes the rows of `run`. */
export function decodeRows(
  readers: readonly ValueReader[],
  raws: readonly NamedRow[],
): readonly Readonly<Record<string, JsonValue>>[] {
  const rows: Readonly<Record<string, JsonValue>>[] = []
  for (let i = 0; i < raws.length; i++) rows.push(decodedValues(readers, raws[i] as NamedRow))
  return rows
}

/** Decodes one row of `run`. */
export function decodeRow(
  readers: readonly ValueReader[],
  raw: NamedRow,
): { readonly values: Readonly<Record<string, JsonValue>> } {
  return { values: decodedValues(readers, raw) }
}

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
