// LoadedRow: a row as the driver returned it, decoded on first access, with its embedded rows. Rows of one statement share a Layout, which
// says where their values are. `query/serialize` writes most rows without decoding them into an object; hooks and the keys of embeds need
// `values`.

import type { CellLocation, ObjectLocation, RawRow } from '../../database/cell.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { type MemberReader, readMember } from '../compile/selection.ts'

/** Where the values are in a row. */
export interface Layout {
  readonly readers: readonly MemberReader[]
  /** Whether the driver returns rows as arrays. */
  readonly arrays: boolean
  /** The cells with JSON text of embedded relations, by relation name. */
  readonly embeddedJson: ReadonlyMap<string, CellLocation>
  /** The cell with the JSON text of the whole object, if the database built it. */
  readonly object?: ObjectLocation
}

/** A row of the driver, and where its values are. */
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

  /** Decoded values by output key, including hidden columns. */
  get values(): Readonly<Record<string, JsonValue>> {
    this.#values ??= decoded(this)
    return this.#values
  }
}

function decoded(row: LoadedRow): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {}
  for (const reader of row.layout.readers) values[reader.key] = readMember(row.raw, reader)
  return values
}

const noEmbeddedJson: Layout['embeddedJson'] = new Map()

/** The rows of one statement; `embeddedJson` and `object` as in Layout. */
export function loadRows(
  readers: readonly MemberReader[],
  raws: readonly RawRow[],
  embeddedJson: Layout['embeddedJson'] = noEmbeddedJson,
  object?: ObjectLocation,
): readonly LoadedRow[] {
  const layout = layoutOf(readers, Array.isArray(raws[0]), embeddedJson, object)
  const rows: LoadedRow[] = []
  for (let i = 0; i < raws.length; i++) rows.push(new LoadedRow(layout, raws[i] as RawRow))
  return rows
}

/** The layouts of statements by their `readers`: a stored statement has the same list of readers each time it is sent. */
const layouts = new WeakMap<readonly MemberReader[], Layout>()

/** Returns the layout of rows that these readers read; the same object each time, because serializers are cached by it. */
export function layoutOf(
  readers: readonly MemberReader[],
  arrays: boolean,
  embeddedJson: Layout['embeddedJson'] = noEmbeddedJson,
  object?: ObjectLocation,
): Layout {
  const known = layouts.get(readers)
  if (known?.arrays === arrays && known.embeddedJson === embeddedJson && known.object === object)
    return known
  const layout: Layout = { readers, arrays, embeddedJson, ...(object && { object }) }
  layouts.set(readers, layout)
  return layout
}
