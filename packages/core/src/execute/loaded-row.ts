// LoadedRow: one row as read and decoded, with its related rows attached. Types only.

import type { JsonValue } from '../json/json-value.ts'

export interface LoadedRow {
  /** Decoded values by output key, hidden keys too. */
  readonly values: Readonly<Record<string, JsonValue>>
  /** Embedded rows by relation key: a list, an object or null. */
  readonly related: Record<string, readonly LoadedRow[] | LoadedRow | null>
}
