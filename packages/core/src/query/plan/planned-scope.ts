// planScope: plans the checked conditions of a policy's scope as conditions on one source, with the values of a request:
// `{ owner_id: 7 }` → `"books"."owner_id" = 7`. `access/policies/scope.ts` calls it for each source of a plan. A test of null holds for no
// row; the outline without values is planned once for each resource.

import type { FilterOperator } from '../../model/query-words/operators.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { createAliases } from './aliases.ts'
import type { CheckedScope, ScopeNode } from './checked-scope.ts'
import { type LookUpStart, lookUpStep } from './conditions/look-up.ts'
import { planScopeTest } from './conditions/scope-test.ts'
import { slotValue } from './conditions/slot-value.ts'
import { refOf } from './names.ts'
import type { Condition, Operand, ScopeSlot, Source } from './plan.ts'
import { withJunction } from './relations/sources.ts'

/** The scope of one request. */
export interface PlannedScope {
  /** Conditions on `source`. */
  readonly conditions: readonly Condition[]
  /** The policy's model; its alias is the table's name. */
  readonly source: Source
  /** Identifies the SQL of the conditions without their values, apart from decisions about these. */
  readonly form: string
  /** The values of the conditions, at the indexes that their slots name; null for a test that is left out. */
  readonly values: readonly unknown[]
}

/** Plans the conditions with the values of a request, in the order of `CheckedScope.values`. */
export function planScope(
  resource: Resource,
  { root }: CheckedScope,
  values: readonly unknown[],
): PlannedScope {
  const outline = outlineOf(resource, root)
  const { source } = outline
  const used: unknown[] = values.map(() => null)
  const condition = withValues(outline.root, values, used)
  if (condition === undefined) {
    return { conditions: [noRows(source)], source, form: 'none', values: [] }
  }
  return { conditions: flat(condition), source, form: formOf(outline, used), values: used }
}

/** A scope on one resource, without values. */
interface ScopeOutline {
  readonly of: ScopeNode
  readonly source: Source
  readonly root: OutlineNode
  /** Identifies the SQL if no test is left out, apart from decisions about values. */
  readonly form: string
}

/** A condition of an outline. */
type OutlineNode =
  | {
      readonly kind: 'test'
      readonly operand: Operand
      readonly column: NamedColumn
      readonly operator: FilterOperator
      readonly slot: ScopeSlot
      readonly at: string
    }
  | {
      readonly kind: 'and' | 'or'
      readonly all: readonly OutlineNode[]
      /** Whether one part with a null value makes the whole condition NULL in SQL. If not, parts with null values are omitted. */
      readonly needsAll: boolean
    }
  | { readonly kind: 'not'; readonly one: OutlineNode }
  /** A condition on related rows: the condition itself without its `where`, and the outline of that. */
  | { readonly kind: 'exists'; readonly found: Omit<Exists, 'where'>; readonly where: OutlineNode }

type Exists = Extract<Condition, { readonly kind: 'exists' }>

/** Caches the last outline of each resource. A `scope` that is an object instead of a function is the same for all requests. */
const outlines = new WeakMap<Resource, ScopeOutline>()

/** Returns the cached outline of a scope, or plans it. */
function outlineOf(resource: Resource, of: ScopeNode): ScopeOutline {
  const known = outlines.get(resource)
  if (known?.of === of) return known
  const source = tableSource(resource)
  const form: string[] = []
  const aliases = createAliases()
  // Reserves the alias of the base, so that no related table takes it.
  aliases(resource.table)
  const start = { repeated: false, nested: false }
  const root = nodeOf(of, source, { form, aliases, negated: false, start })
  const outline = { of, source, root, form: form.join(' ') }
  outlines.set(resource, outline)
  return outline
}

/** The source whose columns the conditions name. The rows that they narrow are those of the plan's source, which also applies soft delete. */
const tableSource = (resource: Resource): Source => ({
  resource,
  alias: resource.table,
  relation: null,
  many: true,
  includeDeleted: true,
})

