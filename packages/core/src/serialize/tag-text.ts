// What the row's part of an ETag is made of, as text: the bytes of `stringify(tagValues(…))`, from the driver's values.

import { cellOf } from '../compile/cell.ts'
import type { LoadedRow } from '../execute/loaded-row.ts'
import { recordKey } from '../plan/record.ts'
import type { Resource } from '../registry/resource.ts'

/** `[1,"Emma","12.50"]`: the visible columns of a row, whatever the client asked to see. */
export function tagText(resource: Resource, { raw, layout }: LoadedRow): string {
  const byKey = new Map(layout.readers.map((reader) => [reader.key, reader]))
  const texts = [...resource.columns.keys()].map((name) => {
    const reader = byKey.get(recordKey(name)) ?? byKey.get(name)
    const value = reader && cellOf(raw, reader)
    return value === null || value === undefined ? 'null' : (reader?.write(value) ?? 'null')
  })
  return `[${texts.join()}]`
}
