// Links: foreign keys between tables that become models, with pairs of columns in the order of the target's key (resolveLinks).
// `relations.ts` makes a relation on both sides of each link; the other files of this folder compare columns by typesAgree and sameSet.

import type { ColumnType } from '../../../model/column.ts'
import { columnTypes } from '../../../model/column-types.ts'
import { canBeKey } from '../../../model/type-rules.ts'
import type { CatalogueForeignKey, CatalogueTable } from '../../shared/catalogue.ts'
import type { DeleteRule } from '../../shared/delete-rule.ts'
import type { ReadColumns } from '../columns.ts'

/** A table that becomes a model, before its relations are known. */
export interface ModelDraft extends ReadColumns {
  readonly table: CatalogueTable
  /** The name of the model. */
  readonly model: string
}

/** A foreign key between two tables that become models; all names are those of the database. */
export interface Link {
  readonly child: ModelDraft
  readonly parent: ModelDraft
  readonly columns: readonly string[]
  /** Columns of the parent, each paired with the same position in `columns`, in the order of the parent's columns. */
  readonly references: readonly string[]
  /** Whether `references` is the parent's primary key. */
  readonly toKey: boolean
  /** Whether at most one row of the child can refer to each row of the parent. */
  readonly unique: boolean
  /** Undefined as in `CatalogueForeignKey`. */
  readonly onDelete: DeleteRule | undefined
}

/** The foreign keys that relations can use, and notes about the others. */
export interface Links {
  readonly links: readonly Link[]
  /** Table name and sentence for each foreign key that could not be used. */
  readonly notes: readonly (readonly [string, string])[]
}

/** Makes a link of each foreign key that a relation can use. */
export function resolveLinks(drafts: readonly ModelDraft[]): Links {
  const links: Link[] = []
  const notes: [string, string][] = []
  for (const child of drafts) {
    const seen = new Set<string>()
    for (const foreignKey of inColumnOrder(child.table)) {
      const link = resolve(child, foreignKey, drafts)
      if (typeof link === 'string') {
        const columns = foreignKey.columns.join(', ')
        notes.push([child.table.name, `no relation for the foreign key (${columns}): ${link}`])
        continue
      }
      // Some databases allow the same foreign key twice.
      const same = JSON.stringify([link.parent.table.name, link.columns, link.references])
      if (!seen.has(same)) links.push(link)
      seen.add(same)
    }
  }
  return { links, notes }
}

/** Sorts foreign keys by the positions of their columns in the table, because databases list them in different orders. */
function inColumnOrder(table: CatalogueTable): CatalogueForeignKey[] {
  const names = table.columns.map((column) => column.name.toLowerCase())
  const place = (key: CatalogueForeignKey): number =>
    Math.min(...key.columns.map((name) => names.indexOf(name.toLowerCase())))
  return [...table.foreignKeys].sort((a, b) => place(a) - place(b))
}

/**
 * Finds an item by its name: exactly or ignoring case, because a database that ignores case may spell names differently in a
 * foreign key.
 */
function find<T>(items: readonly T[], name: string, nameOf: (item: T) => string): T | undefined {
  return (
    items.find((item) => nameOf(item) === name) ??
    items.find((item) => nameOf(item).toLowerCase() === name.toLowerCase())
  )
}

/** Returns the link, or a sentence why a relation cannot use the foreign key. */
function resolve(
  child: ModelDraft,
  foreignKey: CatalogueForeignKey,
  drafts: readonly ModelDraft[],
): Link | string {
  if (foreignKey.schema !== undefined) {
    return `"${foreignKey.schema}.${foreignKey.table}" lies in another schema`
  }
  const parent = find(drafts, foreignKey.table, (draft) => draft.table.name)
  if (parent === undefined) return `"${foreignKey.table}" is not published`

  const pairs: [string, string][] = []
  for (const [index, name] of foreignKey.columns.entries()) {
    const column = find([...child.fields.keys()], name, (text) => text)
    const target = find([...parent.fields.keys()], foreignKey.references[index] ?? '', (t) => t)
    if (column === undefined || target === undefined) return 'one of its columns is left out'
    pairs.push([column, target])
  }
  if (pairs.some(([column]) => !canBeKey({ type: typeOf(child, column) }))) {
    return 'values of its type cannot be keys'
  }
  if (
    pairs.some(
      ([own, other]) => responsesLoseDigits(child, own) || responsesLoseDigits(parent, other),
    )
  ) {
    return 'its values have more digits than responses show'
  }
  const mismatch = pairs.find(([column, target]) => !typesAgree(child, column, parent, target))
  if (mismatch !== undefined) return `${mismatch.join(' and ')} are of different types`
  const references = pairs.map(([, target]) => target)
  const toKey = sameSet(references, parent.table.primaryKey)
  if (!toKey && !holdsKey(references, parent.table)) {
    return `(${references.join(', ')}) is no unique key of "${parent.table.name}"`
  }
  // A model's key has the order of its columns, whatever order the constraint has.
  const order = [...parent.fields.keys()]
  pairs.sort(([, a], [, b]) => order.indexOf(a) - order.indexOf(b))
  const columns = pairs.map(([column]) => column)
  return {
    child,
    parent,
    columns,
    references: pairs.map(([, target]) => target),
    toKey,
    unique: holdsKey(columns, child.table),
    onDelete: foreignKey.onDelete,
  }
}

/** Whether values of the two columns can be equal in JSON: they have the same type, or both hold any text. */
export function typesAgree(
  child: ModelDraft,
  column: string,
  parent: ModelDraft,
  target: string,
): boolean {
  const [a, b] = [typeOf(child, column), typeOf(parent, target)]
  return a === b || (isText(a) && isText(b))
}

const typeOf = (draft: ModelDraft, column: string): ColumnType =>
  draft.columns[draft.fields.get(column) ?? '']?.type ?? 'opaque'

const responsesLoseDigits = ({ table }: ModelDraft, column: string): boolean =>
  table.columns.some(
    ({ name, responsesLoseDigits }) => name === column && responsesLoseDigits === true,
  )

const isText = (type: ColumnType): boolean => columnTypes[type].text === 'any'

/** Whether both lists have the same names, in any order. */
export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name))
}

/** Whether no two rows have the same values in `columns`. */
function holdsKey(columns: readonly string[], table: CatalogueTable): boolean {
  return [table.primaryKey, ...table.uniqueKeys].some(
    (key) => key.length > 0 && key.every((name) => columns.includes(name)),
  )
}
