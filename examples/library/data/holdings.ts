// Which branch holds how many copies of which book, generated: the same rows on every run.

import { createRandom } from './random.ts'

export interface Holding {
  readonly branchId: number
  readonly bookId: number
  readonly copies: number
  readonly shelfMark: string | null
  readonly lastAuditedOn: string | null
}

/** How much of the collection each branch holds, in the order of the branches. */
const shares = [0.52, 0.12, 0.2, 0.14, 0.1, 0.3, 0.12, 0.16]

const firstAudit = Date.UTC(2022, 0, 10)
const day = 24 * 60 * 60 * 1000

/** `names` and `categories` hold one entry per book: the author's name and the first category. */
export function generateHoldings(
  branchCount: number,
  names: readonly string[],
  categories: readonly string[],
): Holding[] {
  const random = createRandom(1865)
  const holdings: Holding[] = []
  for (let branch = 0; branch < branchCount; branch++) {
    for (let book = 0; book < names.length; book++) {
      if (!random.chance(shares[branch % shares.length] as number)) continue
      const copies = random.chance(0.7) ? 1 : random.int(2, 6)
      const marked = !random.chance(0.08)
      const audited = !random.chance(0.15)
      const audit = new Date(firstAudit + random.int(0, 1400) * day).toISOString().slice(0, 10)
      holdings.push({
        branchId: branch + 1,
        bookId: book + 1,
        copies,
        shelfMark: marked ? shelfMark(names[book] as string, categories[book] as string) : null,
        lastAuditedOn: audited ? audit : null,
      })
    }
  }
  return holdings
}

/** `POE SHA` for a poem by Shakespeare: letters without accents, from the last word of the name. */
function shelfMark(name: string, category: string): string {
  const last = name.split(' ').at(-1) as string
  const letters = last.normalize('NFD').replace(/[^A-Za-z]/g, '')
  return `${category.slice(0, 3)} ${letters.slice(0, 3)}`.toUpperCase()
}
