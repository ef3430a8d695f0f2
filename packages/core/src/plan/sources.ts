// Every source of a plan, with the part it plays: what access has to narrow before anything is compiled.

import type { Condition, ReadPlan, RowPlan, Source } from './plan.ts'

/** A source without the links of its junction. */
type Bare = Omit<Source, 'links'>

/** The source with its junction, where that is a published model whose own rules narrow the links. */
export function withJunction(source: Bare): Source {
  const junction = source.relation?.through?.resource
  if (junction === undefined) return source
  const links = { ...source, resource: junction, alias: `${source.alias} links`, many: true }
  return { ...source, links }
}

/** A source, and what becomes of the request when nobody may see its rows: refused, or answered as if there were none. */
export interface SourceUse {
  readonly source: Source
  /** `base` and `join` are refused; a `filter` (exists, missing) and the links of a junction see no rows. */
  readonly part: 'base' | 'join' | 'filter' | 'links'
}

/** The sources of one statement; embeds are statements of their own. */
export function* sourcesOf(rows: RowPlan): Generator<SourceUse> {
  yield* withLinks(rows.from, 'base')
  for (const { source } of rows.joins) yield* withLinks(source, 'join')
  for (const condition of [...rows.where, ...rows.having]) yield* inCondition(condition)
}

/** The sources of a whole read, embedded relations included. */
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
      // A `linked` condition speaks of the base itself; all others of sources that are joined.
      return
  }
}
