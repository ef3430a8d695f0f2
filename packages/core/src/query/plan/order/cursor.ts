// Cursors: the opaque strings of `after=` and `before=`, in the URLs of the next and previous page. Each is base64 of JSON that holds an
// order and the values of one row in it: `["Book books.price-f books.id+l","30","7"]` (docs/reference/query-language.md).

import { invalidParameter } from '../../../errors.ts'

/** A row's value for each term of the order, as a string; null for NULL. */
export type CursorValues = readonly (string | null)[]

/** Stands in a cursor for a long value, which `cursor-row.ts` reads from the row that the other values of the cursor identify. */
export const longValueMark = 0

/** The parts of a cursor, one for each term of the order. */
export type CursorParts = readonly (string | null | typeof longValueMark)[]

/** A longer value is not part of a cursor, because the URL of the next page could be too long, in characters. */
const longestValue = 200

/**
 * Encodes the cursor of a row. `signature` names the order, so that the cursor is refused with any other order. `key` has the terms
 * that identify the row: without them, every value is part of the cursor.
 */
export function writeCursor(
  signature: string,
  values: CursorValues,
  key: ReadonlySet<number> | undefined,
): string {
  const parts = key === undefined ? values : values.map((value, i) => partOf(value, key.has(i)))
  const text = btoa(bytesOf(JSON.stringify([signature, ...parts])))
  const end = text.indexOf('=')
  const bare = end === -1 ? text : text.slice(0, end)
  return /[+/]/.test(bare) ? bare.replaceAll('+', '-').replaceAll('/', '_') : bare
}

/** The value, or the mark of a long one that is not part of the key. */
const partOf = (value: string | null, isKey: boolean): CursorParts[number] =>
  isKey || value === null || value.length <= longestValue ? value : longValueMark

/** Encodes a string as UTF-8, one character per byte, for `btoa`. ASCII, the usual case, needs no conversion. */
function bytesOf(text: string): string {
  if (isAscii(text)) return text
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** Decodes UTF-8 bytes, one per character; throws if they are not valid UTF-8. */
function textOf(binary: string): string {
  if (isAscii(binary)) return binary
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/**
 * Decodes a cursor; throws a 400 if it is malformed or belongs to another order. `name` is the parameter, `after` or `before`; `terms` the
 * number of values that the order has; `key` as in `writeCursor`.
 */
export function readCursor(
  name: string,
  cursor: string,
  signature: string,
  terms: number,
  key: ReadonlySet<number> | undefined,
): CursorParts {
  const parts = decode(cursor)
  const [order, ...values] = Array.isArray(parts) ? (parts as unknown[]) : []
  const areParts = values.every(
    (part, i) =>
      part === null ||
      typeof part === 'string' ||
      (part === longValueMark && key !== undefined && !key.has(i)),
  )
  if (order === undefined || !areParts) {
    throw invalidParameter(name, shortened(cursor), 'a cursor taken from next_url or previous_url')
  }
  if (order !== signature || values.length !== terms) {
    throw invalidParameter(name, shortened(cursor), 'a cursor of the same order_by')
  }
  return values as CursorParts
}

/** The JSON of a cursor; undefined if it is malformed. */
function decode(cursor: string): unknown {
  try {
    return JSON.parse(textOf(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    return undefined
  }
}

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 24)}…` : text)
