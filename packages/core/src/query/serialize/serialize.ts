// Serialises loaded rows to objects: visible fields in model order, then relations as objects, lists or URLs. Used where a hook or the
// caller of the API needs objects; other responses are written directly as text by `write-objects.ts`, with the same result.

import { type CellLocation, cellOf, type RawRow } from '../../database/cell.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Layout, LoadedRow } from '../run/loaded-row.ts'
import { cachedByLayout, type LevelShape } from './by-layout.ts'
import { urlReaders, urlValue } from './relation-urls.ts'

type JsonObject = { readonly [key: string]: JsonValue }
type MutableObject = { [key: string]: JsonValue }

/** Returns the object of a row. */
type Serializer = (row: LoadedRow) => JsonObject

/**
 * Creates a serializer for rows and the rows embedded in them. It prepares itself when it receives the first row. URLs start with
 * `base`.
 *
 * ```ts
 * rows.map(serializer({ resource, output, embeds, links }, '/api'))
 * ```
 */
export function serializer(shape: LevelShape, base: string): Serializer {
  const serializerOf = serializers(shape, base)
  return (row) => serializerOf(row)(row)
}

const serializers = cachedByLayout(
  (shape: LevelShape, layout: Layout, base: string): Serializer => {
    const fieldsOf = fieldsReader(shape, layout)
    const members = membersOf(shape, layout, base)
    return (row) => {
      const object = fieldsOf(row.raw)
      for (const { name, read } of members) object[name] = read(row)
      return object
    }
  },
)

/** Reads the visible fields of a row. */
function fieldsReader(
  { output }: LevelShape,
  { readers, arrays }: Layout,
): (raw: RawRow) => MutableObject {
  const fields = output
    .filter(({ visible }) => visible)
    .map(({ key }) => {
      // If keys are equal, the last one wins. A field without a reader is null: no cell has the index -1 or the alias ''.
      const {
        index = -1,
        alias = '',
        decode = asNull,
      } = readers.findLast((reader) => reader.visible && reader.key === key) ?? {}
      return { key, place: arrays ? index : alias, decode }
    })
  return (raw) => {
    const cells = raw as Readonly<Record<string | number, unknown>>
    const object: MutableObject = {}
    for (const { key, place, decode } of fields) {
      const value = cells[place]
      object[key] = value === null || value === undefined ? null : decode(value)
    }
    return object
  }
}

const asNull = (): null => null

/** A relation member of an object. */
interface Member {
  readonly name: string
  readonly read: (row: LoadedRow) => JsonValue
}

/** The relation members of the objects, in the order of the model. */
function membersOf(shape: LevelShape, layout: Layout, base: string): readonly Member[] {
  if (shape.embeds.length === 0 && shape.links.length === 0) return []
  const urlOf = urlReaders(layout, base, urlValue)
  return [...shape.resource.relations.values()].flatMap((relation): readonly Member[] => {
    const { name } = relation
    const embed = shape.embeds.find((candidate) => candidate.relation === relation)
    const text = layout.embeddedJson.get(name)
    if (text !== undefined) return [{ name, read: jsonReader(text) }]
    if (embed !== undefined) return [{ name, read: embedReader(embed, base) }]
    if (!shape.links.includes(relation)) return []
    const read = urlOf(relation)
    return [{ name, read: ({ raw }) => read(raw) }]
  })
}

/** Parses JSON that the database built; null for a missing object. */
const jsonReader =
  (place: CellLocation): Member['read'] =>
  ({ raw }) =>
    JSON.parse((cellOf(raw, place) as string | null) ?? 'null')

/** Serialises the rows of an embedded relation. */
function embedReader({ relation, rows, embeds, links }: EmbedPlan, base: string): Member['read'] {
  const { name, target } = relation
  const serialize = serializer({ resource: target, output: rows.output, embeds, links }, base)
  return ({ related }) => {
    const inside = related[name] ?? null
    if (inside === null) return null
    return Array.isArray(inside) ? inside.map(serialize) : serialize(inside as LoadedRow)
  }
}
