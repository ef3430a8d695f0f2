/** What came of one fault: a row of the closing table. */

export interface Row {
  readonly setup: string
  readonly fault: string
  readonly answered: number
  readonly unavailable: number
  readonly lost: number
  readonly half: number
  readonly wrong: readonly string[]
  readonly unanswered: number
  readonly deaths: number
  /** Milliseconds from the end of the fault until every client was served again. */
  readonly recovery: number
  readonly leaked: string
  readonly errors: Readonly<Record<string, number>>
}

/** Nothing lost, stored in half, wrong or left open, nobody ended, everything recovered. */
export const isGood = (row: Row): boolean =>
  row.lost + row.half + row.wrong.length + row.unanswered + row.deaths === 0 &&
  row.leaked === '0' &&
  Number.isFinite(row.recovery)
