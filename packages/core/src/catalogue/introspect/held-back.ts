// heldBack in the result of `introspect`: columns and tables whose names look like credentials. The columns are hidden in their models; the
// commands `serve` and `models` do not publish the tables.

import { isCredentialTable } from '../../model/credential-names.ts'
import { ownName } from '../shared/catalogue.ts'
import type { ModelDraft } from './relations/foreign-key-links.ts'

/** A table or a column whose name looks like a credential. */
export interface HeldBack {
  readonly table: string
  /**
   * The column, which is hidden. Absent if the entry is about the whole table: its name looks like a credential, or a key column
   * does, whose values would be in URLs. Give the model of such a table `meta` only after checking it.
   */
  readonly column?: string
}

/** Returns what looks like a credential: the table, some of its columns, or both. */
export function heldBackOf({ table, credentials }: ModelDraft): readonly HeldBack[] {
  const isKey = (name: string): boolean => table.primaryKey.includes(name)
  const named = table.credential ?? isCredentialTable(ownName(table))
  const whole = named || credentials.some(isKey)
  const hidden = credentials.filter((name) => !isKey(name))
  return [
    ...(whole ? [{ table: table.name }] : []),
    ...hidden.map((column) => ({ table: table.name, column })),
  ]
}
