// The columns that a model declares for `search`, and their full-text index: checked and resolved when the registry is built.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { columnTypes, namesOfTypes } from '../column-types.ts'
import type { AnyModel, IndexedSearch } from '../define-model.ts'
import { text } from '../settings/setting-checks.ts'
import type { Problems } from '../settings/setting-problems.ts'
import { isWriteOnly } from './checks/field-rules.ts'
import type { Resource } from './resource.ts'

/** Whether the declaration names an index: `{ columns, index }`. */
const isIndexed = (search: AnyModel['search']): search is IndexedSearch =>
  typeof search === 'object' && !Array.isArray(search)

/** Returns the declared columns; none if the declaration is malformed, which `checkSearch` reports. */
function declaredColumns({ search }: AnyModel): readonly string[] {
  const columns: unknown = isIndexed(search) ? search.columns : search
  return Array.isArray(columns) ? columns : []
}

/** Resolves the search of a model; `checkSearch` reports unknown and hidden columns. */
export function searchOf({
  model,
  schema,
  allColumns,
  primaryKey,
}: Pick<Resource, 'model' | 'schema' | 'allColumns' | 'primaryKey'>): Pick<
  Resource,
  'search' | 'searchIndex'
> {
  const search = declaredColumns(model)
    .flatMap((name) => allColumns.get(name) ?? [])
    .filter(({ hidden }) => !hidden)
  if (!isIndexed(model.search)) return { search }
  const { index, language = 'simple' } = model.search
  const { table } = model
  const own = schema === undefined ? {} : { schema }
  return {
    search,
    searchIndex: { ...own, table, index, language, columns: search, key: primaryKey },
  }
}

/**
 * Reports searched columns that are not visible text columns or are named twice, an index without a name, and an index on a model
 * without a primary key.
 */
export function checkSearch(
  { model, allColumns, primaryKey }: Resource,
  at: string,
  problems: Problems,
): void {
  if (model.search === undefined) return
  const columns = declaredColumns(model)
  const indexed = isIndexed(model.search)
  const place = indexed ? `${at}.search.columns` : `${at}.search`
  if (columns.length === 0 || new Set(columns).size < columns.length) {
    problems.add(place, 'expected different columns, such as ["title", "description"].')
  }
  for (const [i, name] of columns.entries()) {
    const wrong = problemOfColumn(allColumns, name, indexed)
    if (wrong !== undefined) problems.add(`${place}[${i}]`, wrong)
  }
  if (!isIndexed(model.search)) return
  const { index, language } = model.search
  const wrong = text(index)
  if (wrong !== undefined) problems.add(`${at}.search.index`, wrong)
  const badLanguage = language === undefined ? undefined : text(language)
  if (badLanguage !== undefined) problems.add(`${at}.search.language`, badLanguage)
  for (const option of Object.keys(model.search)) {
    const known = ['columns', 'index', 'language']
    if (known.includes(option)) continue
    problems.add(`${at}.search.${option}`, `unknown option.${didYouMean(option, known)}`)
  }
  if (primaryKey.length === 0) {
    problems.add(
      `${at}.search.index`,
      'a model without a primary key has no records that an index could find; declare columns alone.',
    )
  }
}

/** Returns why `search` cannot look in a column. `indexed`: the model declares an index. */
function problemOfColumn(
  all: Resource['allColumns'],
  name: string,
  indexed: boolean,
): string | undefined {
  const column = all.get(name)
  if (column === undefined) return `no column named "${name}".${didYouMean(name, all.keys())}`
  const { type, hidden, computed } = column
  if (columnTypes[type].text === false) {
    return `"${name}" is of type ${type}; search looks in ${namesOfTypes(({ text }) => text !== false)}.`
  }
  if (hidden)
    return `"${name}" is ${isWriteOnly(column) ? 'write-only' : 'hidden'}, and a search would tell what it holds; leave it out.`
  return indexed && computed !== undefined
    ? `"${name}" is computed, so that no index covers it; leave it or the index out.`
    : undefined
}