/** What `nodeOf` passes on while it plans an outline. */
interface OutlineContext {
  /** The parts of `ScopeOutline.form`. */
  readonly form: string[]
  readonly aliases: (wanted: string) => string
  /** Whether the condition is inside `not`. */
  readonly negated: boolean
  readonly start: LookUpStart
}

/** Plans one condition of the scope on a row of `source`, and adds to `form` what identifies its SQL. */
function nodeOf(node: ScopeNode, source: Source, outlining: OutlineContext): OutlineNode {
  const { form, negated } = outlining
  switch (node.kind) {
    case 'test': {
      const { operator, index, at } = node
      const column = source.resource.allColumns.get(node.column) as NamedColumn
      form.push(node.column, operator)
      const slot = { scope: index }
      return { kind: 'test', operand: refOf(source, column), column, operator, slot, at }
    }
    case 'not': {
      form.push('not(')
      const one = nodeOf(node.one, source, { ...outlining, negated: true })
      form.push(')')
      return { kind: 'not', one }
    }
    case 'exists': {
      const relation = source.resource.allRelations.get(node.relation) as ResolvedRelation
      const { lookUp, next: start } = lookUpStep(relation, outlining.start)
      const related = relatedSource(relation, outlining)
      form.push(node.relation, '(')
      const where = nodeOf(node.where, related, { ...outlining, start })
      form.push(')')
      const exact = negated ? ({ exact: true } as const) : {}
      const found = { from: source, relation, source: related, negated: false, lookUp, ...exact }
      return { kind: 'exists', found: { kind: 'exists', ...found }, where }
    }
    default: {
      form.push(`${node.kind}(`)
      const all = node.all.map((one) => nodeOf(one, source, outlining))
      form.push(')')
      // A part of an OR whose value is null is omitted. Inside `not` the whole OR counts as NULL, so that no row meets it.
      return { kind: node.kind, all, needsAll: node.kind === 'and' || negated }
    }
  }
}

const relatedSource = (relation: ResolvedRelation, { aliases }: OutlineContext): Source =>
  withJunction({
    resource: relation.target,
    alias: aliases(`${relation.name} in scope`),
    relation,
    many: relation.cardinality === 'many',
    includeDeleted: false,
  })

/**
 * Returns the condition with values, which it also adds to `used`; undefined if null values make it NULL for every row, so that no row
 * meets it.
 */
function withValues(
  node: OutlineNode,
  values: readonly unknown[],
  used: unknown[],
): Condition | undefined {
  switch (node.kind) {
    case 'test': {
      const { column, operator, operand, slot, at } = node
      const test = planScopeTest(column, operator, values[slot.scope], at)
      if (test === undefined) return undefined
      // The converted value, by which a stored statement is sent.
      used[slot.scope] = slotValue(test)
      return { ...test, operand, slot }
    }
    case 'not': {
      const one = withValues(node.one, values, used)
      return one && { kind: 'not', one }
    }
    case 'exists': {
      const where = withValues(node.where, values, used)
      return where && { ...node.found, where: flat(where) }
    }
    default: {
      const known: Condition[] = []
      for (const one of node.all) {
        const condition = withValues(one, values, used)
        if (condition !== undefined) known.push(condition)
      }
      const isUnknown = known.length < node.all.length
      if (isUnknown && (node.needsAll || known.length === 0)) return undefined
      return known.length === 1 ? known[0] : { kind: node.kind, all: known }
    }
  }
}

/** The conditions of an AND; a list of any other condition alone. */
const flat = (condition: Condition): readonly Condition[] =>
  condition.kind === 'and' ? condition.all : [condition]

/** Returns the outline's `form` with the positions of the tests that are left out, because their values are null. */
function formOf({ form }: ScopeOutline, used: readonly unknown[]): string {
  let whole = form
  for (const [i, value] of used.entries()) if (value === null) whole += ` ${i} null`
  return whole
}

/** Returns the condition `x in ()`, which no row meets. */
function noRows(source: Source): Condition {
  const [column] = source.resource.allColumns.values()
  const operand = refOf(source, column as NamedColumn)
  return { kind: 'oneOf', operand, values: [], negated: false }
}
