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

const places = new Set(['page', 'after', 'before'])

/** Queries beyond this are rare, and their skeletons are not worth their room. */
const longest = 1000

/**
 * Takes a query apart without reading it; undefined for those that are planned each time.
 *
 * ```ts
 * skeletonOf('price__ge=30&order_by=-price&page=2')
 * // { key: 'price__ge=\n&order_by=-price&page=\n&', values: [{ text: '30', start: 10 }], place: '2' }
 * ```
 */
export function skeletonOf(query: string): Skeleton | undefined {
  if (query.length > longest || query.includes('\n')) return undefined
  let key = ''
  let place: string | undefined
  const values: SkeletonValue[] = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const opening = equals === -1 || equals > end ? end : equals
    const parameter = query.slice(start, opening)
    const text = query.slice(opening + 1, end)
    if (places.has(parameter) && plain.test(text)) {
      if (place !== undefined) return undefined
      place = text
      key += `${parameter}=\n&`
    } else if (refillable.test(parameter) && name.test(parameter) && plain.test(text)) {
      values.push({ text, start: opening + 1 })
      key += `${parameter}=\n&`
    } else {
      key += `${query.slice(start, end)}&`
    }
    start = end + 1
  }
  return { key, values, place }
}
