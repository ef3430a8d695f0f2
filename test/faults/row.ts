/** The outcome of one fault: a row of the final table. */

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

/** Whether no write was lost, half stored, wrong or left unanswered, no process ended, and every client was served again. */
export const isGood = (row: Row): boolean =>
  row.lost + row.half + row.wrong.length + row.unanswered + row.deaths === 0 &&
  row.leaked === '0' &&
  Number.isFinite(row.recovery)
