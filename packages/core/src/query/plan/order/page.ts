// The page pass: plans `page=3&limit=20` as LIMIT 20 and OFFSET 40. Values out of range are a 400, never reduced silently
// (docs/reference/query-language.md).

import { invalidParameter } from '../../../errors.ts'
import type { PlanContext } from '../context.ts'
import type { NumberedPage } from '../plan.ts'

// Larger offsets overflow the 32-bit integers of some drivers.
const largestOffset = 2 ** 31 - 1

/** Plans `page` (from 1, default 1) and `limit` (from 1 to the resource's maximum, default the resource's page size). */
export function planPage(context: PlanContext): NumberedPage {
  const size = pageSize(context)
  const { page } = context.ast.single
  return numbered(positive('page', page?.text, 1, lastPage(size)), size)
}

/** The largest page number whose offset fits. */
const lastPage = (size: number): number => Math.floor(largestOffset / size) + 1

/** The page with this number, from 1. */
const numbered = (number: number, limit: number): NumberedPage => ({
  kind: 'numbered',
  number,
  limit,
  offset: (number - 1) * limit,
})

/** Returns another page of the same size, for a later request of a cached plan; undefined if the string is not a valid page number. */
export function pageAt({ limit }: NumberedPage, text: string): NumberedPage | undefined {
  const number = wholeNumber(text)
  return number >= 1 && number <= lastPage(limit) ? numbered(number, limit) : undefined
}

/** Returns `limit`, or the resource's default page size. */
export function pageSize(context: PlanContext): number {
  const { pageSizeDefault, pageSizeMax } = context.resource.settings
  return positive('limit', context.ast.single.limit?.text, pageSizeDefault, pageSizeMax)
}

/** Converts the text of the parameter `name` to a whole number; throws a 400 if it is not from 1 to `largest`. */
function positive(
  name: string,
  text: string | undefined,
  fallback: number,
  largest: number,
): number {
  if (text === undefined) return fallback
  const value = wholeNumber(text)
  if (value < 1 || value > largest) {
    throw invalidParameter(name, text, `a whole number from 1 to ${largest}`)
  }
  return value
}

/** The number; 0, which no parameter takes, for other text. */
const wholeNumber = (text: string): number => (/^[0-9]{1,10}$/.test(text) ? Number(text) : 0)
