// Serialises loaded rows directly to JSON text; the bytes equal `stringify(serializer(…)(row))`.

import { type CellLocation, cellOf } from '../compile/cell.ts'
import type { Layout, LoadedRow } from '../execute/loaded-row.ts'
import { collectionUrl, keyPart } from '../http/links.ts'
import { quoted } from '../json/quoted.ts'
import { stringify } from '../json/stringify.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { RelationAddress, ResolvedRelation, Resource } from '../registry/resource.ts'
import { type Shape, serializer } from './serialize.ts'
import { cellsWriter, memberOpening } from './write-cells.ts'

/** Serialises the objects of rows. */
export interface ObjectWriter {
  /** The object; `own` is the result of `own(row)`, if it was already computed. */
  write(row: LoadedRow, own?: string): string
  /** The object up to its first relation: `{"id":1,"title":"Emma"`; undefined if the members are in another order. */
  own(row: LoadedRow): string | undefined
}

/** `[{…},{…}]` */
export function writeList(rows: readonly LoadedRow[], writer: ObjectWriter): string {
  let text = '['
  for (let i = 0; i < rows.length; i++) {
    const object = writer.write(rows[i] as LoadedRow)
    text += i === 0 ? object : `,${object}`
  }
  return `${text}]`
}

/**
 * Creates the writer of a level and everything below it; it is set up by the layout of the first row.
 *
 * ```ts
 * writeList(rows, objectWriter({ resource, output, embeds, links }, '/api'))
 * ```
 */
export function objectWriter(shape: Shape, base: string): ObjectWriter {
  let layout: Layout | undefined
  let writer: ObjectWriter
  const writerOf = (row: LoadedRow): ObjectWriter => {
    if (row.layout !== layout) {
      layout = row.layout
      writer = cachedWriter(shape, layout, base)
    }
    return writer
  }
  return {
    write: (row, own) => writerOf(row).write(row, own),
    own: (row) => writerOf(row).own(row),
  }
}

/** `writerFor`, cached by the layout: the rows of a cached statement have the same layout every time. */
function cachedWriter(shape: Shape, layout: Layout, base: string): ObjectWriter {
  const known = kept.get(layout)
  const same =
    known?.base === base &&
    known.shape.resource === shape.resource &&
    known.shape.output === shape.output &&
    known.shape.embeds === shape.embeds &&
    known.shape.links === shape.links
  if (known !== undefined && same) return known.writer
  const writer = writerFor(shape, layout, base)
  kept.set(layout, { shape, base, writer })
  return writer
}

const kept = new WeakMap<
  Layout,
  { readonly shape: Shape; readonly base: string; readonly writer: ObjectWriter }
>()

/** Writes one relation of an object. */
type RelationWriter = (row: LoadedRow) => string

/** One relation of an object. */
interface Member {
  readonly name: string
  readonly write: RelationWriter
}

function writerFor(shape: Shape, layout: Layout, base: string): ObjectWriter {
  const { object } = layout
  if (object?.complete === true) {
    return { write: ({ raw }) => cellOf(raw, object) as string, own: () => undefined }
  }
  const members = membersOf(shape, layout, base)
  if (object !== undefined)
    return writerAfter(({ raw }) => cellOf(raw, object) as string, 1, members)
  const shown = layout.readers.filter(({ visible }) => visible)
  const names = [...shown.map(({ key }) => key), ...members.map(({ name }) => name)]
  if (names.length === 0) return { write: () => '{}', own: () => undefined }
  if (!keepsOrder(names)) {
    const objectOf = serializer(shape, base)
    return { write: (row) => stringify(objectOf(row)), own: () => undefined }
  }
  const ownOf = cellsWriter(
    shown.map((reader) => ({ name: reader.key, reader })),
    layout.arrays,
  )
  return writerAfter(({ raw }) => ownOf(raw), shown.length, members)
}

