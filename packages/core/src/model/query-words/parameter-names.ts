// The query parameters with fixed names. Filters, groups and options of relations are recognised in `query/parse`.

const single = [
  'page',
  'limit',
  'join_type',
  'dump',
  'dump_relationships',
  'include_deleted',
  'count',
  'after',
  'before',
  'paging',
  'cascade_delete',
  'max_affected',
  'on_conflict',
  'search',
] as const

/** The parameters that take one value and may be given once. */
export type SingleParameter = (typeof single)[number]

const lists = [
  'fields',
  'order_by',
  // Another spelling of `order_by`.
  'orderby',
  'groupby',
  'aggregate',
  'join',
  'distinct_on',
] as const

/** The parameters that take a list, separated by commas; if given again, they add to it. */
export type ListParameter = (typeof lists)[number]

export const singleParameters: readonly SingleParameter[] = single
export const listParameters: readonly ListParameter[] = lists

export function isSingleParameter(name: string): name is SingleParameter {
  return (single as readonly string[]).includes(name)
}

export function isListParameter(name: string): name is ListParameter {
  return (lists as readonly string[]).includes(name)
}
