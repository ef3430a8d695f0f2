// The output pass: plans the members of each result object, for records, whose members are the columns of the model, and for projections,
// whose members `fields=title,author.name` lists. An `Output` is also a column of the SELECT.

import { conflictingParameters, featureDisabled, notHere } from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { isField, type OutputNode } from '../parse/ast.ts'
import type { SelectedAggregates } from './aggregates/selected-aggregates.ts'
import { sourceOfOperand } from './conditions/operand-type.ts'
import { planField } from './conditions/where.ts'
import { type PlanContext, textAt } from './context.ts'
import { type Names, refOf, resolveName } from './names.ts'
import type { ColumnRef, Output, RelatedRef, Source } from './plan.ts'
import { isToMany } from './relations/joins.ts'
import { allowOnRelated } from './relations/related-switches.ts'

/**
 * Returns all visible columns and `aggregates`, those that the model declares and responses contain unasked, then the hidden columns among `keys`, whose
 * values links and embeds need.
 */
export function recordOutput(
  source: Source,
  keys: readonly NamedColumn[],
  aggregates: readonly Output[] = [],
): readonly Output[] {
  const visible = [...source.resource.columns.values()].map((column) =>
    member(source, column, { visible: true }),
  )
  return [...visible, ...aggregates, ...hiddenKeys(source, visible, keys)]
}

/** Returns the columns among `keys` that the output lacks, as invisible members. */
export function hiddenKeys(
  source: Source,
  output: readonly Output[],
  keys: readonly NamedColumn[],
): readonly Output[] {
  // A label may be equal to the name of a hidden column.
  const present = new Set(
    output.flatMap(({ key, value }) => (value.kind === 'column' ? [key] : [])),
  )
  const missing = [...new Set(keys)].filter(({ name }) => !present.has(name))
  return missing.map((column) => member(source, column, { visible: false }))
}

/** An output of a column under its own name. */
const member = (
  source: Source,
  column: NamedColumn,
  { visible }: Pick<Output, 'visible'>,
): Output => ({
  key: column.name,
  value: refOf(source, column),
  visible,
})

/** Refuses `fields` if it is disabled. */
export function allowFields(
  { resource }: PlanContext,
  fields: readonly OutputNode[] | undefined,
): void {
  if (fields !== undefined && !resource.settings.allowSelectFields) {
    throw featureDisabled('Choosing fields', settingNames.allowSelectFields, 'fields')
  }
}

/** Whether `fields` has `*` or `-pages`: the objects are then records, which its other items change. */
export const selectsRecord = (fields: readonly OutputNode[]): boolean =>
  fields.some((node) => !isField(node) && node.kind !== 'related')

/** What `fields` changes of a record. */
export interface RecordChange {
  /** The columns, declared aggregates and relations that are left out. */
  readonly without: ReadonlySet<string>
  /** The declared aggregates of the record that `fields` names. */
  readonly asked: readonly Output[]
  /** The columns of joined relations and the aggregates, which follow the columns of the record. */
  readonly added: readonly Output[]
}

/** Plans `fields` for which `selectsRecord` is true. */
export function planRecordChange(
  context: PlanContext,
  names: Names,
  fields: readonly OutputNode[],
  aggregates: SelectedAggregates,
): RecordChange {
  const isAll = fields.some((node) => !isField(node) && node.kind === 'all')
  const without = new Set<string>()
  const asked: Output[] = []
  const joined: NamedRef[] = []
  for (const node of fields) {
    const at = textAt(context, node.span)
    if (isField(node)) {
      const ref = planField(context, names, node, at)
      allowOnRelated(context, ref, 'allowSelectFields', at)
      if (!isAll) throw mixed(node.text, at)
      const source = sourceOfOperand(ref)
      if (isToMany(names.joins, source)) {
        const hint = ' Name the columns instead of "*", or give the relation its own fields.'
        throw notHere(at, 'with "*", because it has many values for one record', at, hint)
      }
      if (source !== names.base) addTo(joined, { text: node.text, ref })
      else if (ref.kind === 'related') asked.push({ key: nameOf(ref), value: ref, visible: true })
    } else if (node.kind === 'without') {
      without.add(nameLeftOut(names, node, at))
    }
  }
  const { columns, relations, aggregates: declared } = names.base.resource
  const added = joined.map(({ text, ref }): Output => {
    const name = nameOf(ref)
    const collides =
      columns.has(name) ||
      declared.has(name) ||
      relations.has(name) ||
      aggregates.labels(name) !== undefined ||
      joined.some((other) => other.ref !== ref && nameOf(other.ref) === name)
    return { key: collides ? text : name, value: ref, visible: true }
  })
  return { without, asked, added: [...added, ...aggregates.outputs.values()] }
}

