// Divides long lists of records or keys among statements, so that none has more bound values or a longer condition than the database
// handles well: for embedded rows, and for the look-ups of writes.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { mostKeys } from './rows/keys-condition.ts'

// SQLite allows 32,766 bound values per statement, PostgreSQL and MySQL 65,535. Lists are padded to up to twice their length, hence half.
const valuesPerStatement = 16_384

/** How many items one statement takes that binds `values` values per item. */
const itemsOf = (values: number): number => Math.max(1, Math.floor(valuesPerStatement / values))

/** Splits the items for statements that bind `values` values per item. */
export const chunks = <T>(items: readonly T[], values: number): Generator<readonly T[]> =>
  slices(items, itemsOf(values))

/** Splits the items for statements with a condition that compares a key of these columns for each item. */
export const keyChunks = <T>(
  dialect: InternalDialect,
  items: readonly T[],
  columns: readonly NamedColumn[],
): Generator<readonly T[]> => cappedChunks(items, columns.length, mostKeys(dialect, columns))

/** `chunks` with at most `most` items in each. */
export const cappedChunks = <T>(
  items: readonly T[],
  values: number,
  most: number,
): Generator<readonly T[]> => slices(items, Math.min(itemsOf(values), most))

function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
