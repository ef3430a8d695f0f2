// filterLike: the filters that an unknown parameter such as `?nmae=x` probably means, for the 400 that refuses it.

import { excerpt } from '../../../lib/error-size.ts'
import { nearest } from '../../../lib/naming/suggest.ts'
import { type FilterOperator, filterOperators } from '../../../model/query-words/operators.ts'
import { queryColumns } from '../../../model/registry/json-paths.ts'
import { relationsMatching } from '../../../model/registry/relations/relation-token.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import { operatorFits } from '../../../model/type-rules.ts'
import type { UnknownParameter } from '../../parse/parameter.ts'
import { isValueOf } from './value.ts'

/**
 * Returns the filters on the columns nearest to the name of the parameter; an empty list if none is near, undefined if filters are not
 * allowed.
 *
 * ```ts
 * filterLike(books, { name: 'titel', value: 'x' })         // ['title__eq=x']
 * filterLike(books, { name: 'deleted_at', value: 'null' }) // ['deleted_at__isnull=true']
 * ```
 */
export function filterLike(
  resource: Resource,
  { name, value, parts }: UnknownParameter,
): readonly string[] | undefined {
  if (!resource.settings.allowFilters) return undefined
  const columns = new Map(queryColumns(resource).map((column) => [column.name, column]))
  const exact = columns.get(name)
  if (exact !== undefined) return testsOf(exact, value)
  const [first = '', ...rest] = name.slice(0, longest).split('.')
  if (rest.length > 0 && relationsMatching(resource, first).length > 0) {
    return [`${excerpt(first)}.<column>__eq=${value}`]
  }
  if (parts !== undefined) {
    const compared = columns.get(near(parts.field, columns))
    if (compared !== undefined && operatorFits(parts.operator, compared)) {
      return [`${compared.name}__${parts.operator}=${value}`]
    }
  }
  const found = columns.get(near(name, columns))
  return found === undefined ? [] : testsOf(found, value)
}

/** In characters. Longer names resemble none of a model. */
const longest = 100

/** The name of the most similar column; empty if none is similar. */
const near = (name: string, columns: ReadonlyMap<string, NamedColumn>): string =>
  nearest(name.slice(0, longest), columns.keys()) ?? ''

/** Returns how to find the rows with the value; `null` is a value of texts only, and otherwise stands for no value. */
function testsOf(column: NamedColumn, value: string): readonly string[] {
  const { name } = column
  const isNull = /^null$/i.test(value) ? [`${name}__isnull=true`] : []
  const isComparable = operatorFits('eq', column)
  if (isComparable && (isNull.length === 0 || isValueOf(column, value))) {
    return [...isNull, `${name}__eq=${value}`]
  }
  const [fitting = 'isnull'] = (Object.keys(filterOperators) as FilterOperator[]).filter(
    (operator) => operatorFits(operator, column),
  )
  return isNull.length > 0 ? isNull : [`${name}__${fitting}=…`]
}
