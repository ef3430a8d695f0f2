// unindexedKeys: the columns without an index by which the database looks for rows: foreign keys through which models or clients aggregate
// related records, and columns of rules by which no two records overlap. Without an index, the database reads all rows of the table for
// each record, which is slow but no difference between models and tables: `comparison.ts` makes a warning of them (adviceOf).

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type TableName, tableKey } from '../../lib/sql/table-name.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import type { TableIndex } from '../shared/table-index.ts'
import type { ComparedModel } from './compare-schema.ts'
import {
  type DatabaseSchema,
  findColumn,
  findTable,
  isView,
  type SchemaTable,
  sameColumnName,
  sameTable,
} from './database-schema.ts'

/** Columns by which the database finds rows. */
interface SearchedKey {
  /** The name of the model that has the relation or the rule. */
  readonly model: string
  /** The relation of an aggregate; undefined for a rule of the model. */
  readonly relation: string | undefined
  /** The table of `columns`: that of the related records, or the junction. */
  readonly holder: TableName
  readonly columns: readonly string[]
}

/** A relation that an aggregate follows, and the resource at its beginning. */
interface FollowedRelation {
  readonly from: Resource
  readonly relation: ResolvedRelation
}

/** Returns the keys without an index; `adviceOf` makes a warning of them. */
export async function unindexedKeys(
  db: AnyDatabase,
  { indexes }: SchemaRules,
  models: readonly ComparedModel[],
  schema: DatabaseSchema,
): Promise<readonly SearchedKey[]> {
  const keys = new Map<string, SearchedKey & { readonly table: SchemaTable }>()
  for (const key of models.flatMap(searchedKeys)) {
    const table = findTable(schema, key.holder)
    if (table === undefined || isView(table)) continue
    if (key.columns.some((name) => findColumn(schema, table, name) === undefined)) continue
    const id = JSON.stringify([tableKey(key.holder), key.columns])
    if (!keys.has(id)) keys.set(id, { ...key, table })
  }
  const found = new Map<string | undefined, readonly TableIndex[]>()
  for (const place of new Set([...keys.values()].map(({ holder }) => holder.schema))) {
    const tables = [...keys.values()].filter(({ holder }) => holder.schema === place)
    const names = [...new Set(tables.map(({ table }) => table.name))]
    found.set(place, await indexes(db, place, names))
  }
  return [...keys.values()].filter(({ holder, columns, table }) => {
    const own = (found.get(holder.schema) ?? []).filter((index) =>
      sameTable(schema, index.table, table.name),
    )
    const all = [table.primaryKey, ...table.uniqueKeys, ...own.map((index) => index.columns)]
    return !all.some((index) => beginsWith(schema, index, columns))
  })
}

/** Whether the columns are the first of the index, in any order. */
const beginsWith = (
  schema: DatabaseSchema,
  index: readonly string[],
  columns: readonly string[],
): boolean => {
  const first = index.slice(0, columns.length)
  return columns.every((column) => first.some((name) => sameColumnName(schema, name, column)))
}

const searchedKeys = (model: ComparedModel): readonly SearchedKey[] => [
  ...aggregatedKeys(model),
  ...excludedKeys(model),
]

/** The columns that must be equal in each rule; for a rule that has none, the column with the end of the period. */
function excludedKeys({ resource }: ComparedModel): readonly SearchedKey[] {
  return resource.exclusions.map(({ equal, end }) => {
    const columns = (equal.length === 0 ? [end] : equal).map(({ dbName }) => dbName)
    return { model: resource.name, relation: undefined, holder: resource, columns }
  })
}

/** The foreign keys that aggregates follow: those of clients, and those that the model declares. */
function aggregatedKeys({ resource, methods }: ComparedModel): readonly SearchedKey[] {
  if (!methods.has('GET')) return []
  // The relations whose aggregates clients may request, before those that the model's own aggregates follow.
  const asked = resource.settings.allowAggregation ? [...resource.relations.values()] : []
  const followed = [
    ...asked
      .filter(({ target }) => target.settings.allowAggregation)
      .map((relation) => ({ from: resource, relation })),
    ...Object.values(resource.model.aggregates).flatMap(({ of }) => relationsAlong(resource, of)),
  ]
  return followed.flatMap(({ from, relation }) => {
    const key = keyOf(relation)
    return key === undefined ? [] : { model: from.name, relation: relation.name, ...key }
  })
}

/** Returns the relations at the beginning of a path such as `floors.rooms.area`. */
function relationsAlong(from: Resource, path: string): readonly FollowedRelation[] {
  const [name = '', ...rest] = path.split('.')
  const relation = from.relations.get(name)
  if (relation === undefined) return []
  return [{ from, relation }, ...relationsAlong(relation.target, rest.join('.'))]
}

/** Returns the columns by which the related rows of a record are found; undefined if there is at most one such row. */
function keyOf({
  kind,
  target,
  to,
  through,
}: ResolvedRelation): Pick<SearchedKey, 'holder' | 'columns'> | undefined {
  if (through !== undefined) {
    return { holder: through, columns: through.from.map(({ dbName }) => dbName) }
  }
  if (kind !== 'hasMany') return undefined
  return { holder: target, columns: to.map(({ dbName }) => dbName) }
}

/** Returns the text of a warning, with a statement CREATE INDEX for each key. */
export function adviceOf(keys: readonly SearchedKey[]): string {
  const lines = (some: readonly SearchedKey[]): string =>
    some
      .map(({ model, relation = 'exclude', holder: { table }, columns }) => {
        const list = columns.join(', ')
        const index = [table, ...columns].join('_')
        return `\n- ${model}.${relation}: no index of ${table} begins with (${list}). Add one: create index ${index} on ${table} (${list}).`
      })
      .join('')
  const aggregated = keys.filter(({ relation }) => relation !== undefined)
  const excluded = keys.filter(({ relation }) => relation === undefined)
  const setting = settingNames.schemaCheck
  return [
    ...(aggregated.length === 0
      ? []
      : [`Aggregates of related records read whole tables (${setting}):${lines(aggregated)}`]),
    ...(excluded.length === 0
      ? []
      : [`Writes look for records that overlap in whole tables (${setting}):${lines(excluded)}`]),
  ].join('\n')
}