/** A column or a declared aggregate that `fields` names, as the client wrote it. */
interface NamedRef {
  readonly text: string
  readonly ref: ColumnRef | RelatedRef
}

/** Adds a field that is not yet in the list. */
function addTo(known: NamedRef[], named: NamedRef): void {
  if (!known.some(({ ref }) => sameField(ref, named.ref))) known.push(named)
}

/** The name of a column or a declared aggregate. */
const nameOf = (ref: ColumnRef | RelatedRef): string =>
  ref.kind === 'column' ? ref.column.name : (ref.declared?.name ?? '')

/** Whether both are the same column or declared aggregate; an aggregate is planned once for a source. */
const sameField = (a: ColumnRef | RelatedRef, b: ColumnRef | RelatedRef): boolean =>
  a === b || (a.kind === 'column' && b.kind === 'column' && sameColumn(a, b))

/** Returns the name of the column or relation that `-pages` leaves out. */
function nameLeftOut(
  names: Names,
  { field }: Extract<OutputNode, { kind: 'without' }>,
  at: string,
): string {
  if (field.path.length === 0 && names.base.resource.relations.has(field.column)) {
    return field.column
  }
  const ref = resolveName(names, field, at)
  if (ref.source === names.base && ref.column.path === undefined) return ref.column.name
  throw notHere(at, 'here: only a whole column or a relation of the record can be left out', at)
}

/** Makes the 400 of `fields=title,-pages`. */
const mixed = (name: string, at: string): Error =>
  conflictingParameters(
    `"${excerpt(name)}" stands beside a field that is left out: name only fields that are sent, or write "*" for all others.`,
    at,
  )

/**
 * Returns the output of a record with the change, then the columns among `keys` that it lacks, as invisible members. `aggregates` are
 * those that the model declares and responses contain unasked.
 */
export function changedRecordOutput(
  source: Source,
  { without, asked, added }: RecordChange,
  keys: readonly NamedColumn[],
  aggregates: readonly Output[],
): readonly Output[] {
  const { columns, primaryKey } = source.resource
  const own = [...columns.values()]
    .filter(({ name }) => !without.has(name))
    .map((column) => member(source, column, { visible: true }))
  const needed = without.size === 0 ? keys : [...keys, ...primaryKey]
  const byName = new Map([...aggregates, ...asked].map((output) => [output.key, output]))
  const declared = [...byName.values()].filter(({ key }) => !without.has(key))
  return [...own, ...declared, ...added, ...hiddenKeys(source, own, needed)]
}

/** Returns the columns of `fields`, each under its name, or as the client wrote it if two columns have the same name; and the aggregates. */
export function projectionOutput(
  context: PlanContext,
  names: Names,
  fields: readonly OutputNode[],
  aggregates: SelectedAggregates,
): readonly Output[] {
  const chosen: NamedRef[] = []
  const outputs: (Output | NamedRef)[] = []
  for (const field of fields) {
    const at = textAt(context, field.span)
    if (!isField(field)) {
      outputs.push(aggregates.outputs.get(field) as Output)
      continue
    }
    const ref = planField(context, names, field, at)
    allowOnRelated(context, ref, 'allowSelectFields', at)
    if (chosen.some((known) => sameField(known.ref, ref))) continue
    const named = { text: field.text, ref }
    chosen.push(named)
    outputs.push(named)
  }
  return outputs.map((output) => {
    if ('key' in output) return output
    const { text, ref } = output
    const name = nameOf(ref)
    const same = chosen.filter((other) => nameOf(other.ref) === name)
    const collides = same.length > 1 || aggregates.labels(name) !== undefined
    return { key: collides ? text : name, value: ref, visible: true }
  })
}

/** Whether both are the same column of the same source. */
export const sameColumn = (a: ColumnRef, b: ColumnRef): boolean =>
  a.source === b.source && a.column === b.column
