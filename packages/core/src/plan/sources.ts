// Lists the sources of a plan with their roles: access policies must narrow each of them before the plan is compiled.

import type { Condition, ReadPlan, RowPlan, Source } from './plan.ts'

/** A source whose junction rows are not added yet. */
type SourceWithoutLinks = Omit<Source, 'links'>

/** Adds a source for the junction rows if the junction table has a published model, whose rules then apply to them. */
export function withJunction(source: SourceWithoutLinks): Source {
  const junction = source.relation?.through?.resource
  if (junction === undefined) return source
  const links = { ...source, resource: junction, alias: `${source.alias} links`, many: true }
  return { ...source, links }
}

/** A source and its role, which decides what happens if the caller may see none of its rows. */
export interface SourceUse {
  readonly source: Source
  /** For `base` and `join` the request is refused; a `filter` (exists, missing) and junction `links` find no rows. */
  readonly part: 'base' | 'join' | 'filter' | 'links'
}

/** The sources of one statement; embeds have their own statements. */
export function* sourcesOf(rows: RowPlan): Generator<SourceUse> {
  yield* withLinks(rows.from, 'base')
  for (const { source } of rows.joins) yield* withLinks(source, 'join')
  for (const condition of [...rows.where, ...rows.having]) yield* inCondition(condition)
}

/** The sources of a read and of its embedded relations. */
export function* allSourcesOf({
  rows,
  embeds,
}: Pick<ReadPlan, 'rows' | 'embeds'>): Generator<Source> {
  for (const { source } of sourcesOf(rows)) yield source
  for (const embed of embeds) yield* allSourcesOf(embed)
}

function* withLinks(source: Source, part: SourceUse['part']): Generator<SourceUse> {
  yield { source, part }
  if (source.links !== undefined) yield { source: source.links, part: 'links' }
}

function* inCondition(condition: Condition): Generator<SourceUse> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const one of condition.all) yield* inCondition(one)
      return
    case 'not':
      yield* inCondition(condition.one)
      return
    case 'exists':
      yield* withLinks(condition.source, 'filter')
      for (const one of condition.where) yield* inCondition(one)
      return
    default:
      // The other conditions read the base or a joined source, which are listed already.
      return
  }
}
