// Writes query objects of the typed client in the query language (`queryText`), and reads the requested part from responses (`picked`). It knows
// no models. Names and values may come from outside of the program, so values are encoded, and a text that is not a name is refused.

import {
  aggregateText,
  conditionTexts,
  isObject,
  nameText,
} from '../../model/query-words/condition-text.ts'
import { ClientError } from '../client-error.ts'

/** A query object of any model; its members are those of `list`, `get` and the writes. */
export interface LooseQuery {
  readonly where?: LooseObject | undefined
  readonly search?: string | undefined
  readonly orderBy?: readonly string[] | undefined
  readonly distinctOn?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
  readonly include?: LooseInclude | undefined
  readonly dump?: string | undefined
  readonly groupBy?: readonly string[] | undefined
  /** Aggregates of related records. */
  readonly aggregate?: Readonly<Record<string, LooseAggregate>> | undefined
  /** Aggregates of groups. */
  readonly grouped?: LooseObject | undefined
  readonly having?: LooseObject | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly count?: string | undefined
  readonly paging?: string | undefined
  /** Null, like undefined, for the first page. */
  readonly after?: string | null | undefined
  readonly before?: string | undefined
  readonly includeDeleted?: boolean | undefined
  readonly cascade?: boolean | undefined
  readonly maxAffected?: number | undefined
  readonly onConflict?: string | readonly string[] | undefined
  readonly linkBy?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
  readonly onMissing?: Readonly<Record<string, string | undefined>> | undefined
  readonly params?: Readonly<Record<string, string>> | undefined
}

/** A function with its path, and conditions. */
type LooseAggregate = Readonly<Record<string, unknown>> & { readonly where?: LooseObject }

export type LooseInclude = Readonly<Record<string, true | LooseQuery>>
type LooseObject = Readonly<Record<string, unknown>>

/** Returns the path of relations before a column: `author` for `-author.name.nullslast` and for `author.profile->address.city`. */
const relationOf = (text: string): string =>
  text.replace(/^-|(->.*|\.nulls(first|last))$/g, '').replace(/\.?[^.]*$/, '')

/** Returns the items of `fields`: of a query, or of an embedded relation; `at` is the name of the parameter. */
function fieldTexts({ fields = [], include, aggregate = {} }: LooseQuery, at: string): string[] {
  const related = Object.entries(aggregate).map(([label, { where, ...functions }]) => {
    const [[name, path] = []] = Object.entries(functions)
    return `${aggregateText(`${name}`, `${path}`, where)}|${nameText(label, 'aggregate')}`
  })
  const columns = fields.map((path) => nameText(path, at))
  // Chosen columns come without relations, so with `include` whole records are read, and `picked` selects the columns.
  if (include) columns.length = 0
  if (related[0] && !columns[0]) columns.push('*')
  return [...columns, ...related]
}

/**
 * Writes a query as a query string, without `?`.
 *
 * ```ts
 * queryText({ where: { price: { gt: '20' } }, orderBy: ['-price'], limit: 3 })
 * // 'price__gt=20&order_by=-price&limit=3&dump_relationships=false'
 * ```
 *
 * @param removes Whether it is the query of a DELETE, whose response has no record.
 * @throws `TypeError` if a text is not a name where one is expected; it says where.
 */
