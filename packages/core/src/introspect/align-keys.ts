// Foreign keys from `integer` to `bigint`: the referring column gets the type of the key it points to.

import type { CatalogueColumn, CatalogueTable } from '../dialect/shared/catalogue.ts'

type Tables = Map<string, CatalogueTable>

/** A relation needs the same JSON form on both sides, and JSON writes a bigint as a string. */
export function alignKeys(tables: readonly CatalogueTable[]): CatalogueTable[] {
  const aligned: Tables = new Map(tables.map((table) => [table.name, table]))
  // A key may itself be a foreign key; each round aligns one more link of such a chain.
  for (let round = 0; round < tables.length && alignOnce(aligned); round++);
  return [...aligned.values()]
}

function alignOnce(tables: Tables): boolean {
  let changed = false
  for (const [name, table] of tables) {
    for (const { columns, references, schema, table: target } of table.foreignKeys) {
      const parent = schema === undefined ? tables.get(spelt(tables.keys(), target)) : undefined
      if (parent === undefined) continue
      for (const [index, column] of columns.entries()) {
        const own = find(tables.get(name), column)
        const other = find(parent, references[index] ?? '')
        if (own === undefined || other === undefined || !differ(own, other)) continue
        tables.set(name, replaced(tables.get(name) ?? table, own, other))
        changed = true
      }
    }
  }
  return changed
}

function find(table: CatalogueTable | undefined, name: string): CatalogueColumn | undefined {
  const spelling = spelt(table?.columns.map((column) => column.name) ?? [], name)
  return table?.columns.find((column) => column.name === spelling)
}

/** A database that ignores the case of names may spell them differently in the foreign key; in others, case tells names apart. */
function spelt(names: Iterable<string>, name: string): string {
  const all = [...names]
  if (all.includes(name)) return name
  return all.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name
}

function differ(a: CatalogueColumn, b: CatalogueColumn): boolean {
  const types = [a.shape?.type, b.shape?.type]
  return types.includes('integer') && types.includes('bigint')
}

function replaced(
  table: CatalogueTable,
  own: CatalogueColumn,
  other: CatalogueColumn,
): CatalogueTable {
  const { shape } = other
  const note = `${own.declared}, served as ${shape?.type} like the key it points to`
  const columns = table.columns.map((column) =>
    column === own ? { ...column, shape, note } : column,
  )
  return { ...table, columns }
}
