// Gives both sides of a foreign key between `integer` and `bigint`, or between integers and texts of SQLite, the same type. `introspect` calls
// it with the tables of its result, before it declares their columns.

import type { CatalogueColumn, CatalogueForeignKey, CatalogueTable } from '../shared/catalogue.ts'

/** The tables by name; `replace` exchanges one. */
type Tables = Map<string, CatalogueTable>

/**
 * Gives both sides of a foreign key the same type, because in JSON a bigint is a string and an integer a number. The foreign key
 * gets the type of the key that it refers to. But if the foreign key is a bigint that may contain larger numbers, the key becomes a
 * bigint. A key with texts among its integers makes both sides texts.
 */
export function alignKeys(tables: readonly CatalogueTable[]): CatalogueTable[] {
  const aligned: Tables = new Map(tables.map((table) => [table.name, table]))
  // A key may itself be a foreign key, so foreign keys form chains; each round aligns one more link.
  for (let round = 0; round < tables.length && alignOnce(aligned); round++);
  return [...aligned.values()]
}

/** Aligns each foreign key once; returns whether a column has got another type. */
function alignOnce(tables: Tables): boolean {
  let changed = false
  for (const [name, table] of tables) {
    for (const foreignKey of table.foreignKeys) {
      const { columns, references, schema } = foreignKey
      const target = schema === undefined ? spelt(tables.keys(), foreignKey.table) : undefined
      if (target === undefined) continue
      for (const [index, column] of columns.entries()) {
        const own = find(tables.get(name), column)
        const other = find(tables.get(target), references[index] ?? '')
        if (own === undefined || other === undefined || !differ(own, other)) continue
        if (own.isTextKey === true) replace(tables, target, other, own, 'that points to it')
        else if (isWider(own, foreignKey)) {
          // Marks the key, so that a later round does not turn it back into an integer.
          const wide = { ...own, fitsNumber: false }
          replace(tables, target, other, wide, 'that points to it')
        } else replace(tables, name, own, other, 'it points to')
        changed = true
      }
    }
  }
  return changed
}

/** Returns a column, whatever letter case a foreign key writes it in. */
function find(table: CatalogueTable | undefined, name: string): CatalogueColumn | undefined {
  const spelling = spelt(table?.columns.map((column) => column.name) ?? [], name)
  return table?.columns.find((column) => column.name === spelling)
}

/**
 * Returns a name in the spelling of the table. A database that ignores the case of names may spell it differently in the foreign
 * key. An exact match takes precedence, for databases that distinguish names by case.
 */
function spelt(names: Iterable<string>, name: string): string {
  const all = [...names]
  if (all.includes(name)) return name
  return all.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name
}

/** Whether the types of both sides differ in a way that aligning can mend. */
function differ(a: CatalogueColumn, b: CatalogueColumn): boolean {
  const types = [a.shape?.type, b.shape?.type]
  // A row id holds no texts.
  if (a.isTextKey !== b.isTextKey && !a.generated && !b.generated) {
    return types.includes('integer') || types.includes('bigint')
  }
  return types.includes('integer') && types.includes('bigint')
}

/**
 * Whether a foreign key may contain numbers beyond JSON's safe integers. A foreign key that the database enforces contains only
 * values of its integer key.
 */
function isWider(
  { shape, fitsNumber }: CatalogueColumn,
  { unchecked }: CatalogueForeignKey,
): boolean {
  if (shape?.type !== 'bigint') return false
  return fitsNumber === undefined ? unchecked === true : !fitsNumber
}

/** Gives a column the type of another one. `which` completes the note: "served as … like the key `which`". */
function replace(
  tables: Tables,
  name: string,
  old: CatalogueColumn,
  { shape, fitsNumber, isTextKey }: CatalogueColumn,
  which: string,
): void {
  const table = tables.get(name)
  if (table === undefined) return
  const note = `${old.databaseType}, served as ${shape?.type} like the key ${which}`
  const column = { ...old, shape, note, fitsNumber, isTextKey }
  const columns = table.columns.map((other) => (other === old ? column : other))
  tables.set(name, { ...table, columns })
}
