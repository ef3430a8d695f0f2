// rowCountWords: writes numbers of rows, for the index of the API (`/api`) and for the terminal.

import type { RowCount } from '@model-api/core/introspect'

/** `1 row`, `about 120,000 rows` with two digits of an estimate, `more than 10,000 rows`. */
export function rowCountWords({ rows, is }: RowCount): string {
  if (is === 'exact') return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return is === 'minimum'
    ? `more than ${grouped(rows)} rows`
    : `about ${grouped(Number(rows.toPrecision(2)))} rows`
}

const grouped = (count: number): string => count.toLocaleString('en-US')
