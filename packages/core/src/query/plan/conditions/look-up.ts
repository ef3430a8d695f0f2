// Chooses how an `exists` condition looks up related rows: for each row, or once for all rows if the same related rows would be read
// repeatedly. The dialect compiles the choice (`RelatedLookUp`) as EXISTS or IN.

import type { NamedColumn, ResolvedRelation, Resource } from '../../../model/registry/resource.ts'

/** The rows that a step along a path of relations starts from. */
export interface LookUpStart {
  /** Whether the same row may occur several times. */
  readonly repeated: boolean
  /** Whether the rows are themselves the result of a look-up. */
  readonly nested: boolean
}

/** How one step of the path looks up its rows (`dialect/related-look-up.ts`), and what the next step starts from. */
export interface LookUpStep {
  readonly lookUp: 'each' | 'nested' | 'once'
  readonly next: LookUpStart
}

/**
 * Plans one step along a path of relations.
 *
 * A to-many step from repeated rows looks up its rows once: otherwise `exists(tags.books.title__eq=Emma)` would read all
 * books of a tag for each book that has the tag.
 */
export function lookUpStep(
  relation: ResolvedRelation,
  { repeated, nested }: LookUpStart,
): LookUpStep {
  if (repeated && leadsToMany(relation)) {
    // An uncorrelated subquery returns each row of a table once, but with a junction, each related row once per junction row.
    return { lookUp: 'once', next: { repeated: relation.through !== undefined, nested: true } }
  }
  const next = { repeated: repeated || isShared(relation), nested: true }
  return { lookUp: nested ? 'nested' : 'each', next }
}

/** Whether several source rows may be related to the same row. */
export const isShared = ({ through, source, from }: ResolvedRelation): boolean =>
  through !== undefined || !isUnique(source, from)

/** Whether one source row may be related to several rows, judged by unique keys rather than by the declared relation kind. */
export const leadsToMany = ({ through, target, to }: ResolvedRelation): boolean =>
  through !== undefined || !isUnique(target, to)

/** Whether no two rows have the same values in the columns. */
const isUnique = ({ uniqueKeys }: Resource, columns: readonly NamedColumn[]): boolean =>
  uniqueKeys.some((key) => key.every((column) => columns.includes(column)))
