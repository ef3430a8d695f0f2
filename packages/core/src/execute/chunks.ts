// Chunks: how long lists are divided among statements, so that none binds more values than a database takes.

// SQLite takes 32,766 bound values in a statement, PostgreSQL and MySQL 65,535; lists are padded to powers of two.
const valuesPerStatement = 16_384

/** The items in lists whose statements bind `values` values for each. */
export function* chunks<T>(items: readonly T[], values: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(valuesPerStatement / values))
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
