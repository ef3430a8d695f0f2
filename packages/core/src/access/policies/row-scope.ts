// rowScopeOf: turns the scope of a policy or filter callback into a condition on columns of the row, which the statement that writes the
// row can contain: `update "books" set … where "id" = $1 and ("owner_id" = $2)`. If a scope has no such condition, the write first reads the
// row, in its scope, by a statement of its own.

import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type Expression,
  type OperationNode,
  OperatorNode,
  OrNode,
  ParensNode,
  PrimitiveValueListNode,
  RawNode,
  ReferenceNode,
  SelectAllNode,
  type SelectionNode,
  type SelectQueryNode,
  type SqlBool,
  TableNode,
  UnaryOperationNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { fragmentOfText, kyselyText } from '../../lib/sql/kysely-text.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { hasConditions, isPrinted, type RowScope, type Scope } from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Condition } from '../../query/plan/plan.ts'

/**
 * Returns the condition of a scope that only tests columns of the row. Undefined for a scope that joins, limits or changes rows,
 * or has a subquery or a function: these may read rows that change while the statement waits for the lock of its row.
 *
 * `select "books".* from "books" where "owner_id" = $1` → `("owner_id" = $1)`
 */
export function rowScopeOf(
  db: AnyDatabase,
  target: Pick<Target, 'dialect'>,
  resource: Resource,
  scope: Scope,
): RowScope | 'all' | undefined {
  if (scope === 'all') return 'all'
  if (isPrinted(scope)) return undefined
  if (!hasConditions(scope)) return scopeOfQuery(db, target, resource, scope)
  const columns = columnsTested(scope.conditions)
  const rows = columns && rowScopeOf(db, target, resource, scope.rows)
  if (columns === undefined || rows === undefined) return undefined
  const { form, values, condition } = scope
  if (rows === 'all') return { condition, form, values, columns }
  return {
    condition: (compiled, both) => {
      const [first, second] = both.items(2) as [Values, Values]
      return sql`(${rows.condition(compiled, first)} and ${condition(compiled, second)})`
    },
    form: `${rows.form.length}:${rows.form}${form}`,
    values: [rows.values, values],
    columns: [...rows.columns, ...columns],
  }
}

type Values = Param<readonly unknown[]>

/** Returns the database names of the stored columns that conditions test; undefined if they test rows of other tables. */
function columnsTested(conditions: readonly Condition[]): readonly string[] | undefined {
  const columns: string[] = []
  for (const condition of conditions) {
    switch (condition.kind) {
      case 'exists':
      case 'linked':
      case 'keys':
        return undefined
      case 'and':
      case 'or':
      case 'not': {
        const inside = columnsTested(condition.kind === 'not' ? [condition.one] : condition.all)
        if (inside === undefined) return undefined
        columns.push(...inside)
        break
      }
      default:
        if (condition.operand.kind !== 'column') return undefined
        columns.push(condition.operand.column.dbName)
    }
  }
  return columns
}

/** Returns the WHERE condition of a query; undefined if the query has any other clause. */
function scopeOfQuery(
  db: AnyDatabase,
  { dialect }: Pick<Target, 'dialect'>,
  resource: Resource,
  query: Expression<unknown>,
): RowScope | 'all' | undefined {
  const style = dialect.shortcuts?.textStyle
  const node = query.toOperationNode() as SelectQueryNode
  const { kind: _, from, selections = [], where, ...others } = node
  if (style === undefined || Object.values(others).some((part) => part !== undefined)) {
    return undefined
  }
  const tables = from?.froms ?? []
  const isTable = tables.length === 1 && tables.every((table) => isTableOf(table, resource))
  if (!isTable || !selections.every((selection) => isPlain(selection, resource))) return undefined
  if (where === undefined) return 'all'
  const columns: string[] = []
  if (!testsRow(where.where, resource, columns)) return undefined
  const printed = kyselyText(db, style, RawNode.create(['', ''], [where.where]))
  return (
    printed && {
      condition: (_, values) => fragmentOfText(printed, values) as Fragment<SqlBool>,
      form: printed.text,
      values: printed.parameters,
      columns,
    }
  )
}

/** Whether the node is the table of the model, without an alias. */
const isTableOf = (node: OperationNode, { table, schema }: Resource): boolean =>
  TableNode.is(node) && node.table.identifier.name === table && node.table.schema?.name === schema

/** Whether a selection returns stored columns unchanged. `checkedQuery` has made sure that all are selected. */
const isPlain = ({ selection }: SelectionNode, resource: Resource): boolean =>
  SelectAllNode.is(selection) ||
  (ReferenceNode.is(selection) &&
    (selection.table === undefined || isTableOf(selection.table, resource)))

/** Whether an expression depends only on columns of the row and on bound values. Adds the names of these columns to `columns`. */
function testsRow(node: OperationNode, resource: Resource, columns: string[]): boolean {
  const all = (...parts: readonly OperationNode[]): boolean =>
    parts.every((part) => testsRow(part, resource, columns))
  if (AndNode.is(node) || OrNode.is(node)) return all(node.left, node.right)
  if (ParensNode.is(node)) return all(node.node)
  if (BinaryOperationNode.is(node)) return all(node.leftOperand, node.operator, node.rightOperand)
  if (UnaryOperationNode.is(node)) return all(node.operator, node.operand)
  if (ValueListNode.is(node)) return all(...node.values)
  if (RawNode.is(node)) {
    const { sqlFragments, parameters } = node
    return sqlFragments.every((text) => namesColumns(text, resource, columns)) && all(...parameters)
  }
  if (ReferenceNode.is(node)) {
    // Not every database accepts `schema.table.column` in all the places where the condition may stand.
    const isOwn = node.table === undefined || node.table.table.identifier.name === resource.table
    return isOwn && node.table?.table.schema === undefined && all(node.column)
  }
  if (ColumnNode.is(node)) return columns.push(node.column.name) > 0
  return OperatorNode.is(node) || ValueNode.is(node) || PrimitiveValueListNode.is(node)
}

/** Words allowed beside column names in handwritten SQL: they neither call a function nor read a table. */
const words = /^(?:and|or|not|is|null|true|false|like|in|\d+)$/i

/** Whether handwritten SQL only compares columns of the model, without parentheses, strings or comments. Adds the columns to `columns`. */
function namesColumns(text: string, { allColumns, table }: Resource, columns: string[]): boolean {
  if (!/^(?:[\w\s.,"`=<>!+*%|]|(?<!-)-(?!-))*$/.test(text)) return false
  const stored = [...allColumns.values()].filter(({ computed }) => computed === undefined)
  const names = (text.match(/\w+/g) ?? []).filter((word) => word !== table && !words.test(word))
  columns.push(...names)
  return names.every((name) => stored.some(({ dbName }) => dbName === name))
}
