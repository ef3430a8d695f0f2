// dialectTables: the resources → the tables that `createApi` passes to the dialect, which looks up in the catalogue what it must know of each, such as
// collations and indexes.

import type { ColumnReference, DialectExclusion, DialectTable } from '../dialect-column.ts'
import type { Exclusion, NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'

/** Returns the tables that the API reads: those of the resources and of the user model. */
export function dialectTables({ resources, users }: Registry): readonly DialectTable[] {
  const all = [...new Set([...resources, ...(users === undefined ? [] : [users])])]
  const tables = all.map((resource) => {
    const { schema, table, allColumns, allRelations, searchIndex, exclusions } = resource
    return {
      table,
      ...(searchIndex === undefined ? {} : { search: searchIndex }),
      columns: [...allColumns.values()],
      references: [...allRelations.values()].flatMap(referencesOf),
      ...(exclusions.length === 0
        ? {}
        : { exclusions: exclusions.map((rule) => exclusionOf(resource, rule)) }),
      ...(schema === undefined ? {} : { schema }),
    }
  })
  const relations = all.flatMap(({ allRelations }) => [...allRelations.values()])
  const junctions = relations.flatMap(({ through }) => {
    if (through === undefined || through.resource !== undefined) return []
    const { schema, table, from, to } = through
    const columns = [...from, ...to].map(({ held }) => held)
    return [{ table, columns, ...(schema === undefined ? {} : { schema }) }]
  })
  return [...tables, ...junctions]
}

/** Returns the foreign key columns of a relation, each with the column that it refers to. */
const referencesOf = ({ kind, pairs, through }: ResolvedRelation): readonly ColumnReference[] =>
  through === undefined
    ? pairs.map(({ from, to }) =>
        kind === 'belongsTo' ? { held: from, key: to } : { held: to, key: from },
      )
    : [...through.from, ...through.to].map(({ held, column }) => ({ held, key: column }))

const nameOf = ({ dbName }: NamedColumn): string => dbName

const exclusionOf = (resource: Resource, rule: Exclusion): DialectExclusion => ({
  rule,
  equal: rule.equal.map(nameOf),
  start: nameOf(rule.start),
  end: nameOf(rule.end),
  isConditional: rule.where !== '',
  active: activeOf(resource),
})

/** Returns how a column says that a row is not deleted, if a dialect can write it as `is null` or `= false`. */
function activeOf({ settings, allColumns }: Resource): DialectExclusion['active'] {
  const { softDelete } = settings
  const column = softDelete === null ? undefined : allColumns.get(softDelete.attribute)
  if (softDelete === null || column === undefined) return undefined
  const { active, deleted } = softDelete
  if (deleted.kind !== 'value' && active === null) return { column: column.dbName, is: 'null' }
  const isFlag = deleted.kind === 'value' && deleted.value === true && !column.nullable
  return isFlag ? { column: column.dbName, is: 'false' } : undefined
}
