// The filter operators (`price__gt=20`) and aggregate functions (`count(books)`) of the query language.

/** Whether a filter operator takes one value or a list, `id__in=(1,2)`; aliases (`neq`, `lte`, `gte`) are replaced by the parser. */
export const filterOperators = {
  eq: { takes: 'scalar' },
  ne: { takes: 'scalar' },
  lt: { takes: 'scalar' },
  le: { takes: 'scalar' },
  gt: { takes: 'scalar' },
  ge: { takes: 'scalar' },
  in: { takes: 'list' },
  nin: { takes: 'list' },
  like: { takes: 'scalar' },
  ilike: { takes: 'scalar' },
  nlike: { takes: 'scalar' },
  nilike: { takes: 'scalar' },
  startswith: { takes: 'scalar' },
  istartswith: { takes: 'scalar' },
  endswith: { takes: 'scalar' },
  iendswith: { takes: 'scalar' },
  between: { takes: 'list' },
  isnull: { takes: 'scalar' },
  contains: { takes: 'list' },
  overlaps: { takes: 'list' },
} as const

/** A comparison of two values. */
export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

export type FilterOperator = keyof typeof filterOperators

/** Other spellings of operators. */
export const operatorAliases: Readonly<Record<string, FilterOperator>> = {
  neq: 'ne',
  lte: 'le',
  gte: 'ge',
}

export const aggregateFunctions = ['sum', 'count', 'avg', 'min', 'max'] as const

export type AggregateFunction = (typeof aggregateFunctions)[number]
