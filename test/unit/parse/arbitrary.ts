/** Arbitrary ASTs: every node that the parser can build, with meaningless spans. */
import fc from 'fast-check'
import {
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
} from '../../../packages/core/src/model/query-words/operators.ts'
import { singleParameters } from '../../../packages/core/src/model/query-words/parameter-names.ts'
import type {
  AggregateNode,
  ConditionNode,
  FieldNode,
  FilterNode,
  GroupByNode,
  GroupNode,
  JoinNode,
  OperandNode,
  OrderNode,
  OutputNode,
  QueryAst,
  RelatedAggregateNode,
  RelationFilterNode,
  RelationOptionNode,
  RelationWriteNode,
  ScalarNode,
  TextNode,
  ValueNode,
} from '../../../packages/core/src/query/parse/ast.ts'

const span = { start: 0, end: 0 }

/** Parameters that the host declares; some look like the query language. */
export const ownParameters = ['utm', 'a b', 'x[y]', 'q,r', 'p=q', 'own__thing']

const textNode = (text: string): TextNode => ({ text, span })

// No dot, comma, equals sign or bracket. A leading `-` would mean descending, and spaces at the ends are removed.
const name = fc
  .string({ unit: fc.constantFrom(...'abzAZ_09-~%&+#"\\ é€😀:/?;'), minLength: 1, maxLength: 6 })
  .filter((text) => !text.startsWith('-') && text.trim() === text)

const path = fc.array(name.map(textNode), { minLength: 1, maxLength: 3 })

const field: fc.Arbitrary<FieldNode> = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((names) => fieldOf(names.join('.')))

function fieldOf(text: string): FieldNode {
  const names = text.split('.')
  return { path: names.slice(0, -1), column: names.at(-1) ?? '', text, span }
}

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab1()[]|,="\\&+%#. é😀'), maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('\0')),
)

/** Quoted if necessary, and sometimes if not. */
function scalar(mustBeQuoted: (text: string) => boolean): fc.Arbitrary<ScalarNode> {
  return fc.tuple(anyText, fc.boolean()).map(([text, quoted]) => ({
    kind: 'scalar',
    text,
    quoted: quoted || text.startsWith('"') || mustBeQuoted(text),
    span,
  }))
}

const alone = scalar(() => false)
const inside = scalar((text) => /[()[\],]/.test(text))
const listItem = scalar((text) => text === '' || /[()[\],]|^ | $/.test(text))

const operatorsTaking = (takes: 'scalar' | 'list'): FilterOperator[] =>
  (Object.keys(filterOperators) as FilterOperator[]).filter(
    (operator) => filterOperators[operator].takes === takes,
  )

function filter(
  text: fc.Arbitrary<ScalarNode>,
  operand: fc.Arbitrary<OperandNode> = field,
): fc.Arbitrary<FilterNode> {
  const list: fc.Arbitrary<ValueNode> = fc
    .array(listItem, { maxLength: 4 })
    .map((items) => ({ kind: 'list', items, span }))
  const with_ = (takes: 'scalar' | 'list', value: fc.Arbitrary<ValueNode>) =>
    fc.record({
      kind: fc.constant('filter' as const),
      field: operand,
      operator: fc.constantFrom(...operatorsTaking(takes)),
      value,
      span: fc.constant(span),
    })
  return fc.oneof(with_('scalar', text), with_('list', list))
}

const { condition, related, relationFilter } = fc.letrec<{
  condition: ConditionNode
  group: GroupNode
  related: RelatedAggregateNode
  relationFilter: RelationFilterNode
}>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    filter(inside),
    tie('relationFilter'),
    filter(inside, tie('related')),
    tie('group'),
  ),
  group: groupOf(tie('condition')),
  related: relatedOf(tie('condition')),
  relationFilter: fc.record({
    kind: fc.constantFrom('exists', 'missing'),
    path,
    where: fc.array(fc.oneof({ maxDepth: 3 }, filter(inside), filter(inside, tie('related'))), {
      maxLength: 3,
    }),
    span: fc.constant(span),
  }),
}))

/** Without conditions, the last of the names is the column. */
function relatedOf(items: fc.Arbitrary<ConditionNode>): fc.Arbitrary<RelatedAggregateNode> {
  return fc
    .record({
      fn: fc.constantFrom(...aggregateFunctions),
      path,
      where: fc.array(items, { maxLength: 2 }),
      column: field,
      only: name.map(fieldOf),
    })
    .map(({ fn, path, where, column, only }) => ({
      kind: 'related',
      function: fn,
      path,
      where,
      ...(fn === 'count' ? {} : { column: where.length === 0 ? only : column }),
      text: '',
      span,
    }))
}

