// Letter cases: splits names into words and joins them, independently of the process locale.

import { camelCase, kebabCase, pascalCase, snakeCase } from 'change-case'

/** The letter cases an endpoint may have. */
export type LetterCase = 'kebab' | 'snake' | 'camel' | 'pascal'

// Without `locale: false` a process in Turkish would turn `Item` into `ıtem`.
const options = { locale: false } as const

const writers: Readonly<Record<LetterCase, (text: string) => string>> = {
  kebab: (text) => kebabCase(text, options),
  snake: (text) => snakeCase(text, options),
  camel: (text) => camelCase(text, options),
  pascal: (text) => pascalCase(text, options),
}

/**
 * Writes a name in the given letter case.
 *
 * ```ts
 * toCase('OrderItem', 'kebab') // 'order-item'
 * toCase('order_item', 'camel') // 'orderItem'
 * ```
 */
export function toCase(text: string, letterCase: LetterCase): string {
  // A name of only underscores has no words; it stays unchanged instead of becoming empty.
  return writers[letterCase](text) || text
}
