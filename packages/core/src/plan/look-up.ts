// How the rows at the end of a relation are looked up by a condition: for each row, or once for all rows, so that none is read again and again.

import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'

/** What a step of a path of relations starts from. */
export interface Start {
  /** Whether the same row may come up many times. */
  readonly repeated: boolean
  /** Whether the rows are being looked up themselves. */
  readonly nested: boolean
}

/** How a step is looked up, and what the next one starts from. */
export interface Step {
  readonly lookUp: 'each' | 'nested' | 'once'
  readonly next: Start
}

/**
 * A step that leads from repeated rows to many others is looked up once: `exists(tags.books.title__eq=Emma)` would
 * otherwise read all books of a tag for each book that has the tag.
 */
export function stepBy(relation: ResolvedRelation, { repeated, nested }: Start): Step {
  if (repeated && leadsToMany(relation)) {
    // Read for itself, a table gives each row once, and a junction each row as often as it is linked.
    return { lookUp: 'once', next: { repeated: relation.through !== undefined, nested: true } }
  }
  const next = { repeated: repeated || isShared(relation), nested: true }
  return { lookUp: nested ? 'nested' : 'each', next }
}

/** Whether several rows of the source may lead to the same row. */
export const isShared = ({ through, source, from }: ResolvedRelation): boolean =>
  through !== undefined || !isUnique(source, from)

/** Whether one row of the source may lead to several rows, whatever the relation was declared as. */
const leadsToMany = ({ through, target, to }: ResolvedRelation): boolean =>
  through !== undefined || !isUnique(target, to)

const isUnique = ({ uniqueKeys }: Resource, columns: readonly NamedColumn[]): boolean =>
  uniqueKeys.some((key) => key.every((column) => columns.includes(column)))
