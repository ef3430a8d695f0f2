// Relations without foreign keys: relations that the user gives, and relations that are suggested because of column names.

import { toCase } from '../../../lib/naming/case.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { transliterate } from '../../../lib/naming/transliterate.ts'
import { type CatalogueTable, ownName } from '../../shared/catalogue.ts'
import { agree, type Draft, type Link } from './foreign-key-links.ts'

/** A relation that the database does not declare: `columns` of `table` hold the key `references` of the table `to`. */
export interface GivenRelation {
  readonly table: string
  readonly columns: readonly string[]
  readonly to: string
  readonly references: readonly string[]
}

/** Adds the given relations to the tables as foreign keys; throws if a table or a column does not exist. */
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
    const own = given.filter((one) => one.table === table.name)
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

function checkColumns(
  tables: readonly CatalogueTable[],
  name: string,
  columns: readonly string[],
): void {
  const table = tables.find((one) => one.name === name)
  const known = tables.map((one) => one.name)
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
 * table's key (`emp_no`) and the same type, unless the name is a general one such as `name`. Suggests none for columns of foreign
 * keys, and for columns that fit several tables.
 */
export function suggestRelations(
  drafts: readonly Draft[],
  links: readonly Link[],
): readonly GivenRelation[] {
  const parents = drafts.filter(({ table }) => table.primaryKey.length === 1)
  return drafts.flatMap((draft) => {
    if (draft.table.kind !== undefined) return []
    const linked = links.filter(({ child }) => child === draft).flatMap(({ columns }) => columns)
    return [...draft.fields.keys()].flatMap((column) => {
      if (linked.includes(column)) return []
      const fitting = parents.filter((parent) => isSuggested(draft, column, parent))
      const [parent, ...more] = fitting
      if (parent === undefined || more.length > 0) return []
      const { name, primaryKey } = parent.table
      return [{ table: draft.table.name, columns: [column], to: name, references: primaryKey }]
    })
  })
}

function isSuggested(draft: Draft, column: string, parent: Draft): boolean {
  const key = parent.table.primaryKey[0] ?? ''
  const isOwnKey = draft === parent && column === key
  if (isOwnKey || !agree(draft, column, parent, key)) return false
  const words = snake(column)
  const target = toCase(parent.model, 'snake')
  const isNamed = words.endsWith('_id') && [target, ownSnake(parent)].includes(words.slice(0, -3))
  return isNamed || (draft !== parent && !generalNames.has(words) && words === snake(key))
}

/** Names of columns that say nothing about the table to which a column may refer. */
const generalNames: ReadonlySet<string> = new Set(
  'id uuid guid code key name title label slug value type kind status version number position'.split(
    ' ',
  ),
)

const snake = (name: string): string => toCase(transliterate(name), 'snake')

/** Returns the singular name of a table without its first word, which may be a prefix: `post` for `wp_posts`. */
const ownSnake = ({ table, model }: Draft): string => {
  const words = toCase(model, 'snake').split('_')
  return snake(ownName(table)).split('_').length > 1 && words.length > 1
    ? words.slice(1).join('_')
    : words.join('_')
}
