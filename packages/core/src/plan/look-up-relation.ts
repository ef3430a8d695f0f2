// Relations that lead to one row or none because they name its whole primary key: a left join by one changes no row count.

import type { ResolvedRelation } from '../registry/resource.ts'

export const isLookUpRelation = ({ kind, to, target }: ResolvedRelation): boolean =>
  kind === 'belongsTo' &&
  to.length === target.primaryKey.length &&
  target.primaryKey.every((column) => to.includes(column))
