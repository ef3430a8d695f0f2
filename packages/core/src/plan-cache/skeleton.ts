// The skeleton of a query: the raw query string without the values of its filters, its page and its cursor. Queries with the same skeleton share a cached plan.

export interface Skeleton {
  /** The query string with each removed value replaced by a newline. */
  readonly key: string
  readonly values: readonly SkeletonValue[]
  /** The value of `page`, `after` or `before`. */
  readonly pageOrCursor: string | undefined
}

export interface SkeletonValue {
  readonly text: string
  /** Its offset in the raw query. */
  readonly start: number
}

/** Operators whose single value is converted by the column's type alone, so that it can be replaced in a cached plan. */
const replaceable =
  /__(?:eq|ne|lt|le|gt|ge|like|ilike|nlike|nilike|startswith|istartswith|endswith|iendswith)$/

const name = /^[A-Za-z_][\w.]*$/

/** Values that need no decoding: not percent-encoded, quoted or bracketed. */
const plain = /^[\w.:@~/-]{1,500}$/

/** Whether the parameter's name is `page`, `after` or `before`. */
const isPageOrCursor = (query: string, start: number, opening: number): boolean => {
  switch (opening - start) {
    case 4:
      return query.startsWith('page', start)
    case 5:
      return query.startsWith('after', start)
    case 6:
      return query.startsWith('before', start)
    default:
      return false
  }
}

/** Whether the parameter is a filter with a replaceable value. Looks for `__` first, because slicing every parameter is slower. */
function isFilter(query: string, start: number, opening: number): boolean {
  const suffix = query.indexOf('__', start)
  if (suffix === -1 || suffix >= opening) return false
  const parameter = query.slice(start, opening)
  return replaceable.test(parameter) && name.test(parameter)
}

/** In characters. Longer queries are rare and would take too much memory in the cache. */
const maxLength = 1000

/**
 * Finds the skeleton without parsing the query; undefined for queries that are not cached.
 *
 * ```ts
 * skeletonOf('price__ge=30&order_by=-price&page=2')
 * // { key: 'price__ge=\n&order_by=-price&page=\n', values: [{ text: '30', start: 10 }], pageOrCursor: '2' }
 * ```
 */
export function skeletonOf(query: string): Skeleton | undefined {
  if (query.length > maxLength || query.includes('\n')) return undefined
  let key = ''
  /** The part of the query before this offset is in the key already. */
  let copied = 0
  let pageOrCursor: string | undefined
  const values: SkeletonValue[] = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const opening = equals === -1 || equals > end ? end : equals
    const setsPage = isPageOrCursor(query, start, opening)
    if (setsPage || isFilter(query, start, opening)) {
      const text = query.slice(opening + 1, end)
      if (plain.test(text)) {
        if (setsPage && pageOrCursor !== undefined) return undefined
        if (setsPage) pageOrCursor = text
        else values.push({ text, start: opening + 1 })
        key += `${query.slice(copied, opening)}=\n`
        copied = end
      }
    }
    start = end + 1
  }
  return { key: copied === 0 ? query : key + query.slice(copied), values, pageOrCursor }
}
