// The parts of plans that depend on the resource alone. All plans of a resource share these objects, so that a select list can
// be cached by the object it was compiled from.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { createAliases } from './aliases.ts'
import { recordOutput } from './output.ts'
import type { EmbedPlan, Output, Source } from './plan.ts'

/** The relations of a level: the embedded ones, and the ones that become URLs. */
export interface PlannedRelations {
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

export const noRelations: PlannedRelations = { embeds: [], links: [] }

/** A base source and its outputs: `bare` without relations, `linked` with the foreign keys that the URLs of relations contain. */
interface SharedBase {
  readonly source: Source
  readonly bare: readonly Output[]
  readonly linked: readonly Output[]
}

/** What the plans of one resource share. */
interface SharedParts {
  readonly linksOnly: PlannedRelations
  /** The bases for each combination of `SourceOptions`, at the index that `indexOf` computes. */
  readonly bases: (SharedBase | undefined)[]
}

/**
 * The caller is not part of the key: a caller who may not read some columns has other `Resource` objects
 * (`model/registry/caller-registry.ts`).
 */
const shared = new WeakMap<Resource, SharedParts>()

/** The shared parts of a resource, created at their first use. */
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

/** The index in `bases`. */
const indexOf = ({ many, includeDeleted }: SourceOptions): number =>
  (many ? 1 : 0) + (includeDeleted ? 2 : 0)

/** Returns the source of a resource that is not read through a relation. It has the alias that the first source of a plan gets. */
export function sharedSource(resource: Resource, options: SourceOptions): Source {
  const parts = partsOf(resource)
  const at = indexOf(options)
  const base = parts.bases[at] ?? createBase(resource, options, parts.linksOnly)
  parts.bases[at] = base
  return base.source
}

/** Creates the source and the outputs that all plans of these options share. */
function createBase(
  resource: Resource,
  { many, includeDeleted }: SourceOptions,
  { links }: PlannedRelations,
): SharedBase {
  const alias = createAliases()(resource.table)
  const source: Source = { resource, alias, relation: null, many, includeDeleted }
  const keys = links.flatMap(({ from }) => from)
  return { source, bare: recordOutput(source, []), linked: recordOutput(source, keys) }
}

/** Returns the relations of a resource that have a URL, all as URLs. */
export const linksOnly = (resource: Resource): PlannedRelations => partsOf(resource).linksOnly

/** Returns the output of a shared source if `relations` is `noRelations` or `linksOnly`; undefined for other relations and sources. */
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
