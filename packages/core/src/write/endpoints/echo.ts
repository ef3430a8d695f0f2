// Echoes: the records that a write returns, read by key through the read pipeline in the same transaction (contract §3, §8).

import type { Call } from '../../call.ts'
import { compileRead } from '../../compile/read-program.ts'
import { type Opened, objectsOf, scopePlan } from '../../endpoints/read-stages.ts'
import { ApiError } from '../../errors.ts'
import { keyText } from '../../execute/key.ts'
import type { LoadedRow } from '../../execute/loaded-row.ts'
import { readAll } from '../../execute/read.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { QueryAst } from '../../parse/ast.ts'
import type { Reach } from '../../plan/context.ts'
import type { ReadPlan, Value } from '../../plan/plan.ts'
import { planOne } from '../../plan/read-plan.ts'
import { trackAuthority } from '../../plan-cache/authority-bound.ts'
import type { Resource } from '../../registry/resource.ts'
import { recordText } from '../../serialize/tag-text.ts'
import { keyOfRow, withKeyAndTag } from '../plan/echo.ts'
import { withKeys } from '../plan/look-up.ts'

/** A written record as the caller may read it. */
export interface Echo {
  /** null if the caller may not read it. */
  readonly value: JsonValue
  /** The JSON of the row that its ETag is made of. */
  readonly record: string | undefined
}

const hiddenEcho: Echo = { value: null, record: undefined }
const keysPerStatement = 500

/** Plans the echo before anything is written, so that mistakes in its query are found; the plan has no key yet. */
export const planEcho = (resource: Resource, ast: QueryAst, reach: Reach): ReadPlan =>
  withKeyAndTag(planOne(resource, ast, [], reach))

/** `planEcho`, cached by query and by the resources that the caller may list. */
export function cachedEchoPlan(call: Call, resource: Resource, ast: QueryAst): ReadPlan {
  const { echoes } = call.runtime
  const name = `${resource.name}\n${call.query}`
  const known = echoes.get(name, call)
  if (known !== undefined) return known
  const tracker = trackAuthority(call)
  const plan = planEcho(resource, ast, tracker.reach)
  echoes.set(name, call, tracker.bind(plan))
  return plan
}

/** Reads the records with these keys, in the order of the keys. */
export async function readEchoes(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
): Promise<readonly Echo[]> {
  if (!call.reach(resource)) return keys.map(() => hiddenEcho)
  const echoes = new Map<string, Echo>()
  for (let i = 0; i < keys.length; i += keysPerStatement) {
    const chunk = keys.slice(i, i + keysPerStatement)
    for (const [key, echo] of await readChunk(call, opened, resource, ast, chunk)) {
      echoes.set(key, echo)
    }
  }
  return keys.map((key) => echoes.get(keyText(key)) ?? hiddenEcho)
}

async function readChunk(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
): Promise<ReadonlyMap<string, Echo>> {
  const one = planOne(resource, ast, keys[0] ?? [], call.reach)
  const planned = {
    ...one,
    rows: { ...one.rows, where: [withKeys(one.rows.from, resource.primaryKey, keys)] },
  }
  const echoes = new Map<string, Echo>()
  try {
    const { plan: narrowed, target } = await scopePlan(call, opened, planned, ast)
    const plan = withKeyAndTag(narrowed)
    const slice = { limit: keys.length, offset: 0 }
    const rows = await readAll(opened.connection, compileRead(target, plan, undefined, slice))
    for (const row of rows) {
      const value = await valueOrNull(call, resource, plan, row)
      const record = value === null ? undefined : recordText(resource, row.values)
      echoes.set(keyText(keyOfRow(resource, row.values)), { value, record })
    }
  } catch (error) {
    // A policy that refuses the read gives 403. The write was allowed, so its record is returned as null instead.
    if (!(error instanceof ApiError) || error.status !== 403) throw error
  }
  return echoes
}

/** The record's value; null if `can_read` refuses it. */
async function valueOrNull(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  row: LoadedRow,
): Promise<JsonValue> {
  try {
    const [value = null] = await objectsOf(call, resource, plan, [row])
    return value
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}
