// The keys of links (rows of a junction table), divided among the statements that read or delete them; for both kinds of LinkStore.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyText } from '../../query/run/key.ts'
import type { OldLinks, StoredKey } from './link-store.ts'

/** The links of several records: by `keyText` of each record's key, the keys of the records linked to it, which are by `keyText`, too. */
export type FoundLinks = Map<string, Map<string, StoredKey>>

/** Adds the link between the records with the keys `own` and `linked`. */
export function addLink(found: FoundLinks, own: StoredKey, linked: StoredKey): void {
  const text = keyText(own)
  const known = found.get(text) ?? new Map<string, StoredKey>()
  found.set(text, known.set(keyText(linked), linked))
}

/**
 * Divides records among statements that select links by the keys of the records. If a collation makes keys equal whose texts
 * differ, a row does not tell to which record it belongs, so each record takes its own statement.
 */
export const chunksByKey = <T>(
  dialect: InternalDialect,
  columns: readonly NamedColumn[],
  records: readonly T[],
): Iterable<readonly T[]> =>
  columns.some(({ collation }) => collation !== undefined)
    ? records.map((record) => [record])
    : keyChunks(dialect, records, columns)

/** The links that one statement selects: links of the record with the key `own`, or links of several records. */
export interface SelectedLinks {
  /** The key of the one record; undefined for several. */
  readonly own: StoredKey | undefined
  /** The keys of the linked records; without `own`, each key is that of a record, followed by that of the record linked to it. */
  readonly keys: readonly StoredKey[]
}

/** Divides links among statements; `columns` are those of both keys: that of the record whose links they are, then of the linked one. */
export function* selectedLinks(
  dialect: InternalDialect,
  links: readonly OldLinks[],
  columns: readonly NamedColumn[],
): Generator<SelectedLinks> {
  const [first, ...others] = links
  if (first !== undefined && others.length === 0) {
    const { own } = first.list
    for (const keys of keyChunks(dialect, first.keys, columns.slice(own.length)))
      yield { own, keys }
    return
  }
  const pairs = links.flatMap(({ list, keys }) => keys.map((key) => [...list.own, ...key]))
  for (const keys of keyChunks(dialect, pairs, columns)) yield { own: undefined, keys }
}
