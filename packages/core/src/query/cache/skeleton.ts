// The skeleton of a query: the raw query string without the values of its filters, its page and its cursor. Queries with the
// same skeleton share a cached plan: `planText` looks it up by `key`, before anything is parsed, and puts `values` into it.

import { paddedLength } from '../../dialect/shared/sql/sql-parts.ts'
import type { FilterOperator } from '../../model/query-words/operators.ts'

/** The result of `skeletonOf`. */
export interface Skeleton {
  /** The query string with each removed value replaced by a newline. */
  readonly key: string
  readonly values: readonly SkeletonValue[]
  /** The value of `page`, `after` or `before`. */
  readonly pageOrCursor: string | undefined
}

/** A value that was taken out of a query. */
export type SkeletonValue = {
  /** The offset of the value in the raw query. */
  readonly start: number
} & (
  | { readonly text: string }
  /** The items of a list. */
  | { readonly items: readonly string[] }
)

/** Operators for which only the column's type decides how a value or list item is converted, so that a cached plan can replace it. */
const isReplaceable: Readonly<Record<FilterOperator, boolean>> = {
  eq: true,
  ne: true,
  lt: true,
  le: true,
  gt: true,
  ge: true,
  in: true,
  nin: true,
  like: true,
  ilike: true,
  nlike: true,
  nilike: true,
  startswith: true,
  istartswith: true,
  endswith: true,
  iendswith: true,
  between: false,
  isnull: false,
  contains: false,
  overlaps: false,
}

/** The end of a filter's name: `__ge` in `price__ge`. */
const replaceable = new RegExp(
  `__(?:${Object.entries(isReplaceable)
    .flatMap(([name, is]) => (is ? name : []))
    .join('|')})$`,
)

/** A name that needs no decoding: `author.name__eq`. */
const name = /^[A-Za-z_][\w.]*$/

/** Values that need no decoding: not percent-encoded, quoted or bracketed. */
const plain = /^[\w.:@~/-]{1,500}$/

/** Values for which `decoded` is enough: they may be percent-encoded or quoted, but have no raw brackets and commas. */
const decodable = /^(?:[\w.:@~/"+-]|%[0-9A-Fa-f]{2}){1,500}$/

/** A decoded value in quotes, without escapes. */
const quoted = /^"([^"\\]*)"$/

/** An item of a list whose text needs no parsing: no surrounding blanks, which the parser removes, and no brackets, which it pairs. */
const bareItem = /^[^\s"()[\]](?:[^()[\]]*[^\s()[\]])?$/

/** Returns the text of a value as the parser would read it; undefined if only the parser can read it. */
function textOf(written: string): string | undefined {
  if (plain.test(written)) return written
  const text = decodable.test(written) ? decoded(written) : undefined
  return text?.startsWith('"') ? quoted.exec(text)?.[1] : text
}

/** Returns the texts in a list such as `(1,2)`; undefined if only the parser can read it. */
function itemsOf(written: string): readonly string[] | undefined {
  if (!written.startsWith('(') || !written.endsWith(')')) return undefined
  const items: string[] = []
  for (const item of written.slice(1, -1).split(',')) {
    const text = textOf(item)
    if (text === undefined) return undefined
    const isQuoted = text.length < item.length && decoded(item)?.startsWith('"') === true
    if (!isQuoted && !bareItem.test(text)) return undefined
    items.push(text)
  }
  return items
}

/** Decodes a value; undefined if the encoding is malformed, or the parser would refuse the text. */
function decoded(written: string): string | undefined {
  try {
    const text = decodeURIComponent(written.replaceAll('+', ' '))
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Names a list's length in the key: `(1,2,3)` is padded to `(1,2,3,3)` in SQL, so lists of three and four items share a statement. */
const sizeOf = (items: readonly unknown[]): string => `(${paddedLength(items.length)})`

/** Whether the name of a parameter, from `start` to its `=` at `opening`, is `page`, `after` or `before`. */
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

/** Whether the parameter, whose name is from `start` to `opening`, is a filter with a replaceable value. */
function isFilter(query: string, start: number, opening: number): boolean {
  // Searching `query` itself would scan to its end for each parameter, which takes quadratic time.
  const parameter = query.slice(start, opening)
  return replaceable.test(parameter) && name.test(parameter)
}

/** In characters. Longer keys are rare and would take too much memory in the cache. */
const maxLength = 1000

/**
 * Finds the skeleton without parsing the query; undefined for queries that are not cached.
 *
 * ```ts
 * skeletonOf('price__ge=30&order_by=-price&page=2')
 * // { key: 'price__ge=\n&order_by=-price&page=\n', values: [{ text: '30', start: 10 }], pageOrCursor: '2' }
 * skeletonOf('id__in=(7,9,12)&author.name__eq=Jane%20Austen')
 * // { key: 'id__in=\n(4)&author.name__eq=\n', values: [{ items: ['7', '9', '12'], start: 7 }, { text: 'Jane Austen', start: 32 }], … }
 * ```
 */
export function skeletonOf(query: string): Skeleton | undefined {
  if (query.includes('\n')) return undefined
  let key = ''
  /** The key already contains the part of the query before this offset. */
  let copied = 0
  let pageOrCursor: string | undefined
  const values: SkeletonValue[] = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    if (key.length + start - copied > maxLength) return undefined
    const equals = query.slice(start, end).indexOf('=')
    const opening = equals === -1 ? end : start + equals
    if (isPageOrCursor(query, start, opening)) {
      const text = query.slice(opening + 1, end)
      if (plain.test(text)) {
        if (pageOrCursor !== undefined) return undefined
        pageOrCursor = text
        key += `${query.slice(copied, opening)}=\n`
        copied = end
      }
    } else if (isFilter(query, start, opening)) {
      const value = filterValueAt(query, opening, end)
      if (value !== undefined) {
        values.push(value)
        key += `${query.slice(copied, opening)}=\n${'items' in value ? sizeOf(value.items) : ''}`
        copied = end
      }
    }
    start = end + 1
  }
  const whole = copied === 0 ? query : key + query.slice(copied)
  return whole.length > maxLength ? undefined : { key: whole, values, pageOrCursor }
}

/** Returns the value of the filter whose `=` is at `opening`; undefined if only the parser can read it. */
function filterValueAt(query: string, opening: number, end: number): SkeletonValue | undefined {
  const start = opening + 1
  const written = query.slice(start, end)
  if (query.startsWith('in', opening - 2)) {
    const items = itemsOf(written)
    return items && { items, start }
  }
  const text = textOf(written)
  return text === undefined ? undefined : { text, start }
}
