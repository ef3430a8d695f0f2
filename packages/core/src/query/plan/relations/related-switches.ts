// Switches of a related model: filters, order_by and fields that it disables are refused for its columns in requests to other
// models, too.

import { featureDisabled } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { PlanContext } from '../context.ts'
import type { Operand } from '../plan.ts'

/** What a client does with a column, by the setting that allows it. */
const uses = {
  allowFilters: 'Filtering by columns',
  allowOrderBy: 'Ordering by columns',
  allowSelectFields: 'Choosing fields',
} as const

/** The resource whose values the operand shows; undefined for a number of rows. A declared aggregate is a column of its own model. */
function resourceOf(operand: Operand): Resource | undefined {
  if (operand.kind === 'column') return operand.source.resource
  if (operand.kind === 'related' && operand.declared !== undefined) return operand.from.resource
  return 'function' in operand && operand.function === 'count'
    ? undefined
    : operand.of?.source.resource
}

/**
 * Throws if the column belongs to a related model that disables this use of its columns. The model of the request is checked
 * elsewhere. An aggregate is a use of its column, because the largest value of a group of one record is the record's own; a count
 * is not, because it reads no value.
 */
export function allowOnRelated(
  { resource, fromModel }: PlanContext,
  operand: Operand,
  use: keyof typeof uses,
  at: string,
): void {
  const used = fromModel === true ? undefined : resourceOf(operand)
  if (used === undefined || used === resource) return
  const { settings, endpoint } = used
  if (settings[use]) return
  throw featureDisabled(`${uses[use]} of "${endpoint}"`, settingNames[use], at)
}
