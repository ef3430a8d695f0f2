// insertWithKeys: inserts several records with one statement, and finds out which of the generated keys belongs to which record: from the
// order of RETURNING, or from the first key and the step of the counter. insertByOneStatement is its INSERT without the search for keys.

import type { QueryResult } from 'kysely'
import type { RawRow } from '../../../database/cell.ts'
import type { MultiRowInserts } from '../../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { Output } from '../../../query/plan/plan.ts'
import { outputOfColumns } from '../../nodes/look-up-plan.ts'
import type { Values } from '../../nodes/node.ts'
import { type CompiledWrite, compileInserts } from '../../statements/statements.ts'
import { runWrite, runWriteForRows } from '../run-write.ts'
import { isCounter, skippedRow } from '../save.ts'
import type { WriteContext } from '../write-context.ts'
import type { InsertGroup } from './group-for-insert.ts'
import { addReturned, columnReader, type ReturnedRows } from './returned-rows.ts'
import type { NewRow } from './rows.ts'

interface Inserted extends QueryResult<RawRow> {
  readonly readers: CompiledWrite['readers']
}

const nothing: readonly Output[] = []

/** Inserts rows by one statement, which returns `output`. `columns` are those with a value in one of the rows. */
export async function insertByOneStatement(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  rows: readonly NewRow[],
  output: readonly Output[] = nothing,
): Promise<Inserted> {
  const values = rows.map((row) => row.values)
  const { statement, readers } = compileInserts(context.target, resource, columns, values, output)
  const step = { step: 'insert', resource, path: '', values: {}, key: null } as const
  // Requests rows as arrays only if the statement returns rows.
  const run = output.length > 0 ? runWriteForRows : runWrite
  return { ...(await run(context, statement, step)), readers }
}

/** Whether the keys of the records can be known after the INSERT: they are among the values, or come from one counter. */
export const keysBecomeKnown = ({ generated }: InsertGroup): boolean =>
  generated.length <= 1 && generated.every(isCounter)

/**
 * Inserts a group for which `keysBecomeKnown`; returns the values that identify its records. Adds the rows to `returned`, if given.
 *
 * Undefined, after the INSERT, if it is unknown which key belongs to which record, or if not all of them are stored. `insertOrExplain`
 * then rolls back to its savepoint and inserts the rows one by one. In a transaction of the host there is no savepoint, so it throws.
 */
export async function insertWithKeys(
  context: WriteContext,
  resource: Resource,
  group: InsertGroup,
  { generatedKeys }: MultiRowInserts,
  returned: ReturnedRows | undefined,
): Promise<readonly Values[] | undefined> {
  const { generated, columns, rows } = group
  const [key] = generated
  if (key === undefined) {
    const output = returned?.output
    const inserted = await insertByOneStatement(context, resource, columns, rows, output)
    const count = output === undefined ? inserted.numAffectedRows : inserted.rows.length
    if (count !== undefined && count < rows.length) return notAll(context, resource)
    if (returned !== undefined) addReturned(returned, inserted.readers, inserted.rows)
    return rows.map((row) => row.values)
  }
  const keys =
    generatedKeys.by === 'returning' || returned !== undefined
      ? await returnedKeys(context, resource, group, key, returned)
      : await consecutiveKeys(context, resource, group, key, generatedKeys.step)
  return keys && identified(resource, key, rows, keys)
}

/** The key and the soft-delete column of each record. Copies no other values, because a list may have thousands of records. */
function identified(
  { primaryKey, settings }: Resource,
  generated: NamedColumn,
  rows: readonly NewRow[],
  keys: readonly JsonValue[],
): readonly Values[] {
  const names = primaryKey.map(({ name }) => name).filter((name) => name !== generated.name)
  if (settings.softDelete !== null) names.push(settings.softDelete.attribute)
  const records: Values[] = []
  for (let i = 0; i < rows.length; i++) {
    const record: Record<string, JsonValue> = {}
    record[generated.name] = keys[i] ?? null
    for (let j = 0; j < names.length; j++) {
      const name = names[j] as string
      record[name] = rows[i]?.values[name] ?? null
    }
    records.push(record)
  }
  return records
}

/**
 * The keys from RETURNING, in the order of the rows: they ascend, or descend if the sequence has a negative increment. Undefined if they do
 * neither, because their order may then differ from that of the rows.
 */
async function returnedKeys(
  context: WriteContext,
  resource: Resource,
  { columns, rows }: InsertGroup,
  key: NamedColumn,
  returned: ReturnedRows | undefined,
): Promise<readonly JsonValue[] | undefined> {
  const output = returned?.output ?? outputOfColumns(resource, [key])
  const inserted = await insertByOneStatement(context, resource, columns, rows, output)
  const read = columnReader(inserted.readers, key)
  const keys: JsonValue[] = []
  for (let i = 0; i < inserted.rows.length; i++) keys.push(read(inserted.rows[i] as RawRow))
  if (keys.length < rows.length) return notAll(context, resource)
  if (
    !riseOrFall(
      columnTypes[key.type].json === 'number' ? keys : keys.map((id) => BigInt(String(id))),
    )
  ) {
    return undefined
  }
  if (returned !== undefined) addReturned(returned, inserted.readers, inserted.rows)
  return keys
}

/**
 * A trigger has skipped rows. Undefined, so that they are inserted again one by one, which tells which. A transaction of the host cannot
 * be undone for that, so this throws there at once: the error for undefined would not say that a trigger skipped a row.
 */
function notAll({ hosted }: WriteContext, resource: Resource): undefined {
  if (hosted) throw skippedRow({ step: 'insert', resource, path: '', values: {}, key: null })
  return undefined
}

/** Whether the keys only ascend, or only descend. */
function riseOrFall(keys: readonly unknown[]): boolean {
  const numbers = keys as readonly (number | bigint)[]
  let [rises, falls] = [true, true]
  for (let i = 1; i < numbers.length; i++) {
    const [before, after] = [numbers[i - 1] as number | bigint, numbers[i] as number | bigint]
    rises &&= before < after
    falls &&= before > after
  }
  return rises || falls
}

/** The keys, computed from the driver's insert id, which is the first of them, and the counter's step. */
async function consecutiveKeys(
  context: WriteContext,
  resource: Resource,
  { columns, rows }: InsertGroup,
  key: NamedColumn,
  step: Parameters<typeof sql>[1],
): Promise<readonly JsonValue[]> {
  const { insertId, numAffectedRows } = await insertByOneStatement(context, resource, columns, rows)
  const [found] = await context.lease.rows(sql`select ${step} as ${sql.id('step')}`)
  if (insertId === undefined || numAffectedRows !== BigInt(rows.length)) {
    throw new Error(`The database does not tell the keys of new ${resource.name}.`)
  }
  const between = BigInt(String(found?.step))
  return rows.map((_, i) => {
    const id = insertId + BigInt(i) * between
    return columnTypes[key.type].json === 'number' ? Number(id) : String(id)
  })
}
