// The policy hook `can_read`: checks single records after their rows are read and before they are serialised. A refused record of
// `GET /books/1` is 403, a refused embedded record is removed from the response (docs/guide/access.md).

import { forbidden } from '../errors.ts'
import { recordForHost } from '../model/hooks/host-values.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { HookRecord } from '../model/settings/access/hook-types.ts'
import type { EmbedPlan, ReadPlan } from '../query/plan/plan.ts'
import { recordKey, withRecord } from '../query/plan/record.ts'
import type { LoadedRow } from '../query/run/loaded-row.ts'
import { type HookSubject, subjectArgs } from './hooks/hook-args.ts'
import type { HookCall } from './hooks/hook-call.ts'
import { callPolicyHook } from './policies/call-policy-hook.ts'

/** Whether the plan is of a GET of one record, whose can_read decides about the request. */
const isOne = ({ action }: ReadPlan): boolean =>
  action === 'GET_ONE' || action === 'RELATION_GET_ONE'

/**
 * Adds to a plan all columns of the records that can_read will check, because the hook receives whole records, whatever the request
 * selects: the record of a GET one, and embedded records.
 */
export function withColumnsForCanRead<P extends ReadPlan>(call: HookCall, plan: P): P {
  if (!callsCanRead(call, plan)) return plan
  const base = isOne(plan) && hasCanRead(call, plan.rows.from.resource)
  return {
    ...plan,
    rows: base ? withRecord(plan.rows) : plan.rows,
    embeds: plan.embeds.map((embed) => embedWithRecord(call, embed)),
  }
}

function embedWithRecord(call: HookCall, embed: EmbedPlan): EmbedPlan {
  const checked = hasCanRead(call, embed.relation.target)
  return {
    ...embed,
    rows: checked ? withRecord(embed.rows) : embed.rows,
    embeds: embed.embeds.map((inner) => embedWithRecord(call, inner)),
  }
}

const hasCanRead = (call: HookCall, resource: Resource): boolean =>
  call.runtime.access.policies.get(resource)?.can_read !== undefined

/** Whether can_read decides about the record of a GET one or about embedded records. */
export const callsCanRead = (call: HookCall, plan: ReadPlan): boolean =>
  call.runtime.access.policies.size > 0 &&
  ((isOne(plan) && hasCanRead(call, plan.rows.from.resource)) || anyHasCanRead(call, plan.embeds))

/** Returns a copy of the record of a row, as hooks receive it: field names, JSON values, hidden columns included. */
export function recordOf(resource: Resource, row: LoadedRow): HookRecord {
  const record: HookRecord = {}
  for (const name of resource.allColumns.keys()) record[name] = row.values[recordKey(name)] ?? null
  return recordForHost(resource, record)
}

/** Calls can_read for the loaded rows: throws 403 if it refuses the record of a GET one, and removes the embedded records it refuses. */
export async function applyCanRead(
  call: HookCall,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
): Promise<void> {
  const { action } = plan
  const { resource, relation } = plan.rows.from
  if (isOne(plan) && hasCanRead(call, resource)) {
    const subject: HookSubject = { action, resource, many: false, relation: relation?.name ?? null }
    for (const row of rows) if (!(await mayRead(call, subject, row))) throw forbidden()
  }
  await checkEmbeds(call, action, plan.embeds, rows)
}

/** Removes from `parents` the embedded records that can_read refuses, level by level. */
async function checkEmbeds(
  call: HookCall,
  action: HookSubject['action'],
  embeds: readonly EmbedPlan[],
  parents: readonly LoadedRow[],
): Promise<void> {
  if (!anyHasCanRead(call, embeds)) return
  for (const embed of embeds) {
    const { relation } = embed
    const children = new Set(parents.flatMap((parent) => childrenOf(parent, relation.name)))
    if (hasCanRead(call, relation.target)) {
      const many = relation.cardinality === 'many'
      const subject = { action, resource: relation.target, many, relation: relation.name }
      for (const child of children) {
        if (!(await mayRead(call, subject, child))) children.delete(child)
      }
      for (const parent of parents) keepAllowed(parent, relation.name, children)
    }
    await checkEmbeds(call, action, embed.embeds, [...children])
  }
}

/** Whether any embedded resource has a can_read hook. If none has, the rows are not traversed. */
const anyHasCanRead = (call: HookCall, embeds: readonly EmbedPlan[]): boolean =>
  embeds.some(
    (embed) => hasCanRead(call, embed.relation.target) || anyHasCanRead(call, embed.embeds),
  )

function childrenOf(parent: LoadedRow, name: string): readonly LoadedRow[] {
  const related = parent.related[name] ?? null
  return related === null ? [] : ([related].flat() as readonly LoadedRow[])
}

function keepAllowed(parent: LoadedRow, name: string, allowed: ReadonlySet<LoadedRow>): void {
  const related = parent.related[name] ?? null
  if (Array.isArray(related)) parent.related[name] = related.filter((row) => allowed.has(row))
  else if (related !== null && !allowed.has(related as LoadedRow)) parent.related[name] = null
}

async function mayRead(call: HookCall, subject: HookSubject, row: LoadedRow): Promise<boolean> {
  const { resource } = subject
  const policy = call.runtime.access.policies.get(resource)
  const canRead = () => policy?.can_read?.(recordOf(resource, row), subjectArgs(call, subject))
  return callPolicyHook(call, resource, 'can_read', canRead, Boolean)
}
