// The skeleton of a query: the raw text with the plain values of its filters, its page and its cursor taken out.

export interface Skeleton {
  /** Equal for queries that differ in what was taken out only. */
  readonly key: string
  readonly values: readonly SkeletonValue[]
  /** The text of `page`, `after` or `before`. */
  readonly place: string | undefined
}

export interface SkeletonValue {
  readonly text: string
  /** Its offset in the raw query. */
  readonly start: number
}

/** Operators whose one value is converted by the column's type alone. */
const refillable =
  /__(?:eq|ne|lt|le|gt|ge|like|ilike|nlike|nilike|startswith|istartswith|endswith|iendswith)$/

const name = /^[A-Za-z_][\w.]*$/

/** Values that mean themselves: nothing encoded, quoted or bracketed. */
const plain = /^[\w.:@~/-]{1,500}$/

/** Where a page or a cursor stands. */
const isPlace = (query: string, start: number, opening: number): boolean => {
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

/** Most parameters are no filters, which shows before anything is cut out of the query. */
function isFilter(query: string, start: number, opening: number): boolean {
  const suffix = query.indexOf('__', start)
  if (suffix === -1 || suffix >= opening) return false
  const parameter = query.slice(start, opening)
  return refillable.test(parameter) && name.test(parameter)
}

/** Queries beyond this are rare, and their skeletons are not worth their room. */
const longest = 1000

/**
 * Takes a query apart without reading it; undefined for those that are planned each time.
 *
 * ```ts
 * skeletonOf('price__ge=30&order_by=-price&page=2')
 * // { key: 'price__ge=\n&order_by=-price&page=\n', values: [{ text: '30', start: 10 }], place: '2' }
 * ```
 */
export function skeletonOf(query: string): Skeleton | undefined {
  if (query.length > longest || query.includes('\n')) return undefined
  let key = ''
  /** What stands before it is in the key. */
  let taken = 0
  let place: string | undefined
  const values: SkeletonValue[] = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const opening = equals === -1 || equals > end ? end : equals
    const standsForPlace = isPlace(query, start, opening)
    if (standsForPlace || isFilter(query, start, opening)) {
      const text = query.slice(opening + 1, end)
      if (plain.test(text)) {
        if (standsForPlace && place !== undefined) return undefined
        if (standsForPlace) place = text
        else values.push({ text, start: opening + 1 })
        key += `${query.slice(taken, opening)}=\n`
        taken = end
      }
    }
    start = end + 1
  }
  return { key: taken === 0 ? query : key + query.slice(taken), values, place }
}