/** Writes objects that begin with the `count` members of `ownOf`, followed by `members`. */
function writerAfter(
  ownOf: (row: LoadedRow) => string,
  count: number,
  members: readonly Member[],
): ObjectWriter {
  const openings = members.map(({ name }, i) => memberOpening(name, count + i))
  return {
    own: ownOf,
    write(row, own = ownOf(row)) {
      let text = own
      for (let i = 0; i < members.length; i++) {
        text += (openings[i] as string) + (members[i] as Member).write(row)
      }
      return `${text}}`
    },
  }
}

/** Whether a JavaScript object would keep these keys in order: no integer keys, no duplicates, no `__proto__`. */
const keepsOrder = (names: readonly string[]): boolean =>
  new Set(names).size === names.length &&
  names.every((name) => !/^[0-9]+$/.test(name) && name !== '__proto__')

function membersOf(shape: Shape, layout: Layout, base: string): readonly Member[] {
  if (shape.embeds.length === 0 && shape.links.length === 0) return []
  const recordOf = recordWriter(layout, base)
  return [...shape.resource.relations.values()].flatMap((relation): readonly Member[] => {
    const { name } = relation
    const embed = shape.embeds.find((candidate) => candidate.relation === relation)
    const text = layout.embeddedJson.get(name)
    if (text !== undefined) return [{ name, write: textWriter(text) }]
    if (embed !== undefined) return [{ name, write: embedWriter(embed, base) }]
    return shape.links.includes(relation)
      ? [{ name, write: linkWriter(relation, layout, recordOf) }]
      : []
  })
}

/** Writes JSON that the database built; null for a missing object. */
const textWriter =
  (place: CellLocation): RelationWriter =>
  ({ raw }) =>
    (cellOf(raw, place) as string | null | undefined) ?? 'null'

function embedWriter({ relation, rows, embeds, links }: EmbedPlan, base: string): RelationWriter {
  const { name, target } = relation
  const writer = objectWriter({ resource: target, output: rows.output, embeds, links }, base)
  return ({ related }) => {
    const inside = related[name] ?? null
    if (inside === null) return 'null'
    return Array.isArray(inside) ? writeList(inside, writer) : writer.write(inside as LoadedRow)
  }
}

/** Cells by index or alias. */
type Cells = Readonly<Record<string | number, unknown>>

/** Writes the URL of a relation, `"/api/books/1/author"`, like `relationUrl`. */
function linkWriter(
  relation: ResolvedRelation,
  layout: Layout,
  recordOf: (address: RelationAddress) => (cells: Cells) => string,
): RelationWriter {
  const reading = cellReader(layout)
  const { address } = relation
  if (address === null) throw new Error(`${relation.name} has no URL`)
  const needed = relation.kind === 'belongsTo' ? relation.from.map(({ name }) => reading(name)) : []
  const record = recordOf(address)
  const after = quoted(address.rest).slice(1)
  return ({ raw }) => {
    const cells = raw as Cells
    for (const read of needed) if (read(cells) === null) return 'null'
    return record(cells) + after
  }
}

/** Returns the writer of `"/api/books/1`; all links that begin with the same record share one, which remembers its last row. */
function recordWriter(
  layout: Layout,
  base: string,
): (address: RelationAddress) => (cells: Cells) => string {
  const writers = new Map<RelationAddress['key'], (cells: Cells) => string>()
  return ({ resource, key }) => {
    const known = writers.get(key)
    if (known !== undefined) return known
    const writer = keyWriter(resource, key, layout, base)
    writers.set(key, writer)
    return writer
  }
}

/** `"/api/books/1` */
function keyWriter(
  resource: Resource,
  columns: RelationAddress['key'],
  layout: Layout,
  base: string,
): (cells: Cells) => string {
  const key = columns.map((column) => ({ column, read: cellReader(layout)(column.name) }))
  const before = quoted(`${collectionUrl(resource, base)}/`).slice(0, -1)
  let last: Cells | undefined
  let text = ''
  return (cells) => {
    if (cells === last) return text
    last = cells
    text = before
    for (const { column, read } of key) {
      text += `${column === key[0]?.column ? '' : ','}${keyPart(column, read(cells))}`
    }
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
