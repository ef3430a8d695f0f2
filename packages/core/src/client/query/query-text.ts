// Writes query objects in the query language, without knowledge of models. Names and values may come from outside of the program, so all of them are encoded.

import { ClientError } from '../client-error.ts'

/** A query before its types are known. */
export interface LooseQuery {
  readonly where?: LooseObject | undefined
  readonly search?: string | undefined
  readonly orderBy?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
  readonly include?: LooseInclude | undefined
  readonly dump?: string | undefined
  readonly groupBy?: readonly string[] | undefined
  readonly aggregate?: LooseObject | undefined
  readonly having?: LooseObject | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly count?: string | undefined
  readonly paging?: string | undefined
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

export type LooseInclude = Readonly<Record<string, true | LooseQuery>>
type LooseObject = Readonly<Record<string, unknown>>

/** The names of all operators, to distinguish `{ gt: 20 }` from conditions on a relation. */
const operators =
  /^([ilg][te]|eq|ne|n?in|n?i?like|i?(start|end)swith|between|isnull|contains|overlaps)$/

const isObject = (value: unknown): value is LooseObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isColumn = (given: unknown): boolean =>
  !isObject(given) ||
  (Object.keys(given).length > 0 &&
    Object.entries(given).every(([name, value]) => operators.test(name) && !isObject(value)))

/** Encodes a value; in quotes if it may contain characters that the query language interprets. */
const valueText = (value: unknown): string => {
  const text = String(value)
  if (typeof value === 'function') return text
  return encodeURIComponent(/^[\w.:-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`)
}

/** Encodes a name or path: a `&` in it would begin another parameter. The query language uses dots for paths into json columns, too. */
const nameText = (name: unknown): string => encodeURIComponent(`${name}`.replaceAll('->', '.'))

/** Returns the filters on a column, one for each operator: `price__gt=20`. */
function filters(column: string, given: unknown): string[] {
  if (given === null) return [`${nameText(column)}__isnull=true`]
  return Object.entries(isObject(given) ? given : { eq: given }).map(([operator, value]) => {
    // Throws instead of omitting the condition, because the response would then contain records that the caller did not ask for.
    if (value === undefined) throw new TypeError(`The condition on "${column}" is undefined.`)
    const text = Array.isArray(value) ? `(${value.map(valueText)})` : valueText(value)
    return `${nameText(column)}__${operator}=${text}`
  })
}

/** Returns the conditions on one related record: `exists(author.name__ilike=austen)`. */
function related(path: string, where: LooseObject): string[] {
  const own: string[] = []
  const further: string[] = []
  for (const [name, given] of Object.entries(where)) {
    if (isColumn(given)) own.push(...filters(name, given))
    else further.push(...related(`${path}.${name}`, given as LooseObject))
  }
  if (!own[0] && further[0]) return further
  return [`exists(${nameText(path)}${own[0] ? `.${own}` : ''})`, ...further]
}

const group = (where: LooseObject): string => {
  const items = conditions(where)
  return items.length === 1 ? `${items}` : `and[${items}]`
}

/** Returns the conditions of an object; each is a parameter of a query or an item of a group. */
function conditions(where: LooseObject): string[] {
  return Object.entries(where).flatMap(([name, given]) => {
    if (name === 'not') return `not[${conditions(given as LooseObject)}]`
    if (/^(or|and)$/.test(name)) {
      return `${name}[${(given as LooseObject[]).map(group)}]`
    }
    return isColumn(given) ? filters(name, given) : related(name, given as LooseObject)
  })
}

/** Returns the path of relations before a column: `author` for `-author.name.nullslast` and for `author.profile->address.city`. */
const relationOf = (text: string): string =>
  text.replace(/^-|(->.*|\.nulls(first|last))$|^\w+\(|\)$/g, '').replace(/\.?[^.]*$/, '')

/**
 * Writes a query as a query string, without `?`.
 *
 * ```ts
 * queryText({ where: { price: { gt: '20' } }, orderBy: ['-price'], limit: 3 })
 * // 'price__gt=20&order_by=-price&limit=3&dump_relationships=false'
 * ```
 *
 * @param removes Whether it is the query of a DELETE, whose response has no record.
 */
export function queryText(query: LooseQuery, removes = false): string {
  const {
    fields = [],
    groupBy = [],
    aggregate,
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
  const parts = [...conditions(query.where ?? {}), ...conditions(query.having ?? {})]
  const joins = new Set([...fields, ...groupBy, ...orderBy].map(relationOf))
  const add = (name: string, value: unknown, encode = encodeURIComponent): void => {
    const text = `${[value ?? []].flat().map(encode as typeof nameText)}`
    if (text) parts.push(`${name}=${text}`)
  }
  const embed = (tree: LooseInclude, before: string): void => {
    for (const [name, options] of Object.entries(tree)) {
      const path = before + name
      const at = nameText(path)
      joins.add(path)
      if (options === true) continue
      if (options.where) parts.push(`${at}[${conditions(options.where)}]`)
      add(`${at}.limit`, options.limit)
      add(`${at}.order_by`, options.orderBy, nameText)
      // A record with `fields` cannot have relations, so with `include` whole records are read, and `picked` selects the fields.
      if (options.include) embed(options.include, `${path}.`)
      else add(`${at}.fields`, options.fields, nameText)
    }
  }
  add('search', query.search)
  if (include) embed(include, '')
  else add('fields', fields, nameText)
  add('groupby', groupBy, nameText)
  for (const [label, given] of Object.entries(aggregate ?? {})) {
    for (const [fn, column] of Object.entries(given as LooseObject)) {
      joins.add(relationOf(String(column)))
      parts.push(`${nameText(column)}|${nameText(label)}__${nameText(fn)}=1`)
    }
  }
  joins.delete('')
  if (joins.size) {
    add('join', [...joins], nameText)
    add('join_type', 'left')
  }
  add('order_by', orderBy, nameText)
  for (const name of ['limit', 'page', 'count', 'paging', 'after', 'before'] as const) {
    add(name, query[name])
  }
  add('max_affected', query.maxAffected)
  add('on_conflict', query.onConflict, nameText)
  for (const name in linkBy) add(`${nameText(name)}.on_conflict`, linkBy[name], nameText)
  for (const name in onMissing) add(`${nameText(name)}.on_missing`, onMissing[name])
  if (query.cascade) add('cascade_delete', 1)
  if (query.includeDeleted) add('include_deleted', true)
  if (include) add('dump', 'dynamic')
  else if (!fields.length && !aggregate && !removes) {
    if (dump === 'none') add('dump_relationships', false)
    else add('dump', dump)
  }
  for (const name in params) add(nameText(name), params[name])
  return parts.join('&')
}

export type LooseRow = Record<string, unknown>

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

/** Selects `fields` from a record with embedded relations; throws if a relation is only a URL. */
export function picked(row: LooseRow, { fields, include = {} }: LooseQuery): LooseRow {
  const last = (path: string): string => path.replace(/.*\./, '')
  const result: LooseRow = fields?.length
    ? Object.fromEntries(
        fields.map((path) => {
          const alone = fields.every((other) => other === path || last(other) !== last(path))
          return [alone ? last(path) : path, valueAt(row, path)]
        }),
      )
    : { ...row }
  for (const [name, options] of Object.entries(include)) {
    const value = row[name]
    if (typeof value === 'string') {
      throw notEmbedded(`"${name}" is not embedded: the API allows no joins.`)
    }
    const pick = (one: unknown): unknown =>
      isObject(one) && options !== true ? picked(one, options) : one
    result[name] = Array.isArray(value) ? value.map(pick) : pick(value)
  }
  return result
}
