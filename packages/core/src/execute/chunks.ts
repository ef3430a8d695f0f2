// chunks: divides long lists among statements, so that none has more bound values than the database allows.

// SQLite allows 32,766 bound values per statement, PostgreSQL and MySQL 65,535. Lists are padded to powers of two, hence half.
const valuesPerStatement = 16_384

/** Splits the items for statements that bind `values` values per item. */
export function* chunks<T>(items: readonly T[], values: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(valuesPerStatement / values))
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
