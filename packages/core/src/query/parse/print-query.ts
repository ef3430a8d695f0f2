// printQuery: prints an AST as a canonical query string; parsing it gives the same AST except for spans. For tests (`internals.ts`): no
// request prints a query.

import {
  type AggregateNode,
  type ConditionNode,
  type FieldNode,
  type FilterNode,
  type GroupByNode,
  isField,
  type OperandNode,
  type OrderNode,
  type OutputNode,
  type QueryAst,
  type RelatedAggregateNode,
  type RelationFilterNode,
  type RelationOptionNode,
  type RelationWriteNode,
  type ScalarNode,
  type TextNode,
  type ValueNode,
} from './ast.ts'

/**
 * Writes an AST as a query string: brackets and separators raw, every leaf percent-encoded.
 *
 * ```ts
 * printQuery(parseQuery('price__gte=30&orderby=-price', { limits }))   // 'price__ge=30&order_by=-price'
 * ```
 */
export function printQuery(ast: QueryAst): string {
  const pairs = [
    ...ast.where.map(printCondition),
    ...printList('join', ast.joins, (join) => encode(join.text)),
    ...printList('fields', ast.fields ?? [], printOutput),
    ...printList('groupby', ast.groupBy, printGroupKey),
    ...ast.aggregates.map((aggregate) => `${printAggregate(aggregate)}=1`),
    ...printList('order_by', ast.order, printOrder),
    ...printList('distinct_on', ast.distinctOn, printField),
    ...ast.relationOptions.map(printRelationOption),
    ...ast.relationWrites.map(printRelationWrite),
    ...Object.entries(ast.single).map(([name, value]) => `${name}=${encode(value.text)}`),
    ...ast.additional.map(({ name, value }) => `${encode(name)}=${encode(value.text)}`),
  ]
  return pairs.join('&')
}

const encode = encodeURIComponent

function printList<T>(name: string, items: readonly T[], print: (item: T) => string): string[] {
  return items.length === 0 ? [] : [`${name}=${items.map(print).join(',')}`]
}

function printCondition(node: ConditionNode): string {
  switch (node.kind) {
    case 'filter':
      return printFilter(node)
    case 'exists':
    case 'missing':
      return printRelationFilter(node)
    default:
      return `${node.kind}[${node.items.map(printCondition).join(',')}]`
  }
}

function printFilter(node: FilterNode): string {
  return `${printOperand(node.field)}__${node.operator}=${printValue(node.value)}`
}

/** Prints a relation filter. The first filter follows the path after a dot, or after a comma if its field has a path too. */
function printRelationFilter(node: RelationFilterNode): string {
  const [first] = node.where
  const joint =
    first !== undefined && isField(first.field) && first.field.path.length === 0 ? '.' : ','
  const where = node.where.map(printFilter).join(',')
  return `${node.kind}(${printPath(node.path)}${where === '' ? '' : joint}${where})`
}

function printValue(value: ValueNode): string {
  return value.kind === 'list' ? `(${value.items.map(printScalar).join(',')})` : printScalar(value)
}

function printScalar({ text, quoted }: ScalarNode): string {
  return encode(quoted ? `"${text.replace(/["\\]/g, '\\$&')}"` : text)
}

function printField(field: FieldNode): string {
  return encode(field.text)
}

const printOperand = (node: OperandNode): string =>
  isField(node) ? printField(node) : printRelatedAggregate(node)

function printOutput(node: OutputNode): string {
  if (isField(node)) return printField(node)
  switch (node.kind) {
    case 'all':
      return '*'
    case 'without':
      return `-${printField(node.field)}`
    case 'related':
      return `${printRelatedAggregate(node)}${printLabel(node.label)}`
  }
}

function printRelatedAggregate(node: RelatedAggregateNode): string {
  const where = node.where.length === 0 ? '' : `[${node.where.map(printCondition).join(',')}]`
  const column = node.column === undefined ? '' : `.${printField(node.column)}`
  return `${node.function}(${printPath(node.path)}${where}${column})`
}

function printPath(path: readonly TextNode[]): string {
  return path.map((name) => encode(name.text)).join('.')
}

function printLabel(label: TextNode | undefined): string {
  return label === undefined ? '' : `|${label.text}`
}

function printAggregate(node: AggregateNode): string {
  return `${printField(node.field)}${printLabel(node.label)}__${node.function}`
}

function printGroupKey(node: GroupByNode): string {
  return `${encode(node.text)}${printLabel(node.label)}`
}

function printOrder(node: OrderNode): string {
  const nulls = node.nulls === undefined ? '' : `.nulls${node.nulls}`
  return `${node.descending ? '-' : ''}${printOperand(node.field)}${nulls}`
}

const printRelationWrite = ({ path, option, value }: RelationWriteNode): string =>
  `${printPath(path)}.${option}=${encode(value.text)}`

function printRelationOption(node: RelationOptionNode): string {
  const path = printPath(node.path)
  switch (node.option) {
    case 'limit':
      return `${path}.limit=${encode(node.limit.text)}`
    case 'order_by':
      return `${path}.order_by=${node.order.map(printOrder).join(',')}`
    case 'fields':
      return `${path}.fields=${node.fields.map(printOutput).join(',')}`
    case 'where':
      return `${path}[${node.where.map(printCondition).join(',')}]`
  }
}
