// Relations without foreign keys: those of the option `relations` of `introspect`, and `suggestions` in its result, by names of columns.

import { toCase } from '../../../lib/naming/case.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { transliterate } from '../../../lib/naming/transliterate.ts'
import { type CatalogueTable, isKeyedByRowId, ownName } from '../../shared/catalogue.ts'
import { type Link, type ModelDraft, typesAgree } from './foreign-key-links.ts'

/** A relation that the database does not declare: `columns` of `table` hold the key `references` of the table `to`. */
export interface GivenRelation {
  readonly table: string
  readonly columns: readonly string[]
  readonly to: string
  readonly references: readonly string[]
}

/** Adds the relations of the option to the tables as foreign keys that the database does not enforce; throws if a table or a column does not exist. */
export function withRelations(
  tables: readonly CatalogueTable[],
  given: readonly GivenRelation[],
): readonly CatalogueTable[] {
  for (const { table, columns, to, references } of given) {
    if (columns.length !== references.length || columns.length === 0) {
      throw new Error(
        `relations: ${table} (${columns.join(', ')}) and ${to} (${references.join(', ')}) differ in length.`,
      )
    }
    checkColumns(tables, table, columns)
    checkColumns(tables, to, references)
  }
  return tables.map((table) => {
    const own = given.filter((relation) => relation.table === table.name)
    if (own.length === 0) return table
    const foreignKeys = own.map(({ columns, to, references }) => ({
      columns,
      table: to,
      references,
      unchecked: true,
    }))
    return { ...table, foreignKeys: [...table.foreignKeys, ...foreignKeys] }
  })
}

/** Throws if the table `name` or one of its columns does not exist. */
function checkColumns(
  tables: readonly CatalogueTable[],
  name: string,
  columns: readonly string[],
): void {
  const table = tables.find((other) => other.name === name)
  const known = tables.map((other) => other.name)
  if (table === undefined) {
    throw new Error(`relations: there is no table "${name}".${didYouMean(name, known)}`)
  }
  const names = table.columns.map((column) => column.name)
  const unknown = columns.find((column) => !names.includes(column))
  if (unknown !== undefined) {
    throw new Error(`relations: ${name} has no column "${unknown}".${didYouMean(unknown, names)}`)
  }
}

/**
 * Suggests relations by names: for a column `customer_id` if there is a table `customers`, or for a column with the name of another
 * table's key (`emp_no`) and the same type, unless the name is a general one such as `name`. The table `posts` takes precedence over
 * `wp_posts` for a column `post_id`, and both over a table whose key has the name of the column. Suggests none for columns of foreign
 * keys, for columns that fit several tables, and for pairs such as `post_id` and `post_type`, of which the second names the table. A key
 * that is itself a foreign key is no target: the column refers to where it leads. Views and foreign tables get no suggestions, and row ids
 * neither refer nor are targets.
 */
export function suggestRelations(
  drafts: readonly ModelDraft[],
  links: readonly Link[],
): readonly GivenRelation[] {
  const isLinked = (draft: ModelDraft, column: string): boolean =>
    links.some(({ child, columns }) => child === draft && columns.includes(column))
  const parents = drafts.filter((draft) => {
    const { primaryKey } = draft.table
    // A row id numbers the row: no foreign key can refer to it, and below, it refers to nothing.
    const isOwn = primaryKey.length === 1 && !isKeyedByRowId(draft.table)
    return isOwn && !isLinked(draft, primaryKey[0] ?? '')
  })
  return drafts.flatMap((draft) => {
    // A view or foreign table only shows the rows of other tables.
    if (draft.table.kind !== undefined) return []
    return [...draft.fields.keys()].flatMap((column) => {
      if (isLinked(draft, column) || isPolymorphic(draft, column)) return []
      if (isKeyedByRowId(draft.table) && draft.table.primaryKey.includes(column)) return []
      const fits = parents.map((parent) => ({ parent, rank: rankOf(draft, column, parent) }))
      const best = Math.max(...fits.map(({ rank }) => rank))
      const fitting = fits.filter(({ rank }) => rank > 0 && rank === best)
      const [parent, ...more] = fitting.map((fit) => fit.parent)
      if (parent === undefined || more.length > 0) return []
      const { name, primaryKey } = parent.table
      return [{ table: draft.table.name, columns: [column], to: name, references: primaryKey }]
    })
  })
}

/** How well a table fits a column: 3 has its whole name, 2 its name without a prefix, 1 that of its key, 0 does not fit. */
function rankOf(draft: ModelDraft, column: string, parent: ModelDraft): 0 | 1 | 2 | 3 {
  const key = parent.table.primaryKey[0] ?? ''
  const isOwnKey = draft === parent && column === key
  if (isOwnKey || !typesAgree(draft, column, parent, key)) return 0
  const words = snake(column)
  if (words === `${toCase(parent.model, 'snake')}_id`) return 3
  if (words === `${ownSnake(parent)}_id`) return 2
  return draft !== parent && !generalNames.has(words) && words === snake(key) ? 1 : 0
}

/** Whether another column names the table to which each row refers, as `item_type` does for `item_id`. */
function isPolymorphic(draft: ModelDraft, column: string): boolean {
  const words = snake(column)
  if (!words.endsWith('_id')) return false
  const type = `${words.slice(0, -3)}_type`
  return [...draft.fields.keys()].some((other) => snake(other) === type)
}

/** Names of columns that say nothing about the table to which a column may refer. */
const generalNames: ReadonlySet<string> = new Set(
  'id uuid guid code key name title label slug value type kind status version number position'.split(
    ' ',
  ),
)

const snake = (name: string): string => toCase(transliterate(name), 'snake')

/** Returns the singular name of a table without its first word, which may be a prefix: `post` for `wp_posts`. */
const ownSnake = ({ table, model }: ModelDraft): string => {
  const words = toCase(model, 'snake').split('_')
  return snake(ownName(table)).split('_').length > 1 && words.length > 1
    ? words.slice(1).join('_')
    : words.join('_')
}
