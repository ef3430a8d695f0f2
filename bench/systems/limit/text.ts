/** Builds JSON text from rows of plain values by hand, which is the cheapest way to serialise them. */

/** A row of the driver: text, or numbers if the protocol has them. */
export type Row = readonly (string | number | null)[]

/** The result of a handler: the value as JSON, and the total number of rows. */
export interface Found {
  readonly value: string
  readonly total?: number | undefined
  readonly status?: number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what JSON must escape
const special = /["\\\u0000-\u001f\ud800-\udfff]/

export const quoted = (text: string | number | null | undefined): string => {
  const given = String(text)
  return special.test(given) ? JSON.stringify(given) : `"${given}"`
}

const moment = (text: unknown): string => {
  const given = String(text)
  return `"${given.slice(0, 10)}T${given.slice(11, 19)}.${(given.slice(20) || '000').padEnd(3, '0')}Z"`
}

const yes = (flag: unknown): boolean => flag === 't' || flag === 1

/**
 * Writes the members of a book. The columns are in this order: id, title, isbn, price, pages, in_print, published_on, created_at,
 * author_id, publisher_id.
 */
export const bookMembers = (row: Row, at = 0): string =>
  `"id":${row[at]},"title":${quoted(row[at + 1])},"isbn":${quoted(row[at + 2])},"price":"${row[at + 3]}","pages":${row[at + 4]},"in_print":${yes(row[at + 5])},"published_on":"${row[at + 6]}","created_at":${moment(row[at + 7])},"author_id":${row[at + 8]},"publisher_id":${row[at + 9]}`

/** Writes the members of an author. The columns are in this order: id, name, email, country, born_on. */
export const authorMembers = (row: Row, at = 0): string =>
  `"id":${row[at]},"name":${quoted(row[at + 1])},"email":${quoted(row[at + 2])},"country":${quoted(row[at + 3])},"born_on":"${row[at + 4]}"`

/** Writes the members of a review. The columns are in this order: id, book_id, rating, reviewer, body, created_at. */
export const reviewMembers = (row: Row): string =>
  `"id":${row[0]},"book_id":${row[1]},"rating":${row[2]},"reviewer":${quoted(row[3])},"body":${quoted(row[4])},"created_at":${moment(row[5])}`

/** Writes the members of a counted row. The columns are in this order: id, name, n. */
export const numbered = (row: Row): string =>
  `"id":${row[0]},"name":${quoted(row[1])},"n":${row[2]}`

export const link = (resource: string, id: unknown, relation: string): string =>
  `"${relation}":"/api/${resource}/${id}/${relation}"`

export const bookLinks = (id: unknown): string =>
  `${link('books', id, 'author')},${link('books', id, 'publisher')},${link('books', id, 'reviews')}`

/** Writes a list of objects, one for each row. */
export function list(rows: readonly Row[], members: (row: Row) => string): string {
  let text = '['
  for (let i = 0; i < rows.length; i++) text += `${i === 0 ? '{' : ',{'}${members(rows[i] as Row)}}`
  return `${text}]`
}
