// groupForInsert: divides the new records of a list into groups, each of which one INSERT can store: those with the same columns.
// `update-rows.ts` groups changes by `hasColumns`, too.

import type { MultiRowInserts } from '../../../dialect/internal-dialect.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { Values } from '../../nodes/node.ts'
import { storedColumns } from '../../statements/statements.ts'
import { splitGeneratedKey } from '../save.ts'
import { NewRow } from './rows.ts'

/** Records that one statement can insert. `insertRows` divides them further if they have too many values for one statement. */
export interface InsertGroup {
  /** The key columns that the database generates. */
  readonly generated: readonly NamedColumn[]
  /** The columns that have a value in at least one of the rows. */
  readonly columns: readonly NamedColumn[]
  readonly rows: readonly NewRow[]
}

interface GrowingGroup extends InsertGroup {
  columns: readonly NamedColumn[]
  readonly rows: NewRow[]
}

/**
 * The groups keep the order of the rows, so that counters number the rows in this order. A new group begins at a row whose key comes
 * from another source (the body or the database), and at a row whose columns differ from those of the group, unless DEFAULT can fill
 * the missing ones.
 */
export function groupForInsert(
  resource: Resource,
  rows: readonly NewRow[],
  { omitted }: MultiRowInserts,
): readonly InsertGroup[] {
  const groups: GrowingGroup[] = []
  let group: GrowingGroup | undefined
  for (const row of rows) {
    // Rows without any columns are inserted one by one, because SQL has no statement for several.
    const inGroup = group !== undefined && group.columns.length > 0
    if (group !== undefined && inGroup && hasColumns(resource, row.values, group.columns)) {
      group.rows.push(row)
      continue
    }
    const { generated, insertValues } = splitGeneratedKey(resource, row.values)
    const insertedRow = new NewRow(insertValues, row.path, row.filled)
    const own = storedColumns(resource, insertValues)
    if (group !== undefined && equalLists(group.generated, generated)) {
      const columns = commonColumns(resource, group.columns, own, omitted)
      if (columns !== undefined) {
        group.columns = columns
        group.rows.push(insertedRow)
        continue
      }
    }
    group = { generated, columns: own, rows: [insertedRow] }
    groups.push(group)
  }
  return groups
}

/** Whether the values are for exactly these columns, without a null in the key. */
export function hasColumns(
  { allColumns, primaryKey }: Resource,
  values: Values,
  columns: readonly NamedColumn[],
): boolean {
  for (let i = 0; i < primaryKey.length; i++) {
    if (values[(primaryKey[i] as NamedColumn).name] === null) return false
  }
  for (let i = 0; i < columns.length; i++) {
    if (values[(columns[i] as NamedColumn).name] === undefined) return false
  }
  let count = 0
  for (const name in values) {
    const column = values[name] === undefined ? undefined : allColumns.get(name)
    if (column !== undefined && column.computed === undefined) count += 1
  }
  return count === columns.length
}

const equalLists = (columns: readonly NamedColumn[], others: readonly NamedColumn[]): boolean =>
  columns.length === others.length && columns.every((column, i) => column === others[i])

/** The columns of both lists, in the order of the model; undefined if no statement can insert rows of both. */
function commonColumns(
  { allColumns }: Resource,
  columns: readonly NamedColumn[],
  others: readonly NamedColumn[],
  omitted: MultiRowInserts['omitted'],
): readonly NamedColumn[] | undefined {
  if (columns.length === 0 || others.length === 0) return undefined
  if (equalLists(columns, others)) return columns
  const [all, more] = [new Set(columns), new Set(others)]
  for (const column of others) all.add(column)
  const isLeftOut = (column: NamedColumn): boolean => !more.has(column) || !columns.includes(column)
  for (const column of all) if (isLeftOut(column) && omitted(column) === undefined) return undefined
  return all.size === columns.length
    ? columns
    : [...allColumns.values()].filter((column) => all.has(column))
}
