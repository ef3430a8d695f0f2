// linkTable: stores links in a junction table without a model, as rows with the keys of both ends.

import { chunks } from '../../../execute/chunks.ts'
import { decodeRow, run } from '../../../execute/run.ts'
import type { JsonValue } from '../../../json/json-value.ts'
import type { Value } from '../../../plan/plan.ts'
import { valueOfJson } from '../../../plan/value.ts'
import type { ResolvedRelation } from '../../../registry/resource.ts'
import type { TableName } from '../../../sql/table-name.ts'
import {
  compileDeleteByKeys,
  compileLinks,
  compileNewLinks,
  type KeyPart,
  matchesOf,
  rowsOfLinks,
} from '../../compile/statements-by-keys.ts'
import type { WriteContext } from '../context.ts'
import { keyMatches } from '../look-up.ts'
import { runWrite } from '../run-write.ts'
import { addLink, chunksByKey, type FoundLinks, selectedLinks } from './link-keys.ts'
import type { Key, LinkedRecord, LinkList, LinkStore } from './link-store.ts'

/** A link to create: the list that it is in, and the record that it links. */
interface Link extends LinkedRecord {
  readonly list: LinkList
}

export function linkTable(context: WriteContext, relation: ResolvedRelation): LinkStore {
  const { through, target: resource } = relation
  const { connection, target } = context
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const table: TableName = through
  const { from: ownParts, to: linkedParts } = through
  const ownColumns = ownParts.map(({ column }) => column)
  const parts = [...ownParts, ...linkedParts]
  // Both keys may contain the same column of the table.
  const stored = parts.filter(({ dbName }, i) => i === indexOfColumn(parts, dbName))
  const indices = stored.map(({ dbName }) => indexOfColumn(parts, dbName))
  return {
    async existing(lists) {
      const found: FoundLinks = new Map()
      for (const some of chunksByKey(ownColumns, lists)) {
        const keys = some.map(({ own }) => own)
        const rows = { table, matches: [], parts: ownParts, keys }
        const { statement, readers } = compileLinks(target, rows, parts)
        for (const raw of await run(connection, statement)) {
          const { values } = decodeRow(readers, raw)
          const [only, ...others] = keys
          const own = others.length === 0 && only ? only : endOf(ownParts, values, 0)
          const linked = endOf(linkedParts, values, ownParts.length)
          addLink(found, own, linked)
        }
      }
      return found
    },
    requireAccess: async () => {},
    async remove(links) {
      const path = pathOf(links)
      const refused = { resource, path, values: {}, key: null, step: 'delete' } as const
      for (const selected of selectedLinks(links, parts.length)) {
        const rows = { table, ...rowsOfLinks(ownParts, linkedParts, selected) }
        await runWrite(context, compileDeleteByKeys(target, rows), refused)
      }
    },
    async create(links) {
      const path = pathOf(links)
      const created: Link[] = links.flatMap(({ list, linked }) =>
        linked.map(({ key, path }) => ({ list, key, path })),
      )
      for (const some of chunks(created, parts.length)) {
        const rows = some.map(({ list, key }) => valuesAt(indices, [...list.own, ...key]))
        const inserted = () =>
          some.map(({ list, key, path }) => ({
            path,
            row: { table, matches: matchesOf(parts, [...list.own, ...key]) },
            linked: { table: resource, matches: keyMatches(resource, key) },
          }))
        const refused = { resource, path, values: {}, key: null } as const
        const statement = compileNewLinks(target, table, stored, rows)
        await runWrite(context, statement, { ...refused, step: 'link', links: inserted })
      }
    },
  }
}

const indexOfColumn = (parts: readonly KeyPart[], name: string): number =>
  parts.findIndex(({ dbName }) => dbName === name)

const valuesAt = (indices: readonly number[], keys: Key): Key =>
  indices.map((index) => keys[index] as Value)

/** The path of the list; empty if there are several. */
const pathOf = ([first, ...others]: readonly { readonly list: LinkList }[]): string =>
  first === undefined || others.length > 0 ? '' : first.list.path

/**
 * The key of one end of a link. `compileLinks` reads the columns of both keys as `end_0`, `end_1`, …; `first` is the number of the
 * first one.
 */
const endOf = (
  parts: readonly KeyPart[],
  values: Readonly<Record<string, JsonValue>>,
  first: number,
): Key => parts.map(({ column }, i) => valueOfJson(column, values[`end_${first + i}`]) as Value)