function groupOf(items: fc.Arbitrary<ConditionNode>): fc.Arbitrary<GroupNode> {
  return fc.record({
    kind: fc.constantFrom('or', 'and', 'not'),
    items: fc.array(items, { minLength: 1, maxLength: 3 }),
    span: fc.constant(span),
  })
}

const topLevel = fc.oneof(filter(alone), filter(alone, related), relationFilter, groupOf(condition))

const label = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/)
  .filter((text) => !text.includes('__'))
  .map(textNode)

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const aggregate: fc.Arbitrary<AggregateNode> = fc
  .tuple(fc.constantFrom(...aggregateFunctions), field, optional(label))
  .map(([fn, column, name]) => ({
    kind: 'aggregate',
    function: fn,
    field: column,
    ...(name === undefined ? {} : { label: name }),
    span,
  }))

const groupKey: fc.Arbitrary<GroupByNode> = fc
  .tuple(fc.constantFrom('column', 'year', 'month', 'day'), field, optional(label))
  .map(([kind, column, name]) => ({
    kind,
    field: column,
    ...(name === undefined ? {} : { label: name }),
    text: kind === 'column' ? column.text : `${kind}(${column.text})`,
    span,
  }))

const order: fc.Arbitrary<OrderNode> = fc
  .tuple(fc.oneof(field, related), fc.boolean(), optional(fc.constantFrom('first', 'last')))
  .map(([column, descending, nulls]) => ({
    field: column,
    descending,
    ...(nulls === undefined ? {} : { nulls }),
    span,
  }))

const joins: fc.Arbitrary<JoinNode[]> = fc
  .array(
    fc.oneof(
      field.map((node) => node.text),
      fc.constant(''),
    ),
    { maxLength: 4 },
  )
  // A single empty token stands for a missing value.
  .filter((tokens) => tokens.length !== 1 || tokens[0] !== '')
  .map((tokens) => tokens.map((text) => ({ path: text.split('.'), text, span })))

const output: fc.Arbitrary<OutputNode> = fc.oneof(
  field,
  fc.constant({ kind: 'all' as const, text: '*', span }),
  field.map((left) => ({ kind: 'without' as const, field: left, text: `-${left.text}`, span })),
  fc
    .tuple(related, optional(label))
    .map(([node, name]) => (name === undefined ? node : { ...node, label: name })),
)

const relationOption: fc.Arbitrary<RelationOptionNode> = fc.oneof(
  fc.record({
    path,
    span: fc.constant(span),
    option: fc.constant('limit' as const),
    limit: anyText.map(textNode),
  }),
  fc.record({
    path,
    span: fc.constant(span),
    option: fc.constant('order_by' as const),
    order: fc.array(order, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    path,
    span: fc.constant(span),
    option: fc.constant('fields' as const),
    fields: fc.array(output, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    path,
    span: fc.constant(span),
    option: fc.constant('where' as const),
    where: fc.array(condition, { minLength: 1, maxLength: 3 }),
  }),
)

const relationWrite: fc.Arbitrary<RelationWriteNode> = fc.record({
  option: fc.constantFrom('on_conflict', 'on_missing'),
  path,
  value: anyText.map(textNode),
  span: fc.constant(span),
})

const single: fc.Arbitrary<QueryAst['single']> = fc
  .array(fc.tuple(fc.constantFrom(...singleParameters), anyText.map(textNode)), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries))

const additional = fc.array(
  fc.record({ name: fc.constantFrom(...ownParameters), value: anyText.map(textNode) }),
  { maxLength: 3 },
)

/** A whole query. */
export const arbitraryAst: fc.Arbitrary<QueryAst> = fc
  .record({
    raw: fc.constant(''),
    where: fc.array(topLevel, { maxLength: 3 }),
    joins,
    fields: fc.array(output, { maxLength: 3 }),
    groupBy: fc.array(groupKey, { maxLength: 3 }),
    aggregates: fc.array(aggregate, { maxLength: 3 }),
    order: fc.array(order, { maxLength: 3 }),
    distinctOn: fc.array(field, { maxLength: 2 }),
    relationOptions: fc.array(relationOption, { maxLength: 3 }),
    relationWrites: fc.array(relationWrite, { maxLength: 2 }),
    single,
    additional,
  })
  .map(({ fields, ...ast }) => (fields.length === 0 ? ast : { ...ast, fields }))
