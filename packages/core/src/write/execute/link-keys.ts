// The keys of links of several records, for the statements of both kinds of link stores.

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import type { NamedColumn } from '../../registry/resource.ts'
import type { Key, OldLinks, RecordLinks } from './link-store.ts'

/** The keys of the records that each record is linked to; records and keys are found by their `keyText`. */
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

/** Which links one statement selects: those of the record `own` to partners, or links of several records by the keys of both ends. */
export interface SelectedLinks {
  readonly own: Key | undefined
  /** The keys of the partners; without `own`, those of both ends, one after the other. */
  readonly keys: readonly Key[]
}

/** Conditions on the keys of both ends are longer and nested, so a statement has fewer of them. */
const mostPairs = 500

/** Divides links among statements; `columns` are those of both keys. */
export function* selectedLinks(
  links: readonly OldLinks[],
  columns: number,
): Generator<SelectedLinks> {
  const [first, ...others] = links
  if (first !== undefined && others.length === 0) {
    const { own } = first.of
    for (const keys of chunks(first.partners, columns)) yield { own, keys }
    return
  }
  const pairs = links.flatMap(({ of, partners }) => partners.map((key) => [...of.own, ...key]))
  for (let i = 0; i < pairs.length; i += mostPairs) {
    yield { own: undefined, keys: pairs.slice(i, i + mostPairs) }
  }
}
