// Loaded rows → resource objects: visible members in model order, then relations as objects, lists or URLs, as planned.

import type { LoadedRow } from '../execute/loaded-row.ts'
import { relationUrl } from '../http/links.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { EmbedPlan, Output } from '../plan/plan.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'

/** What one level of objects is made of. */
export interface Shape {
  readonly resource: Resource
  readonly output: readonly Output[]
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

/** One resource object; `base` is what emitted URLs start with. */
export function serialize(
  shape: Shape,
  row: LoadedRow,
  base: string,
): { readonly [key: string]: JsonValue } {
  const object: Record<string, JsonValue> = {}
  for (const { key, visible } of shape.output) {
    if (visible) object[key] = row.values[key] ?? null
  }
  if (shape.embeds.length === 0 && shape.links.length === 0) return object
  for (const relation of shape.resource.relations.values()) {
    const embed = shape.embeds.find((candidate) => candidate.relation === relation)
    if (embed !== undefined) object[relation.name] = embedded(embed, row, base)
    else if (shape.links.includes(relation))
      object[relation.name] = relationUrl(relation, row.values, base)
  }
  return object
}

function embedded(embed: EmbedPlan, row: LoadedRow, base: string): JsonValue {
  const related = row.related[embed.relation.name] ?? null
  const shape: Shape = {
    resource: embed.relation.target,
    output: embed.rows.output,
    embeds: embed.embeds,
    links: embed.links,
  }
  if (related === null) return null
  return Array.isArray(related)
    ? related.map((child) => serialize(shape, child, base))
    : serialize(shape, related as LoadedRow, base)
}
