// Serialises loaded rows to objects: visible fields in model order, then relations as objects, lists or URLs.

import { cellOf } from '../compile/cell.ts'
import { type MemberReader, readMember } from '../compile/selection.ts'
import type { Layout, LoadedRow } from '../execute/loaded-row.ts'
import { relationUrl } from '../http/links.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { EmbedPlan, Output } from '../plan/plan.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'

/** The shape of the objects of one level: fields, embeds and links. */
export interface Shape {
  readonly resource: Resource
  readonly output: readonly Output[]
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

type JsonObject = { readonly [key: string]: JsonValue }

/** Creates the object of a row. */
type Serializer = (row: LoadedRow) => JsonObject

/** A relation member of an object. */
interface Member {
  readonly name: string
  readonly write: (row: LoadedRow) => JsonValue
}

/**
 * Creates the serializer of a level and everything below it, once for all rows; URLs start with `base`. Relations that the
 * database has built as JSON are parsed.
 *
 * ```ts
 * rows.map(serializer({ resource, output, embeds, links }, '/api'))
 * ```
 */
export function serializer(shape: Shape, base: string): Serializer {
  const keys = shape.output.filter(({ visible }) => visible).map(({ key }) => key)
  const members = membersOf(shape, base)
  let layout: Layout | undefined
  let readers: readonly (MemberReader | undefined)[] = []
  return (row) => {
    if (row.layout !== layout) {
      layout = row.layout
      readers = keys.map((key) => row.layout.readers.findLast((reader) => reader.key === key))
    }
    const object: Record<string, JsonValue> = {}
    for (let i = 0; i < keys.length; i++) {
      const reader = readers[i]
      object[keys[i] as string] = reader === undefined ? null : readMember(row.raw, reader)
    }
    for (const { name, write } of members) object[name] = write(row)
    return object
  }
}

function membersOf(shape: Shape, base: string): readonly Member[] {
  if (shape.embeds.length === 0 && shape.links.length === 0) return []
  return [...shape.resource.relations.values()].flatMap((relation): readonly Member[] => {
    const { name } = relation
    const embed = shape.embeds.find((candidate) => candidate.relation === relation)
    if (embed !== undefined) return [{ name, write: embedded(embed, base) }]
    if (!shape.links.includes(relation)) return []
    return [{ name, write: ({ values }) => relationUrl(relation, values, base) }]
  })
}

function embedded({ relation, rows, embeds, links }: EmbedPlan, base: string): Member['write'] {
  const serialize = serializer(
    { resource: relation.target, output: rows.output, embeds, links },
    base,
  )
  return (row) => {
    const text = row.layout.embeddedJson.get(relation.name)
    if (text !== undefined) return JSON.parse((cellOf(row.raw, text) as string | null) ?? 'null')
    const related = row.related[relation.name] ?? null
    if (related === null) return null
    return Array.isArray(related) ? related.map(serialize) : serialize(related as LoadedRow)
  }
}
