// Example requests of the index: up to five lists, each of which shows a different part of the query language; pure.

import { toCase } from '../../../lib/naming/case.ts'
import { pluralIn } from '../../../lib/naming/plural.ts'
import { columnTypes } from '../../../model/column-types.ts'
import { needsRight } from '../../../model/registry/caller-registry.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import { isGroupable, isSortable, operatorFits } from '../../../model/type-rules.ts'
import { collectionUrl } from '../../../query/serialize/links.ts'
import type { ExampleRequest } from '../../pages/index-page.ts'

const most = 5

/**
 * Returns all example requests of the resource that has the most of them, then one of each other resource, up to five. They name
 * only columns that every caller may read, and relations to resources that this caller may list.
 *
 * ```ts
 * exampleRequests([book, author], '/api')[1]
 * // { description: 'Books by price, the highest first', url: '/api/books?order_by=-price&limit=5' }
 * ```
 */
export function exampleRequests(
  listable: readonly Resource[],
  base: string,
): readonly ExampleRequest[] {
  const subjects = listable
    .map((resource) => subjectOf(resource, listable, base))
    .sort((a, b) => b.requests.length - a.requests.length || b.relations - a.relations)
  const [first, ...others] = subjects
  if (first === undefined) return []
  return [...first.requests, ...others.flatMap(({ requests }) => requests.slice(0, 1))].slice(
    0,
    most,
  )
}

interface Subject {
  readonly requests: readonly ExampleRequest[]
  /** Number of relations that the caller may follow. */
  readonly relations: number
}

/** Makes the examples of a resource, with relations to `listable` resources only. */
function subjectOf(resource: Resource, listable: readonly Resource[], base: string): Subject {
  const models = new Set(listable.map(({ model }) => model))
  const relations = [...resource.relations.values()].filter(
    (relation) =>
      models.has(relation.target.model) &&
      !needsRight(relation) &&
      (relation.through?.resource === undefined || models.has(relation.through.resource.model)),
  )
  const url = collectionUrl(resource, base)
  const words = pluralIn(resource.name, 'snake').replaceAll('_', ' ')
  const queries = [
    filterExample(resource),
    orderExample(resource),
    joinExample(resource, relations),
    groupExample(resource),
  ].filter((query) => query !== undefined)
  const requests = [{ about: '', query: 'limit=5' }, ...queries].map(({ about, query }) => ({
    description: `${words[0]?.toUpperCase()}${words.slice(1)}${about}`,
    url: `${url}?${query}`,
  }))
  return { requests, relations: relations.length }
}

interface ExampleQuery {
  readonly about: string
  readonly query: string
}

/** Returns the columns without a `read` rule that are not part of a primary or foreign key. */
function plainColumns(resource: Resource): readonly NamedColumn[] {
  const keys = new Set(resource.primaryKey.map(({ name }) => name))
  for (const { kind, from } of resource.relations.values()) {
    if (kind === 'belongsTo') for (const { name } of from) keys.add(name)
  }
  return [...resource.columns.values()].filter(
    ({ name, definition }) => !keys.has(name) && definition.read === undefined,
  )
}

/** `title__ilike=an` */
function filterExample(resource: Resource): ExampleQuery | undefined {
  if (!resource.settings.allowFilters) return undefined
  const column = plainColumns(resource).find(
    (column) => column.enum === undefined && operatorFits('ilike', column),
  )
  return (
    column && { about: ` with “an” in ${column.name}`, query: `${column.name}__ilike=an&limit=5` }
  )
}

/** Whether readers understand the order of the values: numbers and dates, but no large numbers, which often are keys. */
function isMeasure({ type }: NamedColumn): boolean {
  const { number, json, fromClock } = columnTypes[type]
  return fromClock !== false || (number === 'whole' ? json === 'number' : number !== false)
}

/** `order_by=-price` */
function orderExample(resource: Resource): ExampleQuery | undefined {
  if (!resource.settings.allowOrderBy) return undefined
  const sortable = plainColumns(resource).filter(isSortable)
  const column = sortable.find(isMeasure) ?? sortable[0]
  return (
    column && {
      about: ` by ${column.name}, the highest first`,
      query: `order_by=-${column.name}${column.nullable ? '.nullslast' : ''}&limit=5`,
    }
  )
}

/** `dump=hybrid`, which embeds a to-one relation, or `exists(books)` */
function joinExample(
  { settings }: Resource,
  relations: readonly ResolvedRelation[],
): ExampleQuery | undefined {
  const one = relations.find(({ cardinality }) => cardinality === 'one')
  if (one !== undefined && settings.addRelations) {
    return { about: `, each with its ${inWords(one)}`, query: 'dump=hybrid&limit=5' }
  }
  const [any] = relations
  return any !== undefined && settings.allowFilters
    ? { about: ` with ${inWords(any)}`, query: `exists(${any.name})&limit=5` }
    : undefined
}

const inWords = ({ name }: ResolvedRelation): string => toCase(name, 'snake').replaceAll('_', ' ')

/** `groupby=status&id__count=1&order_by=-id_count` */
function groupExample(resource: Resource): ExampleQuery | undefined {
  const { allowGroupby, allowAggregation, allowOrderBy } = resource.settings
  const [key] = resource.primaryKey
  if (!allowGroupby || !allowAggregation || !allowOrderBy || key === undefined) return undefined
  if (key.definition.read !== undefined) return undefined
  const foreign = [...resource.relations.values()].flatMap(({ kind, from }) =>
    kind === 'belongsTo' && from.length === 1 ? from : [],
  )
  const readable = (column: NamedColumn): boolean =>
    column.definition.read === undefined && resource.columns.has(column.name) && isGroupable(column)
  const column =
    plainColumns(resource).find((column) => column.enum !== undefined && readable(column)) ??
    foreign.find(readable)
  return (
    column && {
      about: ` counted by ${column.name}`,
      query: `groupby=${column.name}&${key.name}__count=1&order_by=-${key.name}_count`,
    }
  )
}
