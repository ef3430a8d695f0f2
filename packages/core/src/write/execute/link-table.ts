// linkTable: stores links in a junction table without a model, as rows of two keys.

import { chunks } from '../../execute/chunks.ts'
import { decodeRow, run } from '../../execute/run.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { Value } from '../../plan/plan.ts'
import { valueOfJson } from '../../plan/value.ts'
import type { ResolvedRelation } from '../../registry/resource.ts'
import type { TableName } from '../../sql/table-name.ts'
import {
  compileDeleteByKeys,
  compileLinks,
  compileNewLinks,
  type KeyPart,
  matchesOf,
  rowsOfLinks,
} from '../compile/statements-by-keys.ts'
import type { WriteContext } from './context.ts'
import { addPartner, chunksByKey, selectedLinks } from './link-keys.ts'
import type { Key, LinkStore, RecordLinks } from './link-store.ts'
import { keyMatches } from './look-up.ts'
import { runWrite } from './run-step.ts'

/** A link: the keys of both ends, and its list in the body. */
interface Link {
  readonly of: RecordLinks
  readonly key: Key
  readonly path: string
}

export function linkTable(context: WriteContext, relation: ResolvedRelation): LinkStore {
  const { through, target: partner } = relation
  const { connection, target } = context
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const table: TableName = through
  const { from: ownParts, to: partnerParts } = through
  const ownColumns = ownParts.map(({ column }) => column)
  const parts = [...ownParts, ...partnerParts]
  // Both keys may contain the same column of the table.
  const stored = parts.filter(({ dbName }, i) => i === placeOf(parts, dbName))
  const places = stored.map(({ dbName }) => placeOf(parts, dbName))
  return {
    async existing(records) {
      const found = new Map<string, Map<string, Key>>()
      for (const some of chunksByKey(ownColumns, records)) {
        const keys = some.map(({ own }) => own)
        const rows = { table, matches: [], parts: ownParts, keys }
        const { statement, readers } = compileLinks(target, rows, parts)
        for (const raw of await run(connection, statement)) {
          const { values } = decodeRow(readers, raw)
          const [only, ...others] = keys
          const own = others.length === 0 && only ? only : endOf(ownParts, values, 0)
          const key = endOf(partnerParts, values, ownParts.length)
          addPartner(found, own, key)
        }
      }
      return found
    },
    requireAccess: async () => {},
    async remove(links) {
      const path = pathOf(links)
      const refused = { resource: partner, path, values: {}, key: null, step: 'delete' } as const
      for (const selected of selectedLinks(links, parts.length)) {
        const rows = { table, ...rowsOfLinks(ownParts, partnerParts, selected) }
        await runWrite(context, compileDeleteByKeys(target, rows), refused)
      }
    },
    async make(links) {
      const path = pathOf(links)
      const made: Link[] = links.flatMap(({ of, partners }) =>
        partners.map(({ key, path }) => ({ of, key, path })),
      )
      for (const some of chunks(made, parts.length)) {
        const rows = some.map(({ of, key }) => valuesAt(places, [...of.own, ...key]))
        const inserted = () =>
          some.map(({ of, key, path }) => ({
            path,
            row: { table, matches: matchesOf(parts, [...of.own, ...key]) },
            partner: { table: partner, matches: keyMatches(partner, key) },
          }))
        const refused = { resource: partner, path, values: {}, key: null } as const
        const statement = compileNewLinks(target, table, stored, rows)
        await runWrite(context, statement, { ...refused, step: 'link', links: inserted })
      }
    },
  }
}

const placeOf = (parts: readonly KeyPart[], name: string): number =>
  parts.findIndex(({ dbName }) => dbName === name)

const valuesAt = (places: readonly number[], ends: Key): Key =>
  places.map((place) => ends[place] as Value)

/** The path of the list; empty if there are several. */
const pathOf = ([first, ...others]: readonly { readonly of: RecordLinks }[]): string =>
  first === undefined || others.length > 0 ? '' : first.of.path

/** The key that a row of the junction table stores in these columns, of which the first is read as `end_<first>`. */
const endOf = (
  parts: readonly KeyPart[],
  values: Readonly<Record<string, JsonValue>>,
  first: number,
): Key => parts.map(({ column }, i) => valueOfJson(column, values[`end_${first + i}`]) as Value)
