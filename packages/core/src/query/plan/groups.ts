// The grouping pass: plans `groupby` and aggregates as grouping keys, labels and the members of each result object
// (docs/reference/query-language.md): `groupby=year(born_on)|y,price__sum` → `{"y":1815,"price_sum":"30"}`. A grouping key that is a part
// of a date is a *bucket*.

import {
  conflictingParameters,
  featureDisabled,
  notHere,
  operatorNotForType,
  unknownColumn,
} from '../../errors.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import { columnTypes } from '../../model/column-types.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { functionFits, isGroupable } from '../../model/type-rules.ts'
import { type AggregateNode, type GroupByNode, isField } from '../parse/ast.ts'
import type { Labels } from './conditions/where.ts'
import { type PlanContext, textAt } from './context.ts'
import { type Names, resolveColumn } from './names.ts'
import type { AggregateRef, BucketRef, ColumnRef, Output } from './plan.ts'

/** What `groupby` and aggregates ask for. */
export interface PlannedGroups {
  readonly keys: readonly (ColumnRef | BucketRef)[]
  /** The members of each result object: keys and aggregates. */
  readonly output: readonly Output[]
  /** Returns the aggregate or bucket with a label. */
  readonly labels: Labels
}

/** Whether the query asks for groups rather than rows. */
export const asksForGroups = (context: PlanContext): boolean =>
  context.ast.groupBy.length > 0 || context.ast.aggregates.length > 0

/** Plans the groups. Aggregates without `groupby` give one row; `groupby` without aggregates gives the distinct combinations. */
export function planGroups(context: PlanContext, names: Names): PlannedGroups {
  refuseIfDisabled(context)
  const keys = context.ast.groupBy.map((node) => ({
    node,
    operand: groupingKey(context, names, node),
  }))
  const keyNames = distinctNames(keys)
  const aggregates = context.ast.aggregates.map((node) => ({
    label: node.label?.text ?? `${node.field.column}_${node.function}`,
    operand: planGroupAggregate(context, names, node),
    node,
  }))
  const taken = new Set<string>()
  for (const name of keyNames) claimMemberName(taken, name, 'grouping key', name)
  for (const { label, node } of aggregates) {
    const at = textAt(context, node.span)
    if (context.resource.columns.has(label)) {
      throw conflictingParameters(
        `The label "${label}" is also a column; choose another with |label.`,
        at,
      )
    }
    claimMemberName(taken, label, 'label', at)
  }
  const members = [
    ...keys.map(({ operand }, i) => ({ key: keyNames[i] ?? '', value: operand })),
    ...aggregates.map(({ label, operand }) => ({ key: label, value: operand })),
  ]
  const byKey = new Map(members.map((member) => [member.key, member]))
  return {
    keys: keys.map(({ operand }) => operand),
    output: visibleMembers(context, names, byKey),
    labels: (name) => {
      const value = byKey.get(name)?.value
      return value?.kind === 'column' ? undefined : value
    },
  }
}

/** Throws the 400 if a setting disables grouping or aggregation. */
function refuseIfDisabled({ ast, resource, ...context }: PlanContext): void {
  const [groupBy] = ast.groupBy
  if (groupBy !== undefined && !resource.settings.allowGroupby) {
    throw featureDisabled(
      'Grouping',
      settingNames.allowGroupby,
      textAt({ ast, resource, ...context }, groupBy.span),
    )
  }
  const [first] = ast.aggregates
  if (first !== undefined && !resource.settings.allowAggregation) {
    throw featureDisabled(
      'Aggregation',
      settingNames.allowAggregation,
      textAt({ ast, resource, ...context }, first.span),
    )
  }
}

/** Adds a name of a member of the result objects to `taken`; refuses it if it is already there. `what` names its kind in the error. */
export function claimMemberName(taken: Set<string>, key: string, what: string, at: string): void {
  if (taken.has(key)) {
    throw conflictingParameters(
      `The ${what} "${key}" is given twice; choose another with |label.`,
      at,
    )
  }
  taken.add(key)
}

