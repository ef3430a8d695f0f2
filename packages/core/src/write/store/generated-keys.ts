// GeneratedKeys: the keys that the database gives to the new records of a write. Foreign keys of the body cannot name these records,
// because clients could only guess the keys, and a repeated transaction gives others: `[{"title": "A"}, {"title": "B", "parent_id": 7}]` is
// refused if the first record gets the key 7. `check` calls `refuseGuessed`, each INSERT calls `add`.

import { missingReference } from '../../errors.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { generatedPart, ofOwnTable } from '../nodes/hidden-references.ts'
import { pathTo, type Values } from '../nodes/node.ts'

/** The keys of the records in one table. */
interface KeysOfTable {
  /** The keys that the database has given to new records, as `keyText`. */
  readonly generated: Set<string>
  /** The paths of the foreign keys that were sent, by key, as `keyText`. */
  readonly sent: Map<string, readonly string[]>
}

const nothing: Values = {}

/** A class, because V8 drops the optimised code of closures that are made for each request. */
export class GeneratedKeys {
  readonly #tables = new Map<string, KeysOfTable>()
  #hasNested = false

  /** Nested records will be written, so foreign keys to other tables are watched too. */
  watchNested(): void {
    this.#hasNested = true
  }

  /**
   * Throws 422 if a foreign key in the `sent` values of a record names a record that this write has created, and remembers the others.
   * `filled` has the foreign keys that nested objects or the record around this one set.
   */
  refuseGuessed(resource: Resource, sent: Values, path: string, filled: Values = nothing): void {
    for (const relation of resource.allRelations.values()) {
      const column = this.#watched(resource, relation)
      if (column === undefined || column.name in filled) continue
      // A foreign key with a NULL part refers to nothing.
      if (relation.from.some(({ name }) => sent[name] === null)) continue
      const text = keyTextIn([column], sent)
      if (text === undefined) continue
      const { generated, sent: known } = this.#of(relation.target)
      const shown = relation.from.filter(({ hidden }) => !hidden)
      const paths = shown.map(({ name }) => pathTo(path, name))
      if (generated.has(text)) throw missingReference(paths)
      if (!known.has(text)) known.set(text, paths)
    }
  }

  /** Adds the key of a new record, whose `columns` the database has generated; throws 422 if a foreign key of the body has guessed it. */
  add(resource: Resource, columns: readonly NamedColumn[], values: Values): void {
    // As in `generatedPart`: only primary keys of one column are watched.
    if (columns.length !== 1 || resource.primaryKey.length !== 1) return
    if (!this.#hasNested && ![...resource.allRelations.values()].some(ofOwnTable(resource))) return
    const text = keyTextIn(columns, values)
    if (text === undefined) return
    const { generated, sent } = this.#of(resource)
    generated.add(text)
    const guessed = sent.get(text)
    if (guessed !== undefined) throw missingReference(guessed)
  }

  /** Whether the database has given this key, as `keyText`, to a record of this write. */
  has(resource: Resource, text: string): boolean {
    return this.#tables.get(tableKey(resource))?.generated.has(text) === true
  }

  /** The foreign key column of a relation that could name a record with a generated key; undefined if it need not be watched. */
  #watched(resource: Resource, relation: ResolvedRelation): NamedColumn | undefined {
    return this.#hasNested || ofOwnTable(resource)(relation) ? generatedPart(relation) : undefined
  }

  #of(resource: Resource): KeysOfTable {
    const name = tableKey(resource)
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const keys: KeysOfTable = { generated: new Set(), sent: new Map() }
    this.#tables.set(name, keys)
    return keys
  }
}
