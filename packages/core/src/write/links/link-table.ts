// linkTable: the LinkStore that stores links in a junction table without a model, as rows with the keys of both ends:
// `insert into members (person_id, team_id) values (1, 2)`.

import type { TableName } from '../../lib/sql/table-name.ts'
import type { ResolvedRelation } from '../../model/registry/resource.ts'
import { chunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyMatches } from '../resolve/look-up-records.ts'
import {
  compileDeleteByKeys,
  compileNewLinks,
  type KeyPart,
  matchesOf,
  rowsOfLinks,
} from '../statements/statements-by-keys.ts'
import { runWrite } from '../store/run-write.ts'
import type { WriteContext } from '../store/write-context.ts'
import { selectedLinks } from './link-keys.ts'
import type { LinkedRecord, LinkList, LinkStore, StoredKey } from './link-store.ts'
import { readLinks } from './read-links.ts'

/** A link to create: the list that it is in, and the record that it links. */
interface Link extends LinkedRecord {
  readonly list: LinkList
}

/** The LinkStore of a relation whose junction table has no model. Its rows are no records, so no rules of access apply to them. */
export function linkTable(context: WriteContext, relation: ResolvedRelation): LinkStore {
  const { through, target: resource } = relation
  const { target } = context
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const table: TableName = through
  const { from: ownParts, to: linkedParts } = through
  const parts = [...ownParts, ...linkedParts]
  // Both keys may contain the same column of the table.
  const stored = parts.filter(({ dbName }, i) => i === indexOfColumn(parts, dbName))
  const indices = stored.map(({ dbName }) => indexOfColumn(parts, dbName))
  return {
    existing: (lists) =>
      readLinks(
        context,
        { table, own: ownParts, linked: linkedParts },
        lists.map(({ own }) => own),
      ),
    // The right to change the record with the list is enough.
    requireAccess: async () => {},
    async remove(links) {
      const path = pathOf(links)
      const step = { step: 'delete', resource, path, values: {}, key: null } as const
      const columns = parts.map(({ column }) => column)
      for (const selected of selectedLinks(target.dialect, links, columns)) {
        const rows = { table, ...rowsOfLinks(ownParts, linkedParts, selected) }
        await runWrite(context, compileDeleteByKeys(target, rows), step)
      }
    },
    async create(links) {
      const path = pathOf(links)
      const created: Link[] = links.flatMap(({ list, linked }) =>
        linked.map(({ key, path }) => ({ list, key, path })),
      )
      for (const linkChunk of chunks(created, parts.length)) {
        const rows = linkChunk.map(({ list, key }) => valuesAt(indices, [...list.own, ...key]))
        const inserted = () =>
          linkChunk.map(({ list, key, path }) => ({
            path,
            row: { table, matches: matchesOf(parts, [...list.own, ...key]) },
            linked: { table: resource, matches: keyMatches(resource, key) },
          }))
        const step = { step: 'link', resource, path, values: {}, key: null } as const
        const statement = compileNewLinks(target, table, stored, rows)
        await runWrite(context, statement, { ...step, links: inserted })
      }
    },
  }
}

/** The index of the first part of both keys that is stored in this column. */
const indexOfColumn = (parts: readonly KeyPart[], name: string): number =>
  parts.findIndex(({ dbName }) => dbName === name)

/** The values of both keys, without those of a column that both contain. */
const valuesAt = (indices: readonly number[], keys: StoredKey): StoredKey =>
  indices.map((index) => keys[index] as Value)

/** The path of the list; empty if there are several. */
const pathOf = ([first, ...others]: readonly { readonly list: LinkList }[]): string =>
  first === undefined || others.length > 0 ? '' : first.list.path