export function queryText(query: LooseQuery, removes = false): string {
  const {
    fields = [],
    groupBy = [],
    grouped,
    include,
    orderBy = [],
    dump = 'none',
    params,
    linkBy,
    onMissing,
  } = query
  if (include && fields.some((path) => path.includes('->'))) {
    throw new TypeError('Either json paths or include.')
  }
  const parts = [...conditionTexts(query.where ?? {}), ...conditionTexts(query.having ?? {})]
  const joins = new Set([...fields, ...groupBy, ...orderBy].map(relationOf))
  /** Adds a parameter unless its value is absent or empty; the items of a list are joined by commas. */
  const add = (
    name: string,
    value: unknown,
    encode: (value: never, name: string) => string = encodeURIComponent,
  ): void => {
    if (value === undefined || value === null) return
    const text = Array.isArray(value)
      ? value.map((item) => encode(item as never, name)).join()
      : encode(value as never, name)
    if (text) parts.push(`${name}=${text}`)
  }
  /** Adds the parameters of embedded relations: `author[name__ilike=a]`, `author.books.limit=3`. `before` is the path to them, `author.`. */
  const embed = (tree: LooseInclude, before: string): void => {
    for (const [name, options] of Object.entries(tree)) {
      const path = before + name
      const at = nameText(path, 'include')
      joins.add(at)
      if (options === true) continue
      if (options.where) parts.push(`${at}[${conditionTexts(options.where)}]`)
      add(`${at}.limit`, options.limit)
      add(`${at}.order_by`, options.orderBy, nameText)
      add(`${at}.fields`, fieldTexts(options, `${at}.fields`), String)
      if (options.include) embed(options.include, `${path}.`)
    }
  }
  add('search', query.search)
  if (include) embed(include, '')
  add('fields', fieldTexts(query, 'fields'), String)
  add('groupby', groupBy, nameText)
  // `{ n: { count: 'id' } }` → `id|n__count=1`
  for (const [label, aggregate] of Object.entries(grouped ?? {})) {
    for (const [fn, column] of Object.entries(aggregate as LooseObject)) {
      parts.push(
        `${nameText(column, 'aggregate')}|${nameText(label, 'aggregate')}__${nameText(fn, 'aggregate')}=1`,
      )
    }
  }
  joins.delete('')
  if (joins.size) {
    add('join', [...joins])
    add('join_type', 'left')
  }
  add('order_by', orderBy, nameText)
  add('distinct_on', query.distinctOn, nameText)
  for (const name of ['limit', 'page', 'count', 'paging', 'after', 'before'] as const) {
    add(name, query[name])
  }
  add('max_affected', query.maxAffected)
  add('on_conflict', query.onConflict, nameText)
  for (const name in linkBy) add(`${nameText(name, 'linkBy')}.on_conflict`, linkBy[name], nameText)
  for (const name in onMissing) add(`${nameText(name, 'onMissing')}.on_missing`, onMissing[name])
  if (query.cascade) add('cascade_delete', 1)
  if (query.includeDeleted) add('include_deleted', true)
  if (include) add('dump', 'dynamic')
  else if (!fields.length && !grouped && !removes) {
    if (dump === 'none') add('dump_relationships', false)
    else add('dump', dump)
  }
  for (const name in params) add(encodeURIComponent(name), params[name])
  return parts.join('&')
}

/** A record of any model. */
export type LooseRow = Record<string, unknown>

/** The error of a response in which a relation is not embedded, although the query needs it. */
const notEmbedded = (message: string): ClientError =>
  new ClientError(message, { status: 200, code: 'not_embedded' })

/** Returns the value of a path such as `author.name` in a record with embedded relations. */
const valueAt = (row: LooseRow, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value) || typeof value === 'string') {
      throw notEmbedded(`"${path}" is not a column of one record.`)
    }
    return (value as LooseRow | null)?.[name] ?? null
  }, row)

/**
 * Selects `fields` from a record with embedded relations: with `fields: ['title', 'author.name']`, `{ title, author: { id, name } }` →
 * `{ title, name }`. Throws a `ClientError` if a relation is only a URL.
 */
export function picked(row: LooseRow, { fields, include = {}, aggregate }: LooseQuery): LooseRow {
  const last = (path: string): string => path.replace(/.*\./, '')
  const result: LooseRow = fields?.length
    ? Object.fromEntries(
        fields.map((path) => {
          const alone = fields.every((other) => other === path || last(other) !== last(path))
          return [alone ? last(path) : path, valueAt(row, path)]
        }),
      )
    : { ...row }
  for (const label in aggregate) result[label] = row[label]
  for (const [name, options] of Object.entries(include)) {
    const value = row[name]
    if (typeof value === 'string') {
      throw notEmbedded(`"${name}" is not embedded: the API allows no joins.`)
    }
    const pick = (record: unknown): unknown =>
      isObject(record) && options !== true ? picked(record, options) : record
    result[name] = Array.isArray(value) ? value.map(pick) : pick(value)
  }
  return result
}
