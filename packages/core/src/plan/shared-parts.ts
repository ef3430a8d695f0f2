// The parts of plans that depend on the resource alone. All plans of a resource share these objects, so that a select list can be cached by the object it was compiled from.

import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import { createAliases } from './aliases.ts'
import { entityOutput } from './output.ts'
import type { EmbedPlan, Output, Source } from './plan.ts'

/** The relations of a level: those that it embeds, and those that become URLs. */
export interface PlannedRelations {
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

export const noRelations: PlannedRelations = { embeds: [], links: [] }

/** A base source and its outputs: `bare` without relations, `linked` with the foreign keys from which URLs of relations are made. */
interface SharedBase {
  readonly source: Source
  readonly bare: readonly Output[]
  readonly linked: readonly Output[]
}

interface SharedParts {
  readonly linksOnly: PlannedRelations
  /** By `indexOf`. */
  readonly bases: (SharedBase | undefined)[]
}

/** The key needs no caller: a caller who may not read some columns has other `Resource` objects (`registry/caller-registry.ts`). */
const shared = new WeakMap<Resource, SharedParts>()

function partsOf(resource: Resource): SharedParts {
  const known = shared.get(resource)
  if (known !== undefined) return known
  const links = [...resource.relations.values()].filter(({ address }) => address !== null)
  const parts: SharedParts = {
    linksOnly: links.length === 0 ? noRelations : { embeds: [], links },
    bases: [undefined, undefined, undefined, undefined],
  }
  shared.set(resource, parts)
  return parts
}

type SourceOptions = Pick<Source, 'many' | 'includeDeleted'>

const indexOf = ({ many, includeDeleted }: SourceOptions): number =>
  (many ? 1 : 0) + (includeDeleted ? 2 : 0)

/** The source of a resource that is not read through a relation. Its alias is the one that the first source of a plan gets. */
export function sharedSource(resource: Resource, options: SourceOptions): Source {
  const parts = partsOf(resource)
  const at = indexOf(options)
  const base = parts.bases[at] ?? createBase(resource, options, parts.linksOnly)
  parts.bases[at] = base
  return base.source
}

function createBase(
  resource: Resource,
  { many, includeDeleted }: SourceOptions,
  { links }: PlannedRelations,
): SharedBase {
  const alias = createAliases()(resource.table)
  const source: Source = { resource, alias, relation: null, many, includeDeleted }
  const keys = links.flatMap(({ from }) => from)
  return { source, bare: entityOutput(source, []), linked: entityOutput(source, keys) }
}

/** The relations of a resource as URLs; without those that have no URL. */
export const linksOnly = (resource: Resource): PlannedRelations => partsOf(resource).linksOnly

/** The output for `noRelations` or `linksOnly` of a shared source; undefined for other relations and sources. */
export function sharedOutput(
  source: Source,
  relations: PlannedRelations,
): readonly Output[] | undefined {
  const parts = partsOf(source.resource)
  const base = parts.bases[indexOf(source)]
  if (base?.source !== source) return undefined
  if (relations === noRelations) return base.bare
  return relations === parts.linksOnly ? base.linked : undefined
}
