// PreparedRead: a cached plan of a read with its stored statements, and how the values of a later request replace those in its
// conditions. The slot of a condition says where its value is in the request: `{ query: 10 }` for the 30 of `price__ge=30`. The statement
// was stored with that slot object in the place of the value, so the object is the key by which a later request passes its own value.
// `prepareRead` makes one when a query occurs again, and `planWithValues` puts the values of each request into it.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { Scopes } from '../compile/scopes.ts'
import type { QueryAst } from '../parse/ast.ts'
import { operandType } from '../plan/conditions/operand-type.ts'
import { slotValue } from '../plan/conditions/slot-value.ts'
import { isSearchable } from '../plan/conditions/text-test.ts'
import { convertText } from '../plan/conditions/value.ts'
import { keysetAt } from '../plan/order/keyset.ts'
import { pageAt } from '../plan/order/page.ts'
import type { Condition, KeysetPage, Page, ReadPlan, ScopeSlot, Slot, Value } from '../plan/plan.ts'
import { isListPlan } from '../plan/read-plan.ts'
import type { Skeleton } from './skeleton.ts'
import { type StatementStore, statementStore } from './statement-store.ts'

/** Made by `prepareRead`, cached by `read-cache.ts`, and used with the values of each request by `planWithValues`. */
export interface PreparedRead<P extends ReadPlan = ReadPlan> {
  readonly plan: P
  /** The scopes if the caller may read all rows of every source. Undefined if policies and callbacks must be called for each request. */
  readonly openScopes: Scopes | undefined
  /** The parameters of API_ADDITIONAL_QUERY_PARAMS, which the filter callback receives; the same for every request of this query. */
  readonly additional: QueryAst['additional']
  /** The conditions whose values each request replaces. */
  readonly replaceable: readonly ReplaceableCondition[]
  /** The statements as printed for a dialect, and for the SQL of the scopes of the plan's sources (`PrintedScopes.forms`). */
  readonly statements: (dialect: InternalDialect, forms: readonly string[]) => ReadStatements
}

/** The printed statements of one read. */
export interface ReadStatements {
  readonly store: StatementStore
  /** True after the database has built JSON of an unexpected form. Later requests then read plain values. */
  hadUnexpectedJson: boolean
}

/** The most statements of one read that are stored: those of pages, counts and embedded relations, for the sizes of lists. */
const maxStatements = 200

/** A condition of the cached plan, and where a later request has its value. */
interface ReplaceableCondition {
  readonly condition: ConditionWithSlot
  /** The index of its value in `Skeleton.values`, or in the key of the path. */
  readonly at: { readonly value: number } | { readonly key: number }
}

/** Those members of the union `C` that can have a slot. */
type TestWithSlot<C> = C extends unknown ? ('slot' extends keyof C ? C : never) : never

/** The conditions that filter operators make. `withNewValue` decides for each kind whether another value can replace its own. */
type ReplaceableTest = TestWithSlot<Condition>

/** A condition with a value of the query or the path. Values of policies (`ScopeSlot`) come with the scopes, not from the text. */
type ConditionWithSlot = ReplaceableTest & {
  readonly slot: Exclude<Slot, ScopeSlot>
}

/** The values that a request puts into a cached plan. */
export interface RequestValues {
  readonly skeleton: Skeleton
  /** The key of the path if one record is read. */
  readonly key?: readonly Value[]
}

/**
 * Prepares a plan for caching; undefined if a value of the skeleton belongs to no top-level condition of the plan, because a later value
 * could then not be put into it.
 */
export function prepareRead<P extends ReadPlan>(
  plan: P,
  skeleton: Skeleton,
  { openScopes, additional }: Pick<PreparedRead, 'openScopes' | 'additional'>,
): PreparedRead<P> | undefined {
  const { where, having } = plan.rows
  const replaceable = [...where, ...having].flatMap(
    (condition): readonly ReplaceableCondition[] => {
      if (!hasSlot(condition)) return []
      const { slot } = condition
      if ('key' in slot) return [{ condition, at: slot }]
      const value = skeleton.values.findIndex(({ start }) => start === slot.query)
      return value === -1 ? [] : [{ condition, at: { value } }]
    },
  )
  const found = replaceable.filter(({ at }) => 'value' in at).length
  if (found !== skeleton.values.length) return undefined
  const slots = new Set<object>(replaceable.map(({ condition }) => condition.slot))
  // The skeleton contains the other values, which are therefore the same for all requests of this read.
  const fixed = (condition: Condition): Condition =>
    hasSlot(condition) && !slots.has(condition.slot) ? withoutSlot(condition) : condition
  const rows = { ...plan.rows, where: where.map(fixed), having: having.map(fixed) }
  return {
    plan: { ...plan, rows },
    openScopes,
    additional,
    replaceable,
    statements: byDialectAndScopes(),
  }
}

/** Maximum number of scopes with different SQL that are cached for one read; the SQL of a policy may differ between callers. */
const maxScopeForms = 16

/** The statements for one SQL of the scopes. */
interface ScopedStatements {
  readonly forms: readonly string[]
  readonly statements: ReadStatements
}

