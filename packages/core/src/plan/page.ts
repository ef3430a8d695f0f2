// The page pass: `page` and `limit` → limit and offset; out of range is a 400, never a silent cut (contract §4).

import { invalidParameter } from '../errors.ts'
import type { PlanContext } from './context.ts'
import type { NumberedPage } from './plan.ts'

// Offsets beyond 31 bits overflow in some drivers and no reader ever asks for them.
const largestOffset = 2 ** 31 - 1

/** `page` from 1 (default 1), `limit` from 1 to the resource's maximum (default the resource's page size). */
export function planPage(context: PlanContext): NumberedPage {
  const size = pageSize(context)
  const { page } = context.ast.single
  return numbered(positive('page', page?.text, 1, lastPage(size)), size)
}

const lastPage = (size: number): number => Math.floor(largestOffset / size) + 1

const numbered = (number: number, limit: number): NumberedPage => ({
  kind: 'numbered',
  number,
  limit,
  offset: (number - 1) * limit,
})

/** The same page size, at another page; undefined where that is no page. */
export function pageAt({ limit }: NumberedPage, text: string): NumberedPage | undefined {
  const number = wholeNumber(text)
  return number >= 1 && number <= lastPage(limit) ? numbered(number, limit) : undefined
}

/** `limit`, or the resource's page size. */
export function pageSize(context: PlanContext): number {
  const { pageSizeDefault, pageSizeMax } = context.resource.settings
  return positive('limit', context.ast.single.limit?.text, pageSizeDefault, pageSizeMax)
}

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

const wholeNumber = (text: string): number => (/^[0-9]{1,10}$/.test(text) ? Number(text) : 0)
