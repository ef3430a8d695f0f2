// Paths into json columns: with `address: { type: 'json', json: { 'city.name': 'text' } }`, queries can name `address.city.name` like a
// column. Makes the column objects that stand for paths, lists all columns that a query can name (`queryColumns`), and checks the declarations.

import { didYouMean } from '../../lib/naming/suggest.ts'
import type { JsonPathType } from '../column.ts'
import type { Problems } from '../settings/setting-problems.ts'
import { badFieldName } from './field-name.ts'
import { relationsMatching } from './relations/relation-token.ts'
import type { NamedColumn, PathColumn, Resource } from './resource.ts'

// A Record, so that a missing type is a compile error.
const pathTypes: Readonly<Record<JsonPathType, true>> = {
  text: true,
  integer: true,
  float: true,
  boolean: true,
}

const isPathType = (type: unknown): type is JsonPathType =>
  typeof type === 'string' && Object.hasOwn(pathTypes, type)

/** Adds the declared paths to a json column; `checkJsonPaths` reports invalid ones. */
export function withPaths(column: NamedColumn): NamedColumn {
  const declared = Object.entries(column.definition.json ?? {})
  if (column.type !== 'json' || declared.length === 0) return column
  const paths = new Map<string, PathColumn>()
  const named: NamedColumn = { ...column, paths }
  for (const [text, type] of declared) {
    if (isPathType(type) && badPath(text) === undefined)
      paths.set(text, pathColumn(named, text, type))
  }
  return named
}

/** Makes the column that stands for a path: read-only and nullable, because a document may lack the member. */
const pathColumn = (of: NamedColumn, text: string, type: JsonPathType): PathColumn => ({
  name: `${of.name}.${text}`,
  dbName: of.dbName,
  type,
  nullable: true,
  hidden: false,
  comparable: true,
  path: { of, path: { keys: text.split('.'), type } },
  definition: { type, nullable: true, readOnly: true },
})

/** Returns the columns that queries can name: the visible ones, each followed by its paths, then the declared aggregates. */
export const queryColumns = ({
  columns,
  aggregates,
}: Pick<Resource, 'columns' | 'aggregates'>): readonly NamedColumn[] => [
  ...[...columns.values()].flatMap((column) => [column, ...(column.paths?.values() ?? [])]),
  ...aggregates.values(),
]

/** Reports declared paths that no query could name, types that paths cannot have, and a database without support for paths. */
export function checkJsonPaths(
  { definition, hidden, type }: NamedColumn,
  dialect: { readonly name?: string; readonly jsonValue?: unknown } | undefined,
  at: string,
  problems: Problems,
): void {
  const { json } = definition
  // `checkColumn` reports values that are not objects, and columns of other types.
  if (typeof json !== 'object' || json === null || type !== 'json') return
  if (hidden) problems.add(`${at}.json`, 'the column is hidden, so that nobody can use its paths.')
  if (dialect !== undefined && dialect.jsonValue === undefined) {
    const database = dialect.name ?? 'this database'
    problems.add(`${at}.json`, `${database} has no paths into json columns; leave json out.`)
  }
  for (const [path, pathType] of Object.entries(json)) {
    const wrong = badPath(path) ?? badPathType(pathType)
    if (wrong !== undefined) problems.add(`${at}.json["${path}"]`, wrong)
  }
}

function badPathType(type: unknown): string | undefined {
  if (isPathType(type)) return undefined
  const known = Object.keys(pathTypes)
  const near = typeof type === 'string' ? (otherNames.get(type) ?? type) : ''
  return `expected one of ${known.join(', ')}.${didYouMean(near, known)}`
}

/** Names that other systems give the types, for "Did you mean …?". */
const otherNames: ReadonlyMap<string, JsonPathType> = new Map([
  ['string', 'text'],
  ['bigint', 'integer'],
  ['int', 'integer'],
  ['number', 'float'],
  ['double', 'float'],
  ['decimal', 'float'],
  ['bool', 'boolean'],
])

/** Returns the problem with a path, or undefined. */
function badPath(text: string): string | undefined {
  const keys = text.split('.')
  const last = keys.at(-1) ?? ''
  if (keys.includes('')) {
    return 'a path is the names of members joined by single dots, such as address.city.'
  }
  if (!keys.every((key) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key))) {
    return 'the names in a path have letters, digits, _ and -, and do not begin with a digit.'
  }
  // The parser looks for an operator, `nullsfirst` and `nullslast` only in the last name of a path.
  return keys.includes('__proto__')
    ? badFieldName('__proto__')
    : badFieldName(last.replaceAll('-', '_'))
}

/** Reports a json column with paths whose name also names a relation: `author.name` would have two meanings. */
export function checkPathNames(resource: Resource, problems: Problems): void {
  for (const { name, paths } of resource.allColumns.values()) {
    if (paths === undefined) continue
    const byToken = relationsMatching(resource, name)
    const byTable = [...resource.relations.values()].filter(({ target }) => target.table === name)
    const [relation] = [...byToken, ...byTable]
    if (relation === undefined) continue
    problems.add(
      `models.${resource.name}.columns.${name}.json`,
      `"${name}." also leads along the relation "${relation.name}" to ${relation.target.name}. Give the field another name, and its own to the database: ${name}_data: { type: 'json', column: '${name}', … }.`,
    )
  }
}
