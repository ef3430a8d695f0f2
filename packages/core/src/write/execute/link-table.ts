// linkTable: stores links in a junction table without a model, as rows of two keys.

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import { decodeRow, run } from '../../execute/run.ts'
import type { Value } from '../../plan/plan.ts'
import { valueOfJson } from '../../plan/value.ts'
import type { TableName } from '../../sql/table-name.ts'
import {
  compileDeleteByKeys,
  compileLinks,
  compileNewLinks,
  matchesOf,
} from '../compile/statements-by-keys.ts'
import type { WriteContext } from './context.ts'
import type { LinkStore, RecordLinks } from './link-store.ts'
import { keyMatches } from './look-up.ts'
import { runWrite } from './run-step.ts'

export function linkTable(context: WriteContext, { relation, own, path }: RecordLinks): LinkStore {
  const { through, target: partner } = relation
  const { connection, target } = context
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const table: TableName = through
  const ownKey = matchesOf(through.from, own)
  const partnerKey = through.to
  const columns = ownKey.length + partnerKey.length
  return {
    async existing() {
      const { statement, readers } = compileLinks(target, table, ownKey, partnerKey)
      const rows = (await run(connection, statement)).map((row) => decodeRow(readers, row).values)
      const keys = rows.map((row) =>
        partnerKey.map(({ column }, i) => valueOfJson(column, row[`end_${i}`]) as Value),
      )
      return new Map(keys.map((key) => [keyText(key), key]))
    },
    requireAccess: async () => {},
    async remove(partners) {
      for (const keys of chunks(partners, columns)) {
        const rows = { table, matches: ownKey, parts: partnerKey, keys }
        const statement = compileDeleteByKeys(target, rows)
        const step = { step: 'delete', resource: partner, path, values: {}, key: null } as const
        await runWrite(context, statement, step)
      }
    },
    async make(partners) {
      for (const some of chunks(partners, columns)) {
        const keys = some.map(({ key }) => key)
        const links = some.map(({ key, path }) => ({
          path,
          row: { table, matches: [...ownKey, ...matchesOf(partnerKey, key)] },
          partner: { table: partner, matches: keyMatches(partner, key) },
        }))
        const statement = compileNewLinks(target, table, ownKey, partnerKey, keys)
        const step = { step: 'link', resource: partner, path, values: {}, key: null } as const
        await runWrite(context, statement, { ...step, links })
      }
    },
  }
}
