// The text in a cursor for a stored value that is not of its column's type, on databases that do not enforce types.

import { base64, bytesOfBase64 } from '../json/base64.ts'
import type { NamedColumn } from '../registry/resource.ts'
import type { Value } from './plan.ts'

/** The prefix of such a text; no value of a non-text column begins with it. */
const mark = 'stored '

/** `stored "02/01/2024"`, `stored 1700000000`, `stored {"blob":"AQI="}` */
export function storedPlace(raw: unknown): string {
  if (raw instanceof Uint8Array) return `${mark}${JSON.stringify({ blob: base64(raw) })}`
  if (typeof raw === 'string') return mark + JSON.stringify(raw)
  const number = Number(raw)
  return `${mark}${Number.isFinite(number) ? number : number > 0 ? '1e999' : '-1e999'}`
}

export const isStoredPlace = ({ type }: Pick<NamedColumn, 'type'>, value: Value): boolean =>
  typeof value === 'string' &&
  value.startsWith(mark) &&
  type !== 'string' &&
  type !== 'text' &&
  type !== 'enum'

/** The stored value of such a text; undefined for any other text. */
export function storedKey(place: string): string | number | Uint8Array | undefined {
  try {
    const key: unknown = JSON.parse(place.slice(mark.length))
    if (typeof key === 'string' || typeof key === 'number') return key
    const blob: unknown = (key as { readonly blob?: unknown } | null)?.blob
    return typeof blob === 'string' ? bytesOfBase64(blob) : undefined
  } catch {
    return undefined
  }
}
