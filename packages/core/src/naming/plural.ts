// English plurals, and the normalised form in which names are compared. Singulars are never computed, since that is unreliable.

import pluralize from 'pluralize'
import { type LetterCase, toCase } from './case.ts'

/**
 * The plural of a name in snake case; only its last word changes, and a plural stays as it is.
 *
 * ```ts
 * pluralSnake('OrderItem') // 'order_items'
 * pluralSnake('SalesPerson') // 'sales_people'
 * ```
 */
export function pluralSnake(name: string): string {
  const words = toCase(name, 'snake').split('_')
  const last = words.pop() ?? ''
  return [...words, last === '' ? '' : pluralize.plural(last)].join('_')
}

/**
 * The plural of a name in the given letter case: the endpoint name of a model.
 *
 * ```ts
 * pluralIn('OrderItem', 'kebab') // 'order-items'
 * ```
 */
export function pluralIn(name: string, letterCase: LetterCase): string {
  return toCase(pluralSnake(name), letterCase)
}

/**
 * The form in which names from a request are compared: case and surrounding blanks do not matter, hyphens are
 * underscores, and singular and plural are the same.
 *
 * ```ts
 * normalizeToken(' Order-Item ') // 'order_items'
 * normalizeToken('order_items') // 'order_items'
 * ```
 */
export function normalizeToken(text: string): string {
  const words = text.trim().toLowerCase().replaceAll('-', '_').split('_')
  const last = words.pop() ?? ''
  return [...words, last === '' ? '' : pluralize.plural(last)].join('_')
}
