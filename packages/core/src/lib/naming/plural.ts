// English plurals, and the normalised spelling in which names are compared. Singulars are never computed, because that is unreliable.

import pluralize from 'pluralize'
import { type LetterCase, toCase } from './case.ts'

/**
 * Returns the plural of a name in snake case. Only the last word changes; a plural stays as it is.
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
 * Returns the plural of a name in the given letter case, as in the endpoint name of a model.
 *
 * ```ts
 * pluralIn('OrderItem', 'kebab') // 'order-items'
 * ```
 */
export function pluralIn(name: string, letterCase: LetterCase): string {
  return toCase(pluralSnake(name), letterCase)
}

/**
 * Normalises a name from a request for comparison: ignores case and surrounding blanks, turns hyphens into underscores, and
 * makes the last word plural.
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
