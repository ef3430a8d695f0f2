// Keys in paths: a key has one spelling, the one that emitted URLs have, so that a record has one address (contract §3).

import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { Value } from './plan.ts'
import { keyValue } from './value.ts'

/**
 * The typed key of a path's texts, or undefined: no record has this address.
 *
 * ```ts
 * pathKey(books, ['1']) // [1]
 * pathKey(books, ['01']) // undefined
 * ```
 */
export function pathKey(
  { primaryKey }: Resource,
  texts: readonly string[],
): readonly Value[] | undefined {
  if (texts.length !== primaryKey.length) return undefined
  const key: Value[] = []
  for (const [i, column] of primaryKey.entries()) {
    const text = texts[i] ?? ''
    const value = keyValue(column, text)
    if (value === undefined || !isSpeltSo(column, value, text)) return undefined
    key.push(value)
  }
  return key
}

/** The texts of a key, as emitted URLs have them before they are encoded. */
export const keyTexts = ({ primaryKey }: Resource, key: readonly Value[]): readonly string[] =>
  primaryKey.map((column, i) => textOf(column, key[i] ?? ''))

function textOf({ type, scale }: NamedColumn, value: Value): string {
  const text = String(value)
  if (type !== 'decimal' || scale === undefined || scale === 0) return text
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(scale, '0')}`
}

function isSpeltSo(column: NamedColumn, value: Value, text: string): boolean {
  const expected = textOf(column, value)
  if (column.type !== 'decimal' || column.scale !== undefined) return text === expected
  // How many zeros end a number of no declared scale, the database alone knows.
  const [whole, fraction = ''] = expected.split('.')
  const [textWhole, textFraction = ''] = text.split('.')
  return textWhole === whole && textFraction.startsWith(fraction)
}
