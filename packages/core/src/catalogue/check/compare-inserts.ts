// Compares who fills the columns of a new row: the client, the service, or the database. Above all, finds required columns that nobody fills,
// so that every INSERT fails (`never filled`): declared ones (compareFilling), undeclared ones, and those of junctions (unfilledInLinks).

import { tableKey } from '../../lib/sql/table-name.ts'
import {
  isInBodies,
  unwritable,
  unwritableRelation,
} from '../../model/registry/checks/field-rules.ts'
import { junctionOf } from '../../model/registry/relations/junction.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { readOnlyReasons } from '../../problems.ts'
import type { CatalogueColumn, CatalogueTable } from '../shared/catalogue.ts'
import { type DatabaseSchema, findTable, isView, sameColumnName } from './database-schema.ts'
import type { Difference } from './difference.ts'

/** Whether the database fills the column if an INSERT omits it. */
const isFilled = ({ nullable, hasDefault, generated, readOnly }: CatalogueColumn): boolean =>
  nullable || hasDefault || generated || readOnly

/** Returns the foreign keys that writes of related records set: of nested records, and of the links of many-to-many relations. */
export const linkedColumns = (resources: readonly Resource[]): ReadonlySet<NamedColumn> =>
  new Set(
    resources.flatMap(({ allRelations, settings }) =>
      [...allRelations.values()].flatMap((relation) => {
        const junction = junctionOf(relation)
        if (junction !== undefined) return [...junction.own, ...junction.linked]
        const isOfChild = relation.kind === 'hasOne' || relation.kind === 'hasMany'
        return isOfChild && settings.allowNestedWrites ? relation.to : []
      }),
    ),
  )

/**
 * Compares how the model and the database (`found`) fill a column that a new record omits. `creates`: clients create records of the
 * model by themselves, so that it must be possible; false for columns that nested writes or links fill.
 */
export function* compareFilling(
  { resource, creates }: { readonly resource: Resource; readonly creates: boolean },
  column: NamedColumn,
  found: CatalogueColumn,
): Generator<Difference> {
  const { schema } = resource
  const place = { model: resource.name, table: resource.table }
  const at = { ...place, column, found: found.databaseType }
  const { generated, hasDefault, managed, default: declaredDefault } = column.definition
  if (found.readOnly) {
    if (isWritten(resource, column)) yield { kind: 'computed', ...at }
    return
  }
  if (generated === true) {
    if (!found.generated && !found.hasDefault) yield { kind: 'not generated', ...at }
    return
  }
  if (hasDefault === true && !found.hasDefault && !found.generated) {
    yield { kind: 'no default', ...at }
    return
  }
  // Whether the service fills the column itself, or by the host's callback `add`.
  const isSentByService =
    generated !== undefined || managed !== undefined || declaredDefault !== undefined
  const hasCallback = Object.values(resource.settings.hooks).some(({ add }) => add !== undefined)
  if (!creates || isSentByService || isFilled(found) || hasCallback) return
  // A relation may set a hidden foreign key that declares `readOnly: false`.
  const isHidden = !isInBodies(column) && column.definition.readOnly !== false
  const why = unwritable(resource, column, 'create')
  // The service itself writes the soft delete attribute.
  if (why === 'managed' || why === 'soft_delete' || (why === undefined && !isHidden)) return
  const because = why === undefined ? 'is hidden' : readOnlyReasons[why]
  const holdsRoles = column.definition.readOnly === true && isUndeclared(resource, column)
  const field = { name: column.name, because, isHidden: column.hidden, holdsRoles }
  yield {
    kind: 'never filled',
    ...place,
    schema,
    name: column.dbName,
    found: found.databaseType,
    field,
  }
}

/** Whether the model does not say if clients may write the column. */
const isUndeclared = ({ model }: Resource, { name }: NamedColumn): boolean =>
  model.columns[name]?.readOnly === undefined

/** Whether the service sends a value of the column with a new record. */
function isWritten(resource: Resource, column: NamedColumn): boolean {
  const { generated, managed, default: declaredDefault } = column.definition
  if (managed !== undefined || declaredDefault !== undefined || generated === 'uuid') return true
  return isInBodies(column) && unwritable(resource, column, 'create') === undefined
}

/** Reports the required columns that the model does not declare. */
export function* undeclaredColumns(
  { name: model, table: tableName, schema: schemaName, allColumns }: Resource,
  { columns }: CatalogueTable,
  schema: DatabaseSchema,
): Generator<Difference> {
  const declared = [...allColumns.values()].filter(({ computed }) => computed === undefined)
  for (const found of columns) {
    if (isFilled(found)) continue
    if (declared.some(({ dbName }) => sameColumnName(schema, dbName, found.name))) continue
    const { name } = found
    yield {
      kind: 'never filled',
      model,
      table: tableName,
      schema: schemaName,
      name,
      found: found.databaseType,
      field: undefined,
    }
  }
}

/**
 * Reports the required columns of junction tables without a published model that hold no key: links are rows of the two keys. Each
 * column is reported once, for the first relation that writes such links.
 */
export function* unfilledInLinks(
  written: readonly Resource[],
  schema: DatabaseSchema,
): Generator<Difference> {
  const seen = new Set<string>()
  for (const { name: model, relations, settings } of written) {
    for (const relation of settings.allowNestedWrites ? relations.values() : []) {
      const { through } = relation
      if (through === undefined || through.resource !== undefined) continue
      if (unwritableRelation(relation, 'create') !== undefined) continue
      const table = findTable(schema, through)
      if (table === undefined || isView(table)) continue
      const keys = [...through.from, ...through.to]
      for (const found of table.columns) {
        const { name } = found
        const place = JSON.stringify([tableKey(through), name])
        if (isFilled(found) || seen.has(place)) continue
        if (keys.some(({ dbName }) => sameColumnName(schema, dbName, name))) continue
        seen.add(place)
        yield {
          kind: 'never filled',
          model,
          table: through.table,
          schema: through.schema,
          name,
          found: found.databaseType,
          field: undefined,
          links: { relation: relation.name, triggersFill: schema.triggersFill },
        }
      }
    }
  }
}
