// Tells relations whose foreign key refers to the whole primary key of the target. They lead to at most one row, so a left join
// to the target never changes the number of rows.

import type { ResolvedRelation } from '../../../model/registry/resource.ts'

/** Whether the relation's foreign key refers to the whole primary key of its target. */
export const refersToPrimaryKey = ({ kind, to, target }: ResolvedRelation): boolean =>
  kind === 'belongsTo' &&
  to.length === target.primaryKey.length &&
  target.primaryKey.every((column) => to.includes(column))
