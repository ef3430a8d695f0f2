// The text in a cursor for a stored value that is not of its column's type, on databases that do not enforce types.

import { base64, bytesOfBase64 } from '../json/base64.ts'
import type { NamedColumn } from '../registry/resource.ts'
import type { Value } from './plan.ts'

/** The prefix of such a text. No value of a column of another type than text begins with it. */
const mark = 'stored '

/** Writes a stored value as text for a cursor: `stored "02/01/2024"`, `stored 1700000000`, `stored {"blob":"AQI="}`. */
export function rawCursorText(raw: unknown): string {
  if (raw instanceof Uint8Array) return `${mark}${JSON.stringify({ blob: base64(raw) })}`
  if (typeof raw === 'string') return mark + JSON.stringify(raw)
  const number = Number(raw)
  return `${mark}${Number.isFinite(number) ? number : number > 0 ? '1e999' : '-1e999'}`
}

export const isRawCursorText = ({ type }: Pick<NamedColumn, 'type'>, value: Value): boolean =>
  typeof value === 'string' &&
  value.startsWith(mark) &&
  type !== 'string' &&
  type !== 'text' &&
  type !== 'enum'

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
