// Compares the relations of models with the foreign keys, unique keys and junction tables that the relations rely on.

import { nearest } from '../../lib/naming/suggest.ts'
import { type TableName, tableKey } from '../../lib/sql/table-name.ts'
import type { ForeignKeyColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { CatalogueForeignKey, CatalogueTable } from '../shared/catalogue.ts'
import {
  type DatabaseSchema,
  findColumn,
  findTable,
  isUnique,
  isView,
  namesBeside,
  partialKeysOf,
  sameColumnName,
  sameTable,
} from './database-schema.ts'
import type { Difference } from './difference.ts'

/** A foreign key that a relation needs. All names of columns are those of the database. */
interface NeededKey {
  /** The table of `columns`: that of the child, or the junction. */
  readonly holder: TableName
  readonly columns: readonly string[]
  readonly referenced: TableName
  readonly references: readonly string[]
}

/**
 * Yields the differences of all relations. Both sides of a relation, such as `book.author` and `author.books`, need the same foreign
 * key; it is reported once, for the first of them.
 */
export function* compareForeignKeys(
  resources: readonly Resource[],
  schema: DatabaseSchema,
): Generator<Difference> {
  const seen = new Set<string>()
  // `roles` is the relation from users to their roles, which need not be published.
  const relations = resources.flatMap(({ relations: own, roles }) => [
    ...own.values(),
    ...(roles === undefined || own.has(roles.name) ? [] : [roles]),
  ])
  // The side that holds the key comes first, so that the report names it.
  const holdsKey = ({ kind }: ResolvedRelation): boolean => kind === 'belongsTo'
  for (const relation of [
    ...relations.filter(holdsKey),
    ...relations.filter((other) => !holdsKey(other)),
  ]) {
    if (!isComparable(relation, schema)) continue
    yield* missingInJunction(relation, schema)
    yield* uniqueOf(relation, schema)
    yield* repeatedPairs(relation, schema)
    for (const key of isOnlyRead(relation) ? [] : keysOf(relation)) {
      const { holder, columns, referenced, references } = key
      const names = [tableKey(holder), columns, tableKey(referenced), references]
      const text = JSON.stringify(names)
      if (seen.has(text)) continue
      seen.add(text)
      yield* compareKey(relation, key, schema)
    }
  }
}

/** Whether both tables exist and are not views. Missing tables are reported with their models. */
const isComparable = ({ source, target }: ResolvedRelation, schema: DatabaseSchema): boolean =>
  [source, target].every((resource) => {
    const found = findTable(schema, resource)
    return found !== undefined && !isView(found)
  })

/** Whether nothing writes the foreign key, because its model is read-only. Its table may be a view, which has no foreign keys. */
const isOnlyRead = ({ kind, source, target, through }: ResolvedRelation): boolean => {
  if (kind === 'manyToMany') return through?.resource?.model.readOnly === true
  return (kind === 'belongsTo' ? source : target).model.readOnly === true
}

const placeOf = ({ source, name }: ResolvedRelation) => ({
  model: source.name,
  table: source.table,
  relation: name,
})

const namesOf = (columns: ResolvedRelation['from']): readonly string[] =>
  columns.map(({ dbName }) => dbName)

/** Returns the foreign keys that a relation relies on: two of the junction of a many-to-many relation, otherwise one. */
function keysOf(relation: ResolvedRelation): readonly NeededKey[] {
  const { kind, source, target, from, to, through } = relation
  if (through !== undefined) {
    return [linkKey(through, through.from, source), linkKey(through, through.to, target)]
  }
  return kind === 'belongsTo'
    ? [reference(source, from, target, to)]
    : [reference(target, to, source, from)]
}

/** The foreign key of a junction: `key` pairs each column of the junction (`dbName`) with the column of a model that it refers to. */
const linkKey = (
  holder: TableName,
  key: readonly ForeignKeyColumn[],
  referenced: Resource,
): NeededKey => ({
  holder,
  columns: key.map(({ dbName }) => dbName),
  referenced,
  references: key.map(({ column }) => column.dbName),
})

const reference = (
  holder: Resource,
  columns: ResolvedRelation['from'],
  referenced: Resource,
  references: ResolvedRelation['from'],
): NeededKey => ({
  holder,
  columns: namesOf(columns),
  referenced,
  references: namesOf(references),
})

/** Reports a junction table, or columns of it, that the database lacks. A junction that is a published model is compared with its model. */
function* missingInJunction(
  relation: ResolvedRelation,
  schema: DatabaseSchema,
): Generator<Difference> {
  const { through, source, name: field } = relation
  if (through === undefined || through.resource !== undefined) return
  const place = { model: source.name, table: through.table }
  const table = findTable(schema, through)
  if (table === undefined) {
    const similar = nearest(through.table, namesBeside(schema, through))
    yield { kind: 'missing table', ...place, relation: field, similar }
    return
  }
  const names = table.columns.map((column) => column.name)
  for (const option of ['from', 'to'] as const) {
    for (const { dbName: name } of through[option]) {
      if (findColumn(schema, table, name) !== undefined) continue
      yield { kind: 'missing column', ...place, field, option, name, similar: nearest(name, names) }
    }
  }
}

/** Reports columns that are not unique although the relation expects at most one row for each value. */
function* uniqueOf(relation: ResolvedRelation, schema: DatabaseSchema): Generator<Difference> {
  const { kind, source, target, from, to } = relation
  if (kind === 'manyToMany') return
  const sides =
    kind === 'belongsTo'
      ? [[target, to] as const]
      : [[source, from] as const, ...(kind === 'hasOne' ? [[target, to] as const] : [])]
  for (const [resource, side] of sides) {
    const table = findTable(schema, resource)
    const columns = namesOf(side)
    const isDeclared = resource.uniqueKeys.some(
      (key) => key.length === side.length && key.every((column) => side.includes(column)),
    )
    // `compareKeys` reports unique keys that the model declares.
    if (table === undefined || isDeclared || isUnique(schema, table, columns)) continue
    if (columns.some((name) => findColumn(schema, table, name) === undefined)) continue
    yield {
      ...placeOf(relation),
      kind: 'unique',
      table: resource.table,
      fields: side.map(({ name }) => name),
      columns,
      partial: partialKeysOf(schema, table, columns)[0],
      indexOfActive: undefined,
      softDelete: undefined,
    }
  }
}

/** Reports a junction table that may contain a pair twice. If the junction is a published model, `compareKeys` compares its keys. */
function* repeatedPairs(
  { through, source, name: relation }: ResolvedRelation,
  schema: DatabaseSchema,
): Generator<Difference> {
  if (through === undefined || through.repeats || through.resource !== undefined) return
  const table = findTable(schema, through)
  const columns = [...through.from, ...through.to].map(({ dbName }) => dbName)
  if (table === undefined || isView(table) || isUnique(schema, table, columns)) return
  if (columns.some((name) => findColumn(schema, table, name) === undefined)) return
  yield { kind: 'repeated pairs', model: source.name, table: through.table, columns, relation }
}

/** Reports the key, unless the table has a foreign key that contains it. Missing tables and columns are reported elsewhere. */
function* compareKey(
  relation: ResolvedRelation,
  key: NeededKey,
  schema: DatabaseSchema,
): Generator<Difference> {
  const table = findTable(schema, key.holder)
  const hasColumns =
    table !== undefined &&
    !isView(table) &&
    key.columns.every((name) => findColumn(schema, table, name) !== undefined)
  if (!hasColumns || table.foreignKeys.some((foreignKey) => covers(schema, foreignKey, key))) return
  const other = foreignKeyOf(schema, table, key.columns)
  // A database without any foreign keys is assumed not to use them.
  if (other === undefined && !schema.hasForeignKeys) return
  const { columns, references } = key
  const own = { from: key.holder.table, columns, table: key.referenced.table, references }
  yield { ...placeOf(relation), kind: 'foreign key', key: own, found: other }
}

/** Whether the foreign key contains each pair of columns of `key`. */
function covers(
  schema: DatabaseSchema,
  { columns, table, schema: named, references }: CatalogueForeignKey,
  key: NeededKey,
): boolean {
  return (
    sameTable(schema, table, key.referenced.table) &&
    isInSchema(named, key) &&
    key.columns.every((column, i) =>
      columns.some(
        (name, j) =>
          sameColumnName(schema, name, column) &&
          sameColumnName(schema, references[j] ?? '', key.references[i] ?? ''),
      ),
    )
  )
}

/** Whether both names may be in the same schema. A name without a schema fits every schema, because the connection decides where it is. */
function isInSchema(named: string | undefined, { holder, referenced }: NeededKey): boolean {
  const found = named ?? holder.schema
  const wanted = referenced.schema
  return found === undefined || wanted === undefined || found === wanted
}

/** Returns the foreign key of exactly these columns; undefined if the table has none. */
const foreignKeyOf = (
  schema: DatabaseSchema,
  { foreignKeys }: CatalogueTable,
  names: readonly string[],
): CatalogueForeignKey | undefined =>
  foreignKeys.find(
    ({ columns }) =>
      columns.length === names.length &&
      columns.every((column) => names.some((name) => sameColumnName(schema, column, name))),
  )
