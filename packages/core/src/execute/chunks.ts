// Divides long lists among statements, so that none has more bound values or a longer condition than the database handles well.

// SQLite allows 32,766 bound values per statement, PostgreSQL and MySQL 65,535. Lists are padded to powers of two, hence half.
const valuesPerStatement = 16_384

// If keys of several columns share no values, a condition compares each by itself: `(a = 1 and b = 2) or (a = 2 and b = 3)`. Databases
// take more than twice as long for a condition that is twice as long.
const compositeKeysPerStatement = 500

/** Splits the items for statements that bind `values` values per item. */
export const chunks = <T>(items: readonly T[], values: number): Generator<readonly T[]> =>
  slices(items, Math.max(1, Math.floor(valuesPerStatement / values)))

/** Splits the items for statements with a condition that compares a key of `columns` columns for each item. */
export function keyChunks<T>(items: readonly T[], columns: number): Generator<readonly T[]> {
  if (columns === 1) return chunks(items, 1)
  const most = Math.floor(valuesPerStatement / columns)
  return slices(items, Math.min(compositeKeysPerStatement, most))
}

function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
