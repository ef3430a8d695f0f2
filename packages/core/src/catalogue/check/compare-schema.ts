// compareSchema: the models and the tables of the database → every difference between them. Pure: `comparison.ts` has read the tables.

import { nearest } from '../../lib/naming/suggest.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { compareColumn } from './compare-column.ts'
import { compareForeignKeys } from './compare-foreign-keys.ts'
import {
  compareFilling,
  linkedColumns,
  undeclaredColumns,
  unfilledInLinks,
} from './compare-inserts.ts'
import { compareKeys } from './compare-keys.ts'
import {
  type DatabaseSchema,
  findColumn,
  findTable,
  isView,
  namesBeside,
} from './database-schema.ts'
import type { Difference } from './difference.ts'

/** A model to compare. */
export interface ComparedModel {
  readonly resource: Resource
  /** Whether clients may create its records. */
  readonly creates: boolean
  /** Whether clients may create or change its records. */
  readonly writes: boolean
  /** The methods of clients; empty if the model is not published. */
  readonly methods: ReadonlySet<string>
}

/**
 * Compares models with the tables of the database. Returns the differences in the order of the models and their columns.
 *
 * ```ts
 * compareSchema([{ resource: books, creates: true, writes: true, methods: new Set(['POST']) }], schema)
 * // [{ kind: 'missing column', model: 'Book', table: 'books', field: 'isbn', option: 'column', name: 'isbn', similar: 'isbn13' }]
 * ```
 */
export function compareSchema(
  models: readonly ComparedModel[],
  schema: DatabaseSchema,
): readonly Difference[] {
  const resources = models.map(({ resource }) => resource)
  const known = { schema, linked: linkedColumns(resources), keys: keyColumns(resources) }
  return [
    ...models.flatMap((model) => [...compareModel(model, known)]),
    ...compareForeignKeys(resources, schema),
    ...unfilledInLinks(
      models.flatMap(({ resource, writes }) => (writes ? resource : [])),
      schema,
    ),
  ]
}

/** What the comparison of each model needs to know of the others and of the database. */
interface Known {
  readonly schema: DatabaseSchema
  /** The columns that nested writes or links fill. */
  readonly linked: ReadonlySet<NamedColumn>
  /** The columns of primary keys and relations. */
  readonly keys: ReadonlySet<NamedColumn>
}

const keyColumns = (resources: readonly Resource[]): ReadonlySet<NamedColumn> =>
  new Set(
    resources.flatMap(({ primaryKey, allRelations }) => [
      ...primaryKey,
      ...[...allRelations.values()].flatMap(({ from, to }) => [...from, ...to]),
    ]),
  )

/** Yields the differences of one model and its table, without its relations. */
function* compareModel(model: ComparedModel, known: Known): Generator<Difference> {
  const { schema } = known
  const { resource } = model
  const place = { model: resource.name, table: resource.table }
  const table = findTable(schema, resource)
  if (table === undefined) {
    const similar = nearest(resource.table, namesBeside(schema, resource))
    yield { kind: 'missing table', ...place, relation: undefined, similar }
    return
  }
  // The words of the catalogue readers for a table without privileges (`whyUnusable`).
  if (/may not (?:read|see)/.test(table.unusable ?? '')) {
    yield { kind: 'unreadable table', ...place }
    return
  }
  // Skips views whose columns cannot be read.
  if (table.columns.length === 0) return
  yield* compareColumns(model, table, known)
  if (isView(table)) return
  yield* compareKeys(resource, table, schema)
  if (model.creates) yield* undeclaredColumns(resource, table, schema)
}

/** Yields the differences of the columns that the model declares. */
function* compareColumns(
  { resource, creates }: ComparedModel,
  table: CatalogueTable,
  { schema, linked, keys }: Known,
): Generator<Difference> {
  const place = { model: resource.name, table: resource.table }
  for (const column of resource.allColumns.values()) {
    if (column.computed !== undefined) continue
    const found = findColumn(schema, table, column.dbName)
    if (found === undefined) {
      const names = table.columns.map(({ name }) => name)
      const similar = nearest(column.dbName, names)
      const { name: field, dbName: name } = column
      yield { kind: 'missing column', ...place, field, option: 'column', name, similar }
      continue
    }
    yield* compareColumn(place, column, found, { schema, isView: isView(table) })
    // Responses would cut the key, so that one key may stand for several rows.
    if (
      keys.has(column) &&
      found.responsesLoseDigits === true &&
      column.type === found.shape?.type
    ) {
      yield { kind: 'finer key', ...place, column, found: found.databaseType }
    }
    if (isView(table)) continue
    yield* compareFilling({ resource, creates: creates && !linked.has(column) }, column, found)
  }
}
