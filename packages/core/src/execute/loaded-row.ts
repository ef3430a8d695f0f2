// LoadedRow: one row as it was read, decoded when somebody asks for its values, with its related rows attached.

import { type CellLocation, cellOf, type ObjectLocation, type RawRow } from '../compile/cell.ts'
import type { MemberReader } from '../compile/selection.ts'
import type { JsonValue } from '../json/json-value.ts'

/** Where the values of a row stand. */
export interface Layout {
  readonly readers: readonly MemberReader[]
  /** Whether the driver gives rows as arrays. */
  readonly arrays: boolean
  /** Where the JSON texts of embedded relations stand, by the relations' names. */
  readonly texts: ReadonlyMap<string, CellLocation>
  /** Where the JSON text of the row's object stands, where the database wrote it. */
  readonly object?: ObjectLocation
}

export class LoadedRow {
  readonly raw: RawRow
  readonly layout: Layout
  #related: Record<string, readonly LoadedRow[] | LoadedRow | null> | undefined
  #values: Readonly<Record<string, JsonValue>> | undefined

  constructor(layout: Layout, raw: RawRow) {
    this.layout = layout
    this.raw = raw
  }

  /** Embedded rows by relation key: a list, an object or null. */
  get related(): Record<string, readonly LoadedRow[] | LoadedRow | null> {
    this.#related ??= {}
    return this.#related
  }

  /** Decoded values by output key, hidden keys too. */
  get values(): Readonly<Record<string, JsonValue>> {
    this.#values ??= decoded(this.layout, this.raw)
    return this.#values
  }
}

function decoded({ readers }: Layout, raw: RawRow): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {}
  for (const reader of readers) {
    const value = cellOf(raw, reader)
    values[reader.key] = value === null || value === undefined ? null : reader.decode(value)
  }
  return values
}

const noTexts: Layout['texts'] = new Map()

/** The rows of one statement; `texts`: where it holds embedded relations as text; `object`: where it holds the whole. */
export function loadRows(
  readers: readonly MemberReader[],
  raws: readonly RawRow[],
  texts: Layout['texts'] = noTexts,
  object?: ObjectLocation,
): readonly LoadedRow[] {
  const layout = layoutOf(readers, Array.isArray(raws[0]), texts, object)
  return raws.map((raw) => new LoadedRow(layout, raw))
}

/** Prepared reads have the same readers every time, and what is made for a layout can be used again. */
const layouts = new WeakMap<readonly MemberReader[], Layout>()

export function layoutOf(
  readers: readonly MemberReader[],
  arrays: boolean,
  texts: Layout['texts'] = noTexts,
  object?: ObjectLocation,
): Layout {
  const known = layouts.get(readers)
  if (known?.arrays === arrays && known.texts === texts && known.object === object) return known
  const layout: Layout = { readers, arrays, texts, ...(object && { object }) }
  layouts.set(readers, layout)
  return layout
}
