// readLinks: reads links from a junction table without a published model, by the keys of the records at one end: those of a list before it
// replaces them, and those of records that are removed.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import { valueOfJson } from '../../query/plan/conditions/value.ts'
import type { Value } from '../../query/plan/plan.ts'
import { decodeRow } from '../../query/run/named-rows.ts'
import { compileLinks, type KeyPart } from '../statements/statements-by-keys.ts'
import type { WriteContext } from '../store/write-context.ts'
import { addLink, chunksByKey, type FoundLinks } from './link-keys.ts'
import type { StoredKey } from './link-store.ts'

/** A junction table with the columns of its two foreign keys. */
export interface LinkColumns {
  readonly table: TableName
  /** The foreign key to the records whose links are read. */
  readonly own: readonly KeyPart[]
  readonly linked: readonly KeyPart[]
}

/** All links of the records with these keys, whether or not the caller may see them. */
export async function readLinks(
  { lease, target }: Pick<WriteContext, 'lease' | 'target'>,
  { table, own: ownParts, linked: linkedParts }: LinkColumns,
  records: readonly StoredKey[],
): Promise<FoundLinks> {
  const found: FoundLinks = new Map()
  const ownColumns = ownParts.map(({ column }) => column)
  for (const keys of chunksByKey(target.dialect, ownColumns, records)) {
    const rows = { table, matches: [], parts: ownParts, keys }
    const { statement, readers } = compileLinks(target, rows, [...ownParts, ...linkedParts])
    for (const raw of await lease.rows(statement)) {
      const { values } = decodeRow(readers, raw)
      const [only, ...others] = keys
      const own = others.length === 0 && only ? only : endOf(ownParts, values, 0)
      const linked = endOf(linkedParts, values, ownParts.length)
      addLink(found, own, linked)
    }
  }
  return found
}

/**
 * The key of one end of a link. `compileLinks` reads the columns of both keys as `end_0`, `end_1`, …; `first` is the number of the
 * first one.
 */
const endOf = (
  parts: readonly KeyPart[],
  values: Readonly<Record<string, JsonValue>>,
  first: number,
): StoredKey =>
  parts.map(({ column }, i) => valueOfJson(column, values[`end_${first + i}`]) as Value)
