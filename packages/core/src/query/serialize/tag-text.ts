// The text of a record of which the first half of its ETag is a hash: all visible columns, independent of `fields`, without the closing
// brace: `{"id":1,"title":"Emma"`. Reads compute it by `tagText`; a write computes the same text of the stored record by `recordText`, to test
// `If-Match`.

import type { RawRow } from '../../database/cell.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { tagValues } from '../plan/order/row-tag.ts'
import { recordKey } from '../plan/record.ts'
import type { Layout, LoadedRow } from '../run/loaded-row.ts'
import { cellsWriter, memberOpening, type OwnMember } from './write-cells.ts'

/** The text of a record from its values: `{"id":1,"title":"Emma"`. */
export function recordText(
  resource: Resource,
  values: Readonly<Record<string, JsonValue>>,
): string {
  const texts = tagValues(resource, values).map(stringify)
  return [...resource.columns.keys()].map((name, i) => memberOpening(name, i) + texts[i]).join('')
}

/** The text of a record from the driver's values; `own` is the beginning of the row's serialised object, if it exists. */
export function tagText(resource: Resource, { raw, layout }: LoadedRow, own?: string): string {
  // If the database built the object of a single record, it contains all visible columns.
  if (own !== undefined && layout.object !== undefined) return own
  const { isOwn, write } = writerOf(resource, layout)
  return own !== undefined && isOwn ? own : write(raw)
}

/** Writes the tag texts of rows of one layout. */
interface TagWriter {
  /** Whether the serialised objects of these rows begin with exactly this text. */
  readonly isOwn: boolean
  readonly write: (raw: RawRow) => string
}

/** Cached by layout: a cached read returns the same layout object every time. */
const tagWriters = new WeakMap<Layout, TagWriter>()

/** Returns the cached writer of rows of a layout, or makes it. */
function writerOf(resource: Resource, layout: Layout): TagWriter {
  const known = tagWriters.get(layout)
  if (known !== undefined) return known
  const { readers, arrays } = layout
  const byKey = new Map(readers.map((reader) => [reader.key, reader]))
  // `recordKey`: a column that was read for the ETag alone, because `fields` leaves it out.
  const members = [...resource.columns.keys()].map(
    (name): OwnMember => ({ name, reader: byKey.get(recordKey(name)) ?? byKey.get(name) }),
  )
  const shown = readers.filter(({ visible }) => visible)
  const isOwn =
    shown.length === members.length &&
    shown.every((reader, i) => reader === members[i]?.reader && reader.key === members[i]?.name)
  const writer = { isOwn, write: cellsWriter(members, arrays) }
  tagWriters.set(layout, writer)
  return writer
}
