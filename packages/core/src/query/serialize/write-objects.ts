// Serialises loaded rows directly to JSON text, without making objects; the bytes equal `stringify(serializer(…)(row))`. Used for responses
// that no hook sees, which are most.

import { type CellLocation, cellOf } from '../../database/cell.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Layout, LoadedRow } from '../run/loaded-row.ts'
import { cachedByLayout, type LevelShape } from './by-layout.ts'
import { urlReaders, urlText } from './relation-urls.ts'
import { serializer } from './serialize.ts'
import { cellsWriter, memberOpening } from './write-cells.ts'

/** Serialises the objects of rows. */
export interface ObjectWriter {
  /** The object; `own` is the result of `own(row)`, if it was already computed. */
  write(row: LoadedRow, own?: string): string
  /**
   * The JSON of the object's columns, without the closing brace: `{"id":1,"title":"Emma"`. Undefined if the database has built the
   * whole object, or if JavaScript would order its members differently.
   */
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
 * Creates a writer for rows and the rows embedded in them. It prepares itself when it receives the first row.
 *
 * ```ts
 * writeList(rows, objectWriter({ resource, output, embeds, links }, '/api'))
 * ```
 */
export function objectWriter(shape: LevelShape, base: string): ObjectWriter {
  const writerOf = writers(shape, base)
  return {
    write: (row, own) => writerOf(row).write(row, own),
    own: (row) => writerOf(row).own(row),
  }
}

/** Writes one relation of an object. */
type RelationWriter = (row: LoadedRow) => string

/** One relation of an object. */
interface Member {
  readonly name: string
  readonly write: RelationWriter
}

const writers = cachedByLayout(writerFor)

/** Makes the writer for rows of one layout. */
function writerFor(shape: LevelShape, layout: Layout, base: string): ObjectWriter {
  const { object } = layout
  // Complete: the database has built the whole object, with its relations; otherwise only its columns, to which the relations are added.
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

/** The relation members of the objects, in the order of the model. */
function membersOf(shape: LevelShape, layout: Layout, base: string): readonly Member[] {
  if (shape.embeds.length === 0 && shape.links.length === 0) return []
  const urlOf = urlReaders(layout, base, urlText)
  return [...shape.resource.relations.values()].flatMap((relation): readonly Member[] => {
    const { name } = relation
    const embed = shape.embeds.find((candidate) => candidate.relation === relation)
    const text = layout.embeddedJson.get(name)
    if (text !== undefined) return [{ name, write: textWriter(text) }]
    if (embed !== undefined) return [{ name, write: embedWriter(embed, base) }]
    if (!shape.links.includes(relation)) return []
    const read = urlOf(relation)
    return [{ name, write: ({ raw }) => read(raw) }]
  })
}

/** Writes JSON that the database built; null for a missing object. */
const textWriter =
  (place: CellLocation): RelationWriter =>
  ({ raw }) =>
    (cellOf(raw, place) as string | null | undefined) ?? 'null'

/** Writes the rows of an embedded relation. */
function embedWriter({ relation, rows, embeds, links }: EmbedPlan, base: string): RelationWriter {
  const { name, target } = relation
  const writer = objectWriter({ resource: target, output: rows.output, embeds, links }, base)
  return ({ related }) => {
    const inside = related[name] ?? null
    if (inside === null) return 'null'
    return Array.isArray(inside) ? writeList(inside, writer) : writer.write(inside as LoadedRow)
  }
}
