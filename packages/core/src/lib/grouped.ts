// grouped: groups rows by a key, as `Map.groupBy` does, which Node 20 does not have.

/** Groups rows by a key, in the order in which they come. */
export function grouped<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}
