// What the row's part of an ETag is made of, as text: the bytes of `stringify(tagValues(…))`, from the driver's values.

import { cellOf } from '../compile/cell.ts'
import type { MemberReader } from '../compile/selection.ts'
import type { Layout, LoadedRow } from '../execute/loaded-row.ts'
import { recordKey } from '../plan/record.ts'
import type { Resource } from '../registry/resource.ts'

/** `[1,"Emma","12.50"]`: the visible columns of a row, whatever the client asked to see. */
export function tagText(resource: Resource, { raw, layout }: LoadedRow): string {
  let text = '['
  for (const reader of readersOf(resource, layout)) {
    const value = reader && cellOf(raw, reader)
    const written = value === null || value === undefined ? 'null' : reader?.write(value)
    text += text === '[' ? written : `,${written}`
  }
  return `${text}]`
}

type TagReaders = readonly (MemberReader | undefined)[]

/** Prepared reads have the same layout every time. */
const known = new WeakMap<Layout, TagReaders>()

function readersOf(resource: Resource, layout: Layout): TagReaders {
  const before = known.get(layout)
  if (before !== undefined) return before
  const byKey = new Map(layout.readers.map((reader) => [reader.key, reader]))
  const readers = [...resource.columns.keys()].map(
    (name) => byKey.get(recordKey(name)) ?? byKey.get(name),
  )
  known.set(layout, readers)
  return readers
}
