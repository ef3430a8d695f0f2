// linkTable: stores links in a junction table without a model, as rows of two keys.

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import { decodeRow, run } from '../../execute/run.ts'
import type { Value } from '../../plan/plan.ts'
import type { Match } from '../compile/statements.ts'
import {
  compileDeleteByKeys,
  compileLinks,
  compileNewLinks,
  type KeyPart,
} from '../compile/statements-by-keys.ts'
import { planValueOf } from '../plan/value.ts'
import type { WriteContext } from './context.ts'
import type { LinkStore, RecordLinks } from './link-store.ts'
import { keyMatches } from './look-up.ts'
import { runWrite } from './run-step.ts'

export function linkTable(context: WriteContext, { relation, own, path }: RecordLinks): LinkStore {
  const { through, from, to, target: partner } = relation
  const { connection, target } = context
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const { table } = through
  const ownKey: readonly Match[] = from.map((column, i) => ({
    dbName: through.from[i] ?? '',
    column,
    value: own[i] as Value,
  }))
  const partnerKey: readonly KeyPart[] = to.map((column, i) => ({
    dbName: through.to[i] ?? '',
    column,
  }))
  const columns = ownKey.length + partnerKey.length
  return {
    async existing() {
      const { statement, readers } = compileLinks(target, table, ownKey, partnerKey)
      const rows = (await run(connection, statement)).map((row) => decodeRow(readers, row).values)
      const keys = rows.map((row) =>
        partnerKey.map(({ column }, i) => planValueOf(column, row[`end_${i}`]) as Value),
      )
      return new Map(keys.map((key) => [keyText(key), key]))
    },
    requireAccess: async () => {},
    async remove(partners) {
      for (const keys of chunks(partners, columns)) {
        const statement = compileDeleteByKeys(target, table, ownKey, partnerKey, keys)
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
          partner: { table: partner.table, matches: keyMatches(partner, key) },
        }))
        const statement = compileNewLinks(target, table, ownKey, partnerKey, keys)
        const step = { step: 'link', resource: partner, path, values: {}, key: null } as const
        await runWrite(context, statement, { ...step, links })
      }
    },
  }
}

/** A key's values as matches of the columns that hold it. */
export const matchesOf = (parts: readonly KeyPart[], key: readonly Value[]): readonly Match[] =>
  parts.map((part, i) => ({ ...part, value: key[i] as Value }))
