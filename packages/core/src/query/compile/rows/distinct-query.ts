// withoutRepeats: makes the query of a hook return each record once. A hook is a function of the host, a policy's `scope_query` or a filter
// callback, that narrows `select "books".* from "books"` by Kysely; it may join other tables or compute columns, which `computedBy` finds.
// `access/policies` calls `withoutRepeats` after it has checked the query, and `scopes.ts` calls `computedBy`. The other functions make
// Kysely expressions of nodes, and name the columns of a table.

import {
  ColumnNode,
  type Expression,
  FromNode,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  WhereNode,
} from 'kysely'
import type { InternalDialect, KeyPair } from '../../../dialect/internal-dialect.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Resource } from '../../../model/registry/resource.ts'

// Aliases that no table has, because of the spaces.
const inScope = 'rows in scope'
const numbered = 'numbered rows'
const copy = 'number of copy'

/**
 * Makes a checked query return each record once: a join repeats it for each row that it finds. If the query selects the stored values,
 * its keys choose rows of the table; otherwise the first row of each key is taken.
 *
 * `select "books".* from "books" where exists (select 1 from (<query>) as "rows in scope" where "rows in scope"."id" = "books"."id")`
 */
export function withoutRepeats(
  { dialect }: { readonly dialect: InternalDialect },
  resource: Resource,
  query: Expression<unknown>,
): Expression<unknown> {
  const node = query.toOperationNode() as SelectQueryNode
  const { primaryKey, table } = resource
  if (primaryKey.length === 0 || readsTableAlone(node, resource)) return query
  const own = tableIn(node, resource)
  if (own === undefined || !selectsStored(node, resource)) return firstOfEach(node, resource)
  const keys = primaryKey.map(
    (column): KeyPair => ({
      column,
      ref: sql.id(inScope, column.dbName),
      otherColumn: column,
      otherRef: sql.id(table, column.dbName),
    }),
  )
  const rows = sql`${query} as ${sql.id(inScope)}`
  // `nested`: the result is itself a subquery of the statement.
  const isFound =
    dialect.shortcuts?.keysIn?.('nested', keys, rows) ??
    sql`exists (select 1 from ${rows} where ${sameKeys(keys, dialect)})`
  const selections = [SelectionNode.createSelectAll()]
  const where = WhereNode.create(isFound.toOperationNode())
  const narrowed = { kind: 'SelectQueryNode', from: FromNode.create([own]), selections, where }
  return expressionOf(narrowed as SelectQueryNode)
}

/** The condition that all columns of the keys are equal. */
const sameKeys = (keys: readonly KeyPair[], dialect: InternalDialect): Fragment =>
  sql.join(
    keys.map((key) => dialect.sameKey(key.column, key.ref, key.otherColumn, key.otherRef)),
    sql` and `,
  )

/** Takes one row of each key from a query that computes values, for which no row of the table could stand. */
function firstOfEach(node: SelectQueryNode, resource: Resource): Expression<unknown> {
  const keys = sql.join(resource.primaryKey.map(({ dbName }) => sql.id(dbName)))
  const names = namesOfTableColumns(resource)
  const columns = names.map((name) => sql.id(name))
  const number = sql`row_number() over (partition by ${keys} order by ${keys})`.as(copy)
  const rows = sql`(select ${sql.join([...columns, number])} from ${expressionOf(node)} as ${sql.id(inScope)})`
  const selections = names.map((name) =>
    SelectionNode.create(ReferenceNode.create(ColumnNode.create(name))),
  )
  const from = FromNode.create([rows.as(numbered).toOperationNode()])
  const where = WhereNode.create(sql`${sql.id(copy)} = 1`.toOperationNode())
  return expressionOf({ kind: 'SelectQueryNode', from, selections, where } as SelectQueryNode)
}

/** Whether the query reads no table but the model's, once, so that it has each row at most once. */
function readsTableAlone(node: SelectQueryNode, resource: Resource): boolean {
  const { from, joins = [], setOperations = [] } = node
  const isOne = from?.froms.length === 1 && joins.length === 0 && setOperations.length === 0
  return isOne && tableIn(node, resource) !== undefined
}

/** The model's table among those that the query reads, without an alias. */
const tableIn = (
  { from, with: common }: SelectQueryNode,
  { table, schema }: Resource,
): TableNode | undefined =>
  // A common table expression may have the name of the table.
  common === undefined
    ? from?.froms.find(
        (one): one is TableNode =>
          TableNode.is(one) &&
          one.table.identifier.name === table &&
          (schema === undefined || one.table.schema?.name === schema),
      )
    : undefined

/** Whether the query selects only columns of the model's table, with their own names. */
const selectsStored = (
  { selections = [], setOperations = [] }: SelectQueryNode,
  { table }: Resource,
): boolean =>
  setOperations.length === 0 &&
  selections.every(
    ({ selection }) =>
      ReferenceNode.is(selection) &&
      (selection.table === undefined || selection.table.table.identifier.name === table),
  )

/** The columns of a model whose values a query computes, by their database names. */
export type ComputedNames = ReadonlySet<string>

/**
 * Returns the columns that a checked query may compute, instead of selecting what the model's table stores: all of them if the query is not
 * a SELECT from the table itself.
 */
export function computedBy(resource: Resource, query: Expression<unknown>): ComputedNames {
  const node = query.toOperationNode()
  const computed = new Set(namesOfTableColumns(resource))
  if (!SelectQueryNode.is(node) || tableIn(node, resource) === undefined) return computed
  if ((node.setOperations ?? []).length > 0) return computed
  for (const { selection } of node.selections ?? []) {
    const isOwn =
      ReferenceNode.is(selection) &&
      (selection.table === undefined || selection.table.table.identifier.name === resource.table)
    const column = ReferenceNode.is(selection) ? selection.column : selection
    if (SelectAllNode.is(column) && (isOwn || readsTableAlone(node, resource))) return none
    if (isOwn && ColumnNode.is(column)) computed.delete(column.column.name)
  }
  return computed
}

const none: ComputedNames = new Set()

/** Returns the columns of the model's table, by their database names; the same list for every query of a resource. */
export function namesOfTableColumns(resource: Resource): readonly string[] {
  const known = storedOf.get(resource)
  if (known !== undefined) return known
  const columns = [...resource.allColumns.values()]
  const stored = columns.flatMap(({ computed, dbName }) => (computed === undefined ? dbName : []))
  storedOf.set(resource, stored)
  return stored
}

const storedOf = new WeakMap<Resource, readonly string[]>()

/** Makes an expression of a Kysely node. */
export const expressionOf = (node: OperationNode): Expression<unknown> =>
  ({ expressionType: undefined, toOperationNode: () => node }) as Expression<unknown>
