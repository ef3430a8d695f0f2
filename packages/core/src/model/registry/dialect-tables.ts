// dialectTables: the tables of the models as the dialects see them, who look up what the database says of each: names, columns and keys.

import type { ColumnReference, DialectTable } from '../dialect-column.ts'
import type { Registry, ResolvedRelation } from './resource.ts'

/** Returns the tables that the API reads: those of the resources and of the user model. */
export function dialectTables({ resources, users }: Registry): readonly DialectTable[] {
  const all = [...new Set([...resources, ...(users === undefined ? [] : [users])])]
  const tables = all.map(({ schema, table, allColumns, allRelations, searchIndex }) => ({
    table,
    ...(searchIndex === undefined ? {} : { search: searchIndex }),
    columns: [...allColumns.values()],
    references: [...allRelations.values()].flatMap(referencesOf),
    ...(schema === undefined ? {} : { schema }),
  }))
  const relations = all.flatMap(({ allRelations }) => [...allRelations.values()])
  const junctions = relations.flatMap(({ through }) => {
    if (through === undefined || through.resource !== undefined) return []
    const { schema, table, from, to } = through
    const columns = [...from, ...to].map(({ held }) => held)
    return [{ table, columns, ...(schema === undefined ? {} : { schema }) }]
  })
  return [...tables, ...junctions]
}

const referencesOf = ({ kind, pairs, through }: ResolvedRelation): readonly ColumnReference[] =>
  through === undefined
    ? pairs.map(({ from, to }) =>
        kind === 'belongsTo' ? { held: from, key: to } : { held: to, key: from },
      )
    : [...through.from, ...through.to].map(({ held, column }) => ({ held, key: column }))
