// Names of collections: CollectionName makes the name in the type of a client of that of a model (`OrderItem` → `client.orderItems`), and
// segmentOf the path in URLs of that name at run time (`orderItems` → `/order-items`).

import type { LetterCase } from '../lib/naming/case.ts'
import type { Plural } from './query/plural-type.ts'

/** The last word of a name in Pascal case: `OrderItem` → `Item`. `never` if the name has other characters or ends with an abbreviation. */
type LastWord<
  N extends string,
  Word extends string = '',
  Capitals extends string = '',
> = N extends `${infer C}${infer Rest}`
  ? C extends Letter | Digit
    ? LastWord<Rest, `${Word}${C}`, ''>
    : C extends Uppercase<Letter>
      ? Capitals extends ''
        ? LastWord<Rest, C, C>
        : LastWord<Rest, C, `${Capitals}${C}`>
      : never
  : Capitals extends ''
    ? Word
    : never

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')

/** The name with the plural of its last word: `OrderItem`, `Item` → `OrderItems`. A name without a last word (`never`) stays. */
type PluralName<N extends string, Word extends string> = [Word] extends [never]
  ? N
  : N extends `${infer Start}${Word}`
    ? `${Start}${Capitalize<Plural<Lowercase<Word>>>}`
    : N

/** Converts the first letter to lower case unless the second is a capital: `OrderItems` → `orderItems`, `HTTPLogs` stays. */
type Uncapital<N extends string> = N extends `${string}${infer Second}${string}`
  ? Second extends Uppercase<Letter>
    ? N
    : Uncapitalize<N>
  : N

/**
 * The name of a model's collection in a client: its plural in camel case. For a name that is not plain Pascal case (`order_item`,
 * `UserID`), it is the model's name itself, by which the server also serves the endpoint (`/user-id` beside `/user-ids`).
 * `string` if the type of the name is not a literal.
 *
 * ```ts
 * type A = CollectionName<'OrderItem'> // 'orderItems'
 * type B = CollectionName<'SalesPerson'> // 'salesPeople'
 * ```
 */
export type CollectionName<N extends string> = string extends N
  ? string
  : [LastWord<N>] extends [never]
    ? N
    : Uncapital<PluralName<N, LastWord<N>>>

/**
 * Writes a name in the letter case of endpoints.
 *
 * ```ts
 * segmentOf('orderItems', 'kebab') // 'order-items'
 * ```
 */
export function segmentOf(name: string, letterCase: LetterCase): string {
  // `orderItems` → order items, `HTTPLogs` → http logs
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean)
  if (letterCase === 'kebab' || letterCase === 'snake') {
    return words.join(letterCase === 'kebab' ? '-' : '_')
  }
  return words
    .map((word, i) =>
      i > 0 || letterCase === 'pascal' ? word.charAt(0).toUpperCase() + word.slice(1) : word,
    )
    .join('')
}
