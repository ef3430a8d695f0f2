// findLacking: the statements on the tables of the models that this connection cannot prepare, for example because a collation of SQLite is
// registered only in another program. Each request that sends one would fail.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { SchemaRules, StatementOnTable } from '../shared/schema-rules.ts'
import type { ComparedModel } from './compare-schema.ts'
import { type DatabaseSchema, findColumn, findTable } from './database-schema.ts'
import type { Difference } from './difference.ts'

/** `SELECT`, `INSERT`, `UPDATE` or `DELETE`. */
type Kind = StatementOnTable['kind']

/** The methods of clients for which the service sends such a statement. */
const methods: readonly (readonly [Kind, method: string])[] = [
  ['INSERT', 'POST'],
  ['UPDATE', 'PATCH'],
  ['UPDATE', 'PUT'],
  ['DELETE', 'DELETE'],
]

/** Returns a `lacking` difference for each column that cannot be compared, and for the first method that each missing thing prevents. */
export async function findLacking(
  db: AnyDatabase,
  { lacks }: SchemaRules,
  models: readonly ComparedModel[],
  schema: DatabaseSchema,
): Promise<readonly Difference[]> {
  const differences: Difference[] = []
  if (lacks === undefined) return differences
  const lackedOn = lacks(
    db,
    models.map(({ resource }) => resource),
  )
  for (const { resource, methods: allowed } of models) {
    const found = findTable(schema, resource)
    if (found === undefined) continue
    const place = { kind: 'lacking', model: resource.name, table: resource.table } as const
    const columns = [...resource.allColumns.values()].flatMap((column) => {
      const stored = column.computed === undefined && findColumn(schema, found, column.dbName)
      return stored ? [{ field: column.name, ...stored }] : []
    })
    const lackedBy = async (kind: Kind, some = columns): Promise<string | undefined> => {
      if (some.length === 0) return undefined
      const names = some.map(({ name }) => name)
      return lackedOn({ kind, schema: resource.schema, table: resource.table, columns: names })
    }
    if ((await lackedBy('SELECT')) !== undefined) {
      for (const column of columns) {
        const missing = await lackedBy('SELECT', [column])
        if (missing === undefined) continue
        differences.push({ ...place, field: column.field, method: undefined, missing })
      }
    }
    // What was reported for another method of the model already.
    const reported = new Set<string>()
    for (const [kind, method] of methods) {
      if (!allowed.has(method)) continue
      const missing = await lackedBy(
        kind,
        columns.filter(({ readOnly }) => !readOnly),
      )
      if (missing === undefined || reported.has(missing)) continue
      reported.add(missing)
      differences.push({ ...place, field: undefined, method, missing })
    }
  }
  return differences
}
