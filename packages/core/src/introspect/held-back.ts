// Columns and tables whose names look like credentials: the columns are hidden, the tables are not published by `serve`.

import { ownName } from '../dialect/shared/catalogue.ts'
import { isCredentialTable } from '../model/credential-names.ts'
import type { Draft } from './links.ts'

/** A table or a column whose name looks like that of credentials. */
export interface HeldBack {
  readonly table: string
  /**
   * The column, which is hidden. Absent: the table as a whole, because its own name looks like one, or because its key
   * does and would stand in URLs; give its model no `meta` unless somebody has looked at it.
   */
  readonly column?: string
}

/** What looks like a credential in a table. */
export function heldBackOf({ table, credentials }: Draft): readonly HeldBack[] {
  const isKey = (name: string): boolean => table.primaryKey.includes(name)
  const named = isCredentialTable(ownName(table)) || table.credential === true
  const whole = named || credentials.some(isKey)
  const hidden = credentials.filter((name) => !isKey(name))
  return [
    ...(whole ? [{ table: table.name }] : []),
    ...hidden.map((column) => ({ table: table.name, column })),
  ]
}
