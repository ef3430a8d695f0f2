// The checks before each step of a write: access, visible foreign keys, and read-only fields that were sent back unchanged.

import { forbidden, missingReference } from '../../errors.ts'
import { relationUrl } from '../../http/links.ts'
import type { ValueCheck } from '../../input/validators.ts'
import type { ResolvedRelation, Resource } from '../../registry/resource.ts'
import { keyParts, matchesOf } from '../compile/statements-by-keys.ts'
import { columnValues, planLookUp } from '../plan/look-up.ts'
import { pathTo, type SentBack, type Values } from '../plan/node.ts'
import { narrowedReferences } from '../plan/references.ts'
import { sameValue } from '../plan/same-value.ts'
import type { WriteAction } from './access.ts'
import type { WriteContext } from './context.ts'
import { existsUnscoped, readScoped, valuesOf } from './look-up.ts'

/** Throws 403 unless methods and roles allow the action on the resource. */
export async function requireAccess(
  { access }: WriteContext,
  resource: Resource,
  action: WriteAction,
): Promise<void> {
  if (!(await access.mayWrite(resource, action))) throw forbidden()
}

/**
 * Throws 422 if a foreign key that was sent refers to a record that the caller may not see. `row` is the whole record to
 * store: other columns of the key may be stored already, or come from the parent record.
 */
export async function refuseInvisibleReferences(
  context: WriteContext,
  resource: Resource,
  sent: Values,
  row: Values,
  path: string,
): Promise<void> {
  const narrows = (target: Resource) => context.access.narrows(target)
  for (const relation of narrowedReferences(resource, sent, narrows)) {
    if (!(await isVisible(context, relation, row))) {
      throw missingReference(relation.from.map(({ name }) => pathTo(path, name)))
    }
  }
}

async function isVisible(
  context: WriteContext,
  { from, to, target }: ResolvedRelation,
  row: Values,
): Promise<boolean> {
  const key = valuesOf(from, row)
  if (key === undefined) return true
  // Without access to the resource, no policy is called: the row only has to exist, as for the database.
  if (!(await context.access.mayWrite(target, 'GET_ONE'))) {
    return existsUnscoped(context, target.table, matchesOf(keyParts(to), key))
  }
  const plan = planLookUp(target, columnValues(to, key), false)
  const found = await readScoped(context, plan, 'GET_ONE', 1)
  return found.length > 0
}

/** Runs the validators of foreign keys that were not sent but filled by nesting. `row` is the whole record. */
export async function validateFilled(
  { validate }: WriteContext,
  resource: Resource,
  filled: Values,
  row: Values,
  path: string,
  before: Values | null = null,
): Promise<void> {
  const checks = Object.keys(filled).flatMap((name): readonly ValueCheck[] => {
    const column = resource.columns.get(name)
    const value = filled[name] ?? null
    const { validator, format } = column?.definition ?? {}
    if (column === undefined || value === null) return []
    if (validator === undefined && format !== 'uri') return []
    return [{ resource, column, value, row, before, path: pathTo(path, name) }]
  })
  if (checks.length > 0) await validate(checks)
}

/** Adds a problem for each read-only field or relation URL in the body that differs from the stored record. */
export function compareSentBack(
  context: WriteContext,
  resource: Resource,
  sentBack: SentBack,
  stored: Values,
  path: string,
): void {
  const { problems } = context
  for (const [name, value] of Object.entries(sentBack.fields)) {
    const column = resource.columns.get(name)
    if (column !== undefined && sameValue(column, value, stored[name] ?? null)) continue
    problems.add(pathTo(path, name), 'This field cannot be changed here.')
  }
  for (const [name, url] of Object.entries(sentBack.urls)) {
    const relation = resource.relations.get(name)
    if (relation === undefined || url === relationUrl(relation, stored, context.base)) continue
    // null for a to-one relation asks to clear it; `clearedRelations` decides about that.
    if (url === null && relation.kind === 'belongsTo') continue
    problems.add(pathTo(path, name), 'This is not the URL of the relation; send records instead.')
  }
}
