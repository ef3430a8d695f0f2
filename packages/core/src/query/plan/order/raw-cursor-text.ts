// The text in a cursor for a stored value that is not of its column's type, such as a word in an integer column of SQLite, which does not
// enforce types. The page beyond it compares the value as it is stored.

import { base64, bytesOfBase64 } from '../../../lib/json/base64.ts'

/** The prefix of such a text. A text column may contain a text that begins with it, which is therefore written in this form, too. */
const mark = 'stored '

/**
 * Writes a stored value as text for a cursor: `stored "02/01/2024"`, `stored 1700000000`, `stored {"blob":"AQI="}`. Infinite numbers
 * are written as ones that are too large for JavaScript, and NaN, which no number of JSON stands for, as the text of it.
 */
export function rawCursorText(raw: unknown): string {
  if (raw instanceof Uint8Array) return `${mark}${JSON.stringify({ blob: base64(raw) })}`
  if (typeof raw === 'string') return mark + JSON.stringify(raw)
  const number = Number(raw)
  if (Number.isNaN(number)) return `${mark}"NaN"`
  return `${mark}${Number.isFinite(number) ? number : number > 0 ? '1e999' : '-1e999'}`
}

/** Whether a text of a cursor stands for a stored value. */
export const isRawCursorText = (text: string): boolean => text.startsWith(mark)

/** Reads the stored value from a text that `rawCursorText` has written; undefined for any other text. */
export function rawValueOf(text: string): string | number | Uint8Array | undefined {
  try {
    const key: unknown = JSON.parse(text.slice(mark.length))
    if (typeof key === 'string' || typeof key === 'number') return key
    const blob: unknown = (key as { readonly blob?: unknown } | null)?.blob
    return typeof blob === 'string' ? bytesOfBase64(blob) : undefined
  } catch {
    return undefined
  }
}
