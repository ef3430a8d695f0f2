// What both kinds of link stores need to read the existing links of several records.

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import type { NamedColumn } from '../../registry/resource.ts'
import type { Key, RecordLinks } from './link-store.ts'

/** The partners of each record, both by `keyText`. */
export type FoundPartners = Map<string, Map<string, Key>>

/** Adds a link to those of the record with the key `own`. */
export function addPartner(found: FoundPartners, own: Key, partner: Key): void {
  const text = keyText(own)
  const known = found.get(text) ?? new Map<string, Key>()
  found.set(text, known.set(keyText(partner), partner))
}

/**
 * Divides records among statements that select rows by their keys. Where a collation makes keys equal whose texts differ, a row
 * does not tell to which record it belongs, so each record has its own statement.
 */
export const chunksByKey = (
  columns: readonly NamedColumn[],
  records: readonly RecordLinks[],
): Iterable<readonly RecordLinks[]> =>
  columns.some(({ collation }) => collation !== undefined)
    ? records.map((one) => [one])
    : chunks(records, columns.length)
