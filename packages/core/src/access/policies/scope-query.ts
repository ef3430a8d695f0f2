// Makes the query that scope_query and the filter callback receive, `select "books".* from "books"`, and checks the narrowed query that
// they return, which a read then uses in place of the table.

import type { Expression, OperationNode } from 'kysely'
import {
  AliasNode,
  BinaryOperationNode,
  ColumnNode,
  IdentifierNode,
  PrimitiveValueListNode,
  ReferenceNode,
  SelectAllNode,
  SelectionNode,
  SelectQueryNode,
  type TableNode,
  ValueNode,
} from 'kysely'
import { hasSchemaPlugin, withoutSchemaPlugin } from '../../dialect/shared/session/schema-plugin.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { HookQuery } from '../../model/settings/access/hook-types.ts'
import { expressionOf, namesOfTableColumns } from '../../query/compile/rows/distinct-query.ts'

/**
 * Returns the query that a policy receives: all rows of the model, on the host application's Kysely instance. `shared` is the schema that a
 * Kysely plugin of the host adds to all tables.
 */
export function openQuery(
  db: AnyDatabase,
  shared: string | undefined,
  resource: Resource,
): HookQuery {
  const { table } = resource
  return inSchema(db, resource.schema, shared).selectFrom(table).selectAll(table)
}

/** Returns the instance for a table of the model's own schema, which the host's schema plugin must not replace. */
function inSchema(
  db: AnyDatabase,
  schema: string | undefined,
  shared: string | undefined,
): AnyDatabase {
  const isPlugged = hasSchemaPlugin(db)
  if (schema === undefined || (isPlugged && schema === shared)) return db
  // Without this, a schema plugin of `db` would replace the model's schema.
  return (isPlugged ? withoutSchemaPlugin(db) : db).withSchema(schema)
}

/**
 * Returns the query of a hook after its Kysely plugins ran. Throws unless it selects each column of the model exactly once. `hook` is the
 * name of the hook, for the error.
 */
export function checkedQuery(
  query: unknown,
  resource: Resource,
  hook: string,
): Expression<unknown> {
  const name = `The ${hook} of ${resource.name}`
  if (!isExpression(query)) {
    throw new Error(`${name} must return the query it received, narrowed, or a falsy value.`)
  }
  const node = query.toOperationNode()
  if (!SelectQueryNode.is(node)) throw new Error(`${name} must return a select query.`)
  const wrong = selectionProblem(node, resource)
  if (wrong !== undefined) throw new Error(`${name} returned another query: ${wrong}.`)
  const mistake = mistakenValue(node, 'a value')
  if (mistake !== undefined) throw new Error(`${name} compares ${mistake}.`)
  return expressionOf(withColumns(node, resource))
}

/** Replaces `library.books.*` by its columns: not every database accepts `schema.table.*`. */
function withColumns(node: SelectQueryNode, resource: Resource): SelectQueryNode {
  if (node.selections?.some((selection) => tableInSchema(selection) !== undefined) !== true)
    return node
  const selections = node.selections.flatMap((selected) => {
    const table = tableInSchema(selected)
    if (table === undefined) return [selected]
    return namesOfTableColumns(resource).map((name) =>
      SelectionNode.create(ReferenceNode.create(ColumnNode.create(name), table)),
    )
  })
  return { ...node, selections }
}

/** The table of `library.books.*`; undefined for other selections. */
function tableInSchema({ selection }: SelectionNode): TableNode | undefined {
  if (!ReferenceNode.is(selection) || !SelectAllNode.is(selection.column)) return undefined
  return selection.table?.table.schema === undefined ? undefined : selection.table
}

const isExpression = (value: unknown): value is { toOperationNode(): OperationNode } =>
  typeof value === 'object' && value !== null && 'toOperationNode' in value

/** Says why the query does not select each stored column of the model exactly once; undefined if it does. */
function selectionProblem(node: SelectQueryNode, resource: Resource): string | undefined {
  const stored = namesOfTableColumns(resource)
  const [first, ...others] = node.selections ?? []
  // The query that the policy received selects `table.*`; most policies only add conditions.
  if (first && others.length === 0 && selectedNames(first.selection, stored) === stored)
    return undefined
  const names = (node.selections ?? []).flatMap(({ selection }) => selectedNames(selection, stored))
  if (names.includes(unknownColumns) && (node.joins?.length ?? 0) > 0) {
    return `it selects all columns of several tables; select only those of ${resource.table}`
  }
  if (names.includes(unknownColumns)) return undefined
  const missing = stored.filter((name) => !names.includes(name))
  if (missing.length > 0) {
    return `it does not select ${missing.join(', ')} of ${resource.table}`
  }
  const twice = stored.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  return twice === undefined ? undefined : `it selects a second column called ${twice}`
}

/**
 * Returns what a query compares with which value that is a mistake, `owner_id with undefined`; with `left` instead of the column if it
 * compares something else; undefined if the query has no such value.
 */
function mistakenValue(node: OperationNode, left: string): string | undefined {
  if (ValueNode.is(node)) return withMistake(left, node.value)
  if (PrimitiveValueListNode.is(node)) return withMistake(left, node.values)
  const operand = BinaryOperationNode.is(node) ? columnOf(node.leftOperand) : undefined
  for (const part of Object.values(node)) {
    for (const one of Array.isArray(part) ? part : [part]) {
      const found = isNode(one) ? mistakenValue(one, operand ?? left) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}

function withMistake(left: string, value: unknown): string | undefined {
  const mistake = mistakeOf(value)
  return mistake === undefined ? undefined : `${left} with ${mistake}`
}

/**
 * Says which mistake a value is: undefined, and what results from calculating with it. Drivers bind undefined as NULL or refuse it, and
 * `is not` then holds for the rows of everybody; some databases sort NaN after all numbers, so that `<=` holds for every row.
 */
function mistakeOf(value: unknown): string | undefined {
  if (value === undefined) return 'undefined'
  if (Number.isNaN(value)) return 'NaN'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid date' : undefined
  if (!Array.isArray(value)) return undefined
  // `map` would skip the holes of a sparse array.
  return Array.from(value, mistakeOf).find((mistake) => mistake !== undefined)
}

const columnOf = (node: OperationNode): string | undefined =>
  ReferenceNode.is(node) && ColumnNode.is(node.column) ? node.column.column.name : undefined

const isNode = (value: unknown): value is OperationNode =>
  typeof value === 'object' && value !== null && 'kind' in value

/** `select *`: the columns depend on the tables it selects from. */
const unknownColumns = '*'

/** Returns the column names of one selection; `table.*` stands for all columns of the model. */
function selectedNames(node: OperationNode, stored: readonly string[]): readonly string[] {
  if (SelectAllNode.is(node)) return [unknownColumns]
  if (AliasNode.is(node)) return IdentifierNode.is(node.alias) ? [node.alias.name] : []
  if (!ReferenceNode.is(node)) return []
  if (ColumnNode.is(node.column)) return [node.column.column.name]
  return node.table === undefined ? [unknownColumns] : stored
}