/** Returns the `statements` of a read: one store of statements for each dialect and each SQL of the scopes. */
function byDialectAndScopes(): PreparedRead['statements'] {
  const byDialect = new WeakMap<InternalDialect, readonly ScopedStatements[]>()
  return (dialect, forms) => {
    // The entry that was used last is first. Comparing a few strings, most of them identical objects, costs less than hashing them.
    const scoped = byDialect.get(dialect) ?? []
    const at = scoped.findIndex((entry) => areEqual(entry.forms, forms))
    const used = scoped[at] ?? { forms, statements: newStatements() }
    if (at !== 0) {
      const others = scoped.filter((entry) => entry !== used)
      byDialect.set(dialect, [used, ...others].slice(0, maxScopeForms))
    }
    return used.statements
  }
}

const newStatements = (): ReadStatements => ({
  store: statementStore(maxStatements),
  hadUnexpectedJson: false,
})

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, i) => text === others[i])

const hasSlot = (condition: Condition): condition is ConditionWithSlot =>
  'slot' in condition && condition.slot !== undefined

const withoutSlot = ({ slot: _, ...condition }: ConditionWithSlot): Condition => condition

/** A cached plan with the values of a request. */
export interface PlanWithValues<P extends ReadPlan> {
  readonly plan: P
  /** The values of this request, by their slots. */
  readonly values: ReadonlyMap<object, unknown>
}

/**
 * Returns the cached plan with the values of a request: the conditions have them for compilation, `values` for the stored statements.
 * Undefined if a value does not convert, so that normal planning throws the 400.
 */
export function planWithValues<P extends ReadPlan>(
  { plan, replaceable }: PreparedRead<P>,
  request: RequestValues,
): PlanWithValues<P> | undefined {
  const { pageOrCursor } = request.skeleton
  const isUnchanged = replaceable.length === 0 && pageOrCursor === undefined
  if (isUnchanged && cursorOf(plan) === undefined) return { plan, values: noValues }
  const { list } = plan.rows.from.resource.settings.limits
  // Normal planning then throws the 400 for a list that is too long.
  if (request.skeleton.values.some((value) => 'items' in value && value.items.length > list)) {
    return undefined
  }
  const conditions = new Map<object, Condition>()
  const values = new Map<object, unknown>()
  for (const each of replaceable) {
    const condition = withNewValue(each, request)
    if (condition === undefined) return undefined
    conditions.set(each.condition.slot, condition)
    values.set(each.condition.slot, slotValue(condition))
  }
  const page = isListPlan(plan) ? pageAtPosition(plan.page, pageOrCursor) : undefined
  if (isListPlan(plan) && page === undefined) return undefined
  const current = (all: readonly Condition[]): readonly Condition[] =>
    all.map((condition) =>
      hasSlot(condition) ? (conditions.get(condition.slot) ?? condition) : condition,
    )
  const { where, having } = plan.rows
  const rows = { ...plan.rows, where: current(where), having: current(having) }
  const converted = { ...plan, rows, ...(page && { page }) }
  const cursor = cursorOf(converted)
  // The values of a cursor have the terms of the order as their slot.
  if (cursor !== undefined) values.set(cursor.terms, cursor.values)
  return { plan: converted, values }
}

const noValues: ReadonlyMap<object, unknown> = new Map()

/** The page beyond a cursor, whether the skeleton has the cursor or the request; undefined for other pages. */
function cursorOf(plan: ReadPlan): KeysetPage | undefined {
  const page = isListPlan(plan) ? plan.page : undefined
  return page?.kind === 'keyset' && page.values !== null ? page : undefined
}

/** Returns a condition with the value of this request, converted to the type of its column; undefined if that does not fit. */
function withNewValue(
  { condition, at }: ReplaceableCondition,
  { skeleton, key }: RequestValues,
): ReplaceableTest | undefined {
  if ('key' in at) {
    // A look-up of several rows at once: `key` is the list of their keys.
    if (condition.kind === 'oneOf') return key && { ...condition, values: key }
    const value = key?.[at.key]
    return value === undefined || condition.kind !== 'compare' ? undefined : { ...condition, value }
  }
  const written = skeleton.values[at.value]
  if (written === undefined) return undefined
  if ('items' in written)
    return condition.kind === 'oneOf' ? withItems(condition, written.items) : undefined
  const { text } = written
  switch (condition.kind) {
    case 'text':
      return isSearchable(text) ? { ...condition, text } : undefined
    case 'compare': {
      const conversion = convertText(operandType(condition.operand), text)
      return 'value' in conversion ? { ...condition, value: conversion.value } : undefined
    }
    // Their values stay in the skeleton's key (`isReplaceable`), or are lists, which are replaced above.
    case 'between':
    case 'oneOf':
    case 'items':
    case 'isNull':
      return undefined
  }
}

/** Returns the condition with other items; undefined if an item does not fit the column. */
function withItems(
  condition: Extract<Condition, { readonly kind: 'oneOf' }>,
  items: readonly string[],
): ReplaceableTest | undefined {
  const type = operandType(condition.operand)
  const values: Value[] = []
  for (const item of items) {
    const conversion = convertText(type, item)
    if (!('value' in conversion)) return undefined
    values.push(conversion.value)
  }
  return { ...condition, values }
}

/** Returns the page at the number or cursor of this request; undefined if that is not valid. */
function pageAtPosition(page: Page, pageOrCursor: string | undefined): Page | undefined {
  if (pageOrCursor === undefined) return page
  return page.kind === 'numbered' ? pageAt(page, pageOrCursor) : keysetAt(page, pageOrCursor)
}
