// Makes the URL of a relation, `/api/books/1/author`, from the cells of a row that hold its key, for both serializers: `serialize.ts` needs
// it as a value, `write-objects.ts` as JSON text. The functions that a layout needs are made once, and called for each row.

import type { RawRow } from '../../database/cell.ts'
import { quotedJson } from '../../lib/json/quoted.ts'
import type { RelationAddress, ResolvedRelation } from '../../model/registry/resource.ts'
import type { Layout } from '../run/loaded-row.ts'
import { collectionUrl, keyPart } from './links.ts'

/**
 * How URLs are written: as values or as JSON text. The key between `begin` and `end` is percent-encoded, so JSON needs no escapes
 * in it.
 */
export interface UrlForm<T extends string | null> {
  readonly begin: (text: string) => string
  readonly end: (text: string) => string
  /** What replaces the URL of a to-one relation whose key is null. */
  readonly missing: T
}

/** URLs as values, for objects. */
export const urlValue: UrlForm<null> = { begin: (text) => text, end: (text) => text, missing: null }

/** URLs as JSON text, in quotes. */
export const urlText: UrlForm<'null'> = {
  begin: (text) => quotedJson(text).slice(0, -1),
  end: (text) => quotedJson(text).slice(1),
  missing: 'null',
}

/** Cells by index or alias. */
type Cells = Readonly<Record<string | number, unknown>>

/** Returns a function that creates the URL reader of a relation for rows of this layout; URLs begin with `base`. */
export function urlReaders<T extends string | null>(
  layout: Layout,
  base: string,
  form: UrlForm<T>,
): (relation: ResolvedRelation) => (raw: RawRow) => string | T {
  const recordOf = recordReaders(layout, base, form)
  const reading = cellReader(layout)
  return (relation) => {
    const { address } = relation
    if (address === null) throw new Error(`${relation.name} has no URL`)
    const foreignKey =
      relation.kind === 'belongsTo' ? relation.from.map(({ name }) => reading(name)) : []
    const record = recordOf(address)
    const after = form.end(address.rest)
    return (raw) => {
      const cells = raw as Cells
      for (const read of foreignKey) if (read(cells) === null) return form.missing
      return record(cells) + after
    }
  }
}

/** Returns a function that creates the reader of a record's URL, `/api/books/1`. Relations of the same record share a reader. */
function recordReaders(
  layout: Layout,
  base: string,
  form: UrlForm<string | null>,
): (address: RelationAddress) => (cells: Cells) => string {
  const readers = new Map<RelationAddress['key'], (cells: Cells) => string>()
  return ({ resource, key }) => {
    const known = readers.get(key)
    if (known !== undefined) return known
    const before = form.begin(`${collectionUrl(resource, base)}/`)
    const reader = keyReader(key, layout, before)
    readers.set(key, reader)
    return reader
  }
}

/** Returns a reader of `before` followed by the record's key. Remembers the text of the last row for the row's other relations. */
function keyReader(
  columns: RelationAddress['key'],
  layout: Layout,
  before: string,
): (cells: Cells) => string {
  const key = columns.map((column, i) => ({
    column,
    separator: i === 0 ? '' : ',',
    read: cellReader(layout)(column.name),
  }))
  let last: Cells | undefined
  let text = ''
  return (cells) => {
    if (cells === last) return text
    last = cells
    text = before
    for (const { column, separator, read } of key) text += separator + keyPart(column, read(cells))
    return text
  }
}

/** Reads single values of a row by their keys. */
const cellReader =
  ({ readers, arrays }: Layout) =>
  (name: string) => {
    // If keys are equal, the last one wins, as in an object.
    const reader = readers.findLast(({ key }) => key === name)
    if (reader === undefined) return () => undefined
    const place = arrays ? reader.index : reader.alias
    return (cells: Cells) => {
      const raw = cells[place]
      return raw === null || raw === undefined ? null : reader.decode(raw)
    }
  }
