// Plans of the reads of the user model: users by the values of some columns, with all columns including hidden ones; one column of the newest
// users; the roles of a user. No part of a plan comes from a query string.

import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { exactValues } from '../../query/plan/conditions/path-key.ts'
import { refOf } from '../../query/plan/names.ts'
import type { Condition, EmbedPlan, ReadPlan, RowPlan, Source } from '../../query/plan/plan.ts'
import { withJunction } from '../../query/plan/relations/sources.ts'

/** Plans the rows of a source with these columns as output and these conditions. */
const rowsOf = (
  from: Source,
  columns: Iterable<NamedColumn>,
  where: readonly Condition[],
): RowPlan => ({
  shape: 'records',
  from,
  joins: [],
  where,
  groupBy: [],
  having: [],
  output: [...columns].map((column) => ({
    key: column.name,
    value: refOf(from, column),
    visible: true,
  })),
  order: [],
  distinctBase: false,
})

/** Plans the read of the user with exactly certain values in these columns. Each request fills in its values (`slot`). */
export const userPlan = (resource: Resource, columns: readonly NamedColumn[]): ReadPlan =>
  planWhere(resource, (from) =>
    exactValues(
      columns,
      // Any values: each request replaces them.
      columns.map(() => ''),
    ).map(({ column, value, at }) => ({
      kind: 'compare',
      operand: refOf(from, column),
      operator: 'eq',
      value,
      slot: { key: at },
    })),
  )

/** Plans the read of the users whose column has one of the values of several requests. */
export const usersPlan = (resource: Resource, column: NamedColumn): ReadPlan =>
  planWhere(resource, (from) => [
    { kind: 'oneOf', operand: refOf(from, column), values: [''], negated: false, slot: { key: 0 } },
  ])

/** Plans the read of one column of all users, those with the highest keys first. */
export function newestPlan(resource: Resource, column: NamedColumn): ReadPlan {
  const plan = planWhere(resource, () => [])
  const { rows } = plan
  const order = resource.primaryKey.map((key) => ({
    operand: refOf(rows.from, key),
    descending: true,
    nulls: 'first' as const,
  }))
  return { ...plan, rows: { ...rowsOf(rows.from, [column], []), order } }
}

function planWhere(resource: Resource, whereOf: (from: Source) => readonly Condition[]): ReadPlan {
  const from: Source = {
    resource,
    alias: resource.table,
    relation: null,
    many: false,
    includeDeleted: false,
  }
  const rows = rowsOf(from, resource.allColumns.values(), whereOf(from))
  return { action: 'GET_ONE', rows, embeds: [], links: [], count: 'none' }
}

/** Plans the embed of the user's roles: records of a relation, each with a name. Undefined if the user model has no such relation. */
export function roleRelation(resource: Resource): EmbedPlan | undefined {
  const relation = resource.roles
  const name = relation?.target.allColumns.get('name')
  if (relation === undefined || name === undefined) return undefined
  const from = withJunction({
    resource: relation.target,
    alias: 'roles',
    relation,
    many: relation.cardinality === 'many',
    includeDeleted: false,
  })
  return { relation, rows: rowsOf(from, [name], []), limit: null, embeds: [], links: [] }
}
