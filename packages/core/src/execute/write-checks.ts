// What every step of a write asks before it acts: roles and policy, foreign keys in sight, echoes that are true.

import { forbidden, missingReference } from '../errors.ts'
import { relationUrl } from '../http/links.ts'
import type { Value } from '../plan/plan.ts'
import { sameValue } from '../plan/same-value.ts'
import { planLookUp } from '../plan/write-look-up.ts'
import { type Echoed, pathTo, type Values } from '../plan/write-node.ts'
import { narrowedReferences } from '../plan/write-references.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import { existsUnscoped, matchOf, readScoped, valuesOf } from './look-up.ts'
import type { WriteAction } from './write-access.ts'
import type { LateCheck, WriteContext } from './write-context.ts'

/** 403 unless methods and roles allow the action on the resource. */
export async function demand(
  { access }: WriteContext,
  resource: Resource,
  action: WriteAction,
): Promise<void> {
  if (!(await access.mayWrite(resource, action))) throw forbidden()
}

/**
 * 422 where a foreign key that was sent leads to a record that the caller may not see. `row` is the record as it will
 * be: of a key of several columns, a part may have been stored before or be given by the record above.
 */
export async function refuseUnseenReferences(
  context: WriteContext,
  resource: Resource,
  sent: Values,
  row: Values,
  path: string,
): Promise<void> {
  const narrows = (target: Resource) => context.access.narrows(target)
  for (const relation of narrowedReferences(resource, sent, narrows)) {
    if (!(await isInSight(context, relation, row))) {
      throw missingReference(relation.from.map(({ name }) => pathTo(path, name)))
    }
  }
}

async function isInSight(
  context: WriteContext,
  { from, to, target }: ResolvedRelation,
  row: Values,
): Promise<boolean> {
  const key = valuesOf(from, row)
  if (key === undefined) return true
  const equal = to.map((column, i) => ({ column, value: key[i] as Value }))
  // Of a resource that is closed to the caller no policy is asked: the database would accept any row, too.
  if (!(await context.access.mayWrite(target, 'GET_ONE'))) {
    return existsUnscoped(context, target.table, equal.map(matchOf))
  }
  const found = await readScoped(context, planLookUp(target, equal, false), 'GET_ONE', 1)
  return found.length > 0
}

/** Asks the validators of fields that were not sent: the foreign keys that nesting fills. `row` is the whole record. */
export async function checkFilled(
  { validate }: WriteContext,
  resource: Resource,
  filled: Values,
  row: Values,
  path: string,
  before: Values | null = null,
): Promise<void> {
  const checks = Object.keys(filled).flatMap((name): readonly LateCheck[] => {
    const column = resource.columns.get(name)
    const value = filled[name] ?? null
    const { validator, format } = column?.definition ?? {}
    if (column === undefined || value === null) return []
    if (validator === undefined && format !== 'uri') return []
    return [{ resource, column, value, row, before, path: pathTo(path, name) }]
  })
  if (checks.length > 0) await validate(checks)
}

/** Problems where what was sent back differs from what is stored. */
export function compareEchoes(
  context: WriteContext,
  resource: Resource,
  echoed: Echoed,
  stored: Values,
  path: string,
): void {
  const { problems } = context
  for (const [name, value] of Object.entries(echoed.fields)) {
    const column = resource.columns.get(name)
    if (column !== undefined && sameValue(column, value, stored[name] ?? null)) continue
    problems.add(pathTo(path, name), 'This field cannot be changed here.')
  }
  for (const [name, url] of Object.entries(echoed.urls)) {
    const relation = resource.relations.get(name)
    if (relation === undefined || url === relationUrl(relation, stored, context.base)) continue
    // A to-one relation set to null is asked to be undone; whether it may be is decided with the record.
    if (url === null && relation.kind === 'belongsTo') continue
    problems.add(pathTo(path, name), 'This is not the URL of the relation; send records instead.')
  }
}
