// Junctions: tables whose rows link the rows of two other tables, as `book_tags (book_id, tag_id)` does. They become many-to-many relations.

import { isKeyedByRowId } from '../../shared/catalogue.ts'
import { type Link, type ModelDraft, sameSet } from './foreign-key-links.ts'

/** A junction table, before its relations are named. */
export interface JunctionDraft {
  /** The junction table itself. */
  readonly draft: ModelDraft
  /** Its two foreign keys. */
  readonly ends: readonly [Link, Link]
  /** True if the table has only the columns of the two foreign keys and no foreign key refers to it, so that it needs no model. */
  readonly pure: boolean
  /** True if the table may contain a pair twice, because none of its unique keys consists only of columns of the two foreign keys. */
  readonly repeats: boolean
}

/**
 * Finds the tables with two foreign keys whose columns together form a unique key; the table may have other columns. A table that
 * consists of two foreign keys that are never NULL is a junction too, although it may contain a pair of keys twice.
 */
export function findJunctions(
  drafts: readonly ModelDraft[],
  links: readonly Link[],
): JunctionDraft[] {
  return drafts.flatMap((draft) => {
    // A view only shows the rows of another table.
    if (draft.table.kind !== undefined) return []
    const own = links.filter((link) => link.child === draft && link.toKey)
    const [ends, ...more] = pairsOf(own).filter((pair) => isPairing(draft, pair))
    // Of several such pairs, none is known to be the one that the table is about.
    if (ends === undefined || more.length > 0) return []
    const pure = holdsOnly(draft, ends) && !links.some((link) => link.parent === draft)
    return [{ draft, ends, pure, repeats: mayRepeat(draft, ends) }]
  })
}

/** Whether the database allows two rows with the same pair of keys. */
function mayRepeat({ table }: ModelDraft, [first, second]: readonly [Link, Link]): boolean {
  const pair = [...first.columns, ...second.columns]
  return ![table.primaryKey, ...table.uniqueKeys].some(
    (key) => key.length > 0 && key.every((name) => pair.includes(name)),
  )
}

const pairsOf = (links: readonly Link[]): (readonly [Link, Link])[] =>
  links.flatMap((first, i) => links.slice(i + 1).map((second) => [first, second] as const))

/** Whether the rows of the table are pairs of the two foreign keys. */
function isPairing(draft: ModelDraft, [first, second]: readonly [Link, Link]): boolean {
  const { table } = draft
  const columns = [...first.columns, ...second.columns]
  if (new Set(columns).size < columns.length) return false
  const notNull = table.columns.every(({ name, nullable }) => !nullable || !columns.includes(name))
  const keys = [table.primaryKey, ...(notNull ? table.uniqueKeys : [])]
  if (keys.some((key) => sameSet(columns, key))) return true
  const isKeyed = table.primaryKey.length > 0 && !isKeyedByRowId(table)
  return notNull && !isKeyed && holdsOnly(draft, [first, second])
}

/** Whether the table has no other columns; a row id does not count. */
const holdsOnly = ({ table }: ModelDraft, [first, second]: readonly [Link, Link]): boolean =>
  table.columns.length - Number(isKeyedByRowId(table)) ===
  first.columns.length + second.columns.length
