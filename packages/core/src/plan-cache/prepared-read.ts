// PreparedRead: a read that was planned once, and how the values of another request are filled into its plan.

import type { Scopes } from '../compile/scopes.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { keysetAt } from '../plan/keyset.ts'
import { operandType } from '../plan/operand-type.ts'
import { pageAt } from '../plan/page.ts'
import type { Condition, ListPlan, Page, ReadPlan, Slot, Value } from '../plan/plan.ts'
import { isSearchable } from '../plan/text-test.ts'
import { convertText } from '../plan/value.ts'
import type { Skeleton } from './skeleton.ts'
import { type StatementTemplates, statementTemplates } from './statement-templates.ts'

export interface PreparedRead<P extends ReadPlan = ReadPlan> {
  readonly plan: P
  /** Which rows of the plan's sources may be read; nothing that a policy said to one request. */
  readonly scopes: Scopes
  /** The conditions whose values are filled in, and where these stand. */
  readonly places: readonly FilledPlace[]
  /** Its statements, as a dialect prints them. */
  readonly templates: (dialect: InternalDialect) => StatementTemplates
}

interface FilledPlace {
  readonly condition: Slotted
  /** Among the values of the skeleton, or in the key of the path. */
  readonly at: { readonly value: number } | { readonly key: number }
}

type Slotted = Extract<Condition, { readonly slot?: Slot }> & { readonly slot: Slot }

/** What a request has in the place of the values. */
export interface GivenValues {
  readonly skeleton: Skeleton
  /** The key of the path, where one record is read. */
  readonly key?: readonly Value[]
}

/** Undefined where a value of the skeleton is not found in the plan's own conditions. */
export function prepareRead<P extends ReadPlan>(
  plan: P,
  skeleton: Skeleton,
  scopes: Scopes,
): PreparedRead<P> | undefined {
  const { where, having } = plan.rows
  const places = [...where, ...having].flatMap((condition): readonly FilledPlace[] => {
    if (!hasSlot(condition)) return []
    const { slot } = condition
    if ('key' in slot) return [{ condition, at: slot }]
    const value = skeleton.values.findIndex(({ start }) => start === slot.query)
    return value === -1 ? [] : [{ condition, at: { value } }]
  })
  const found = places.filter(({ at }) => 'value' in at).length
  if (found !== skeleton.values.length) return undefined
  return { plan, places, scopes, templates: byDialect() }
}

function byDialect(): PreparedRead['templates'] {
  const known = new WeakMap<InternalDialect, StatementTemplates>()
  return (dialect) => {
    const before = known.get(dialect)
    if (before !== undefined) return before
    const templates = statementTemplates()
    known.set(dialect, templates)
    return templates
  }
}

const hasSlot = (condition: Condition): condition is Slotted =>
  'slot' in condition && condition.slot !== undefined

/** A plan with its values filled in. */
export interface RefilledPlan<P extends ReadPlan> {
  readonly plan: P
  /** The conditions with the values of this request, by their slots. */
  readonly conditions: ReadonlyMap<object, Condition>
}

/** Undefined where a value is not what its place takes: it is then refused in the plain way, in its words. */
export function refilledPlan<P extends ReadPlan>(
  { plan, places }: PreparedRead<P>,
  given: GivenValues,
): RefilledPlan<P> | undefined {
  if (places.length === 0 && given.skeleton.place === undefined) return { plan, conditions: none }
  const conditions = new Map<object, Condition>()
  for (const place of places) {
    const now = refilled(place, given)
    if (now === undefined) return undefined
    conditions.set(place.condition.slot, now)
  }
  const page = isList(plan) ? pageWith(plan.page, given.skeleton.place) : undefined
  if (isList(plan) && page === undefined) return undefined
  const current = (all: readonly Condition[]): readonly Condition[] =>
    all.map((condition) =>
      hasSlot(condition) ? (conditions.get(condition.slot) ?? condition) : condition,
    )
  const { where, having } = plan.rows
  const rows = { ...plan.rows, where: current(where), having: current(having) }
  return { plan: { ...plan, rows, ...(page && { page }) }, conditions }
}

const none: ReadonlyMap<object, Condition> = new Map()

const isList = (plan: ReadPlan): plan is ListPlan => 'page' in plan

function refilled(
  { condition, at }: FilledPlace,
  { skeleton, key }: GivenValues,
): Condition | undefined {
  if ('key' in at) {
    const value = key?.[at.key]
    return value === undefined || condition.kind === 'text' ? undefined : { ...condition, value }
  }
  const text = skeleton.values[at.value]?.text ?? ''
  if (condition.kind === 'text') return isSearchable(text) ? { ...condition, text } : undefined
  const conversion = convertText(operandType(condition.operand), text)
  return 'value' in conversion ? { ...condition, value: conversion.value } : undefined
}

function pageWith(page: Page, place: string | undefined): Page | undefined {
  if (place === undefined) return page
  return page.kind === 'numbered' ? pageAt(page, place) : keysetAt(page, place)
}