/** Plans one item of `groupby`: a column, or `year(born_on)`. */
function groupingKey(context: PlanContext, names: Names, node: GroupByNode): ColumnRef | BucketRef {
  const at = textAt(context, node.span)
  const of = resolveColumn(names, node.field, at)
  if (node.kind === 'column') {
    if (isGroupable(of.column)) return of
    throw operatorNotForType('groupby', node.field.text, of.column.type, '', at)
  }
  // Only types of calendar dates have `fromClock`.
  if (columnTypes[of.column.type].fromClock === false) {
    throw operatorNotForType(
      node.kind,
      node.field.text,
      of.column.type,
      ' It takes a date or a datetime.',
      at,
    )
  }
  return { kind: 'bucket', unit: node.kind, of }
}

/** Plans an aggregate over a column of each group: `price__sum`. */
function planGroupAggregate(context: PlanContext, names: Names, node: AggregateNode): AggregateRef {
  const at = textAt(context, node.span)
  const of = resolveColumn(names, node.field, at)
  if (!functionFits(node.function, of.column)) {
    throw operatorNotForType(node.function, node.field.text, of.column.type, '', at)
  }
  const countsRows = node.function === 'count' && isNeverNull(names, of)
  const planned = { kind: 'aggregate', function: node.function, of } as const
  return countsRows ? { ...planned, countsRows } : planned
}

/** Whether a column is never NULL: a primary key column of the base, unless a right join adds rows without a base row. */
const isNeverNull = ({ base, joins }: Names, { source, column }: ColumnRef): boolean =>
  source === base &&
  base.resource.primaryKey.some(({ name }) => name === column.name) &&
  joins.every(({ type }) => type !== 'right')

/** Returns the name of each grouping key: its label, else the column's name. For buckets and equal names: what the client wrote. */
function distinctNames(
  keys: readonly { node: GroupByNode; operand: ColumnRef | BucketRef }[],
): readonly string[] {
  const plain = keys.map(({ node, operand }) =>
    node.label !== undefined
      ? node.label.text
      : operand.kind === 'column'
        ? operand.column.name
        : node.text,
  )
  const seen = new Set<string>()
  // Adding a name again does not change the size.
  const repeated = new Set(plain.filter((text) => seen.size === seen.add(text).size))
  return keys.map(({ node }, i) => {
    const text = plain[i] ?? ''
    return repeated.has(text) && node.label === undefined ? node.text : text
  })
}

/** A member of the result objects, by its JSON key. */
type Member = { readonly key: string; readonly value: ColumnRef | BucketRef | AggregateRef }

/** Returns the members that `fields` selects. `fields` does not change the grouping. */
function visibleMembers(
  context: PlanContext,
  names: Names,
  byKey: ReadonlyMap<string, Member>,
): readonly Output[] {
  const { fields } = context.ast
  const members = [...byKey.values()]
  if (fields === undefined) return members.map((member) => ({ ...member, visible: true }))
  if (!context.resource.settings.allowSelectFields) {
    throw featureDisabled('Choosing fields', settingNames.allowSelectFields, 'fields')
  }
  const chosen = fields.map((field) => {
    if (!isField(field)) {
      const hint = ' "fields" of groups names grouping columns and labels.'
      throw notHere(field.text, 'with groups', textAt(context, field.span), hint)
    }
    const member = byKey.get(field.text) ?? byColumn(context, names, members, field)
    if (member !== undefined) return member
    // A column that exists and is no grouping key: `byColumn` has refused unknown names.
    throw unknownColumn(
      field.text,
      'the groups',
      didYouMean(field.text, byKey.keys()),
      textAt(context, field.span),
    )
  })
  return [...new Set(chosen)].map((member) => ({ ...member, visible: true }))
}

/** Finds the grouping key that is the column which `fields` names; undefined if the column is no grouping key. Throws 400 for an unknown column. */
function byColumn(
  context: PlanContext,
  names: Names,
  members: readonly Member[],
  field: GroupByNode['field'],
): Member | undefined {
  const ref = resolveColumn(names, field, textAt(context, field.span))
  return members.find(
    ({ value }) =>
      value.kind === 'column' && value.source === ref.source && value.column === ref.column,
  )
}
