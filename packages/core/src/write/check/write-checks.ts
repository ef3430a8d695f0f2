// The checks that several steps of a write share: access, whether the caller may see the records that foreign keys refer to, whether
// read-only fields that a body sends back are unchanged, and the validators of foreign keys that nested objects set.

import { forbidden, missingReference } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import { isValidated, unwritable } from '../../model/registry/checks/field-rules.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { linkedIsNotChanged, otherRelationUrl, unchangedHere, unwritten } from '../../problems.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyTextIn } from '../../query/run/key.ts'
import { relationUrl } from '../../query/serialize/links.ts'
import type { ValueCheck } from '../body/validators.ts'
import { isSet, narrowedRelations } from '../nodes/hidden-references.ts'
import { columnValues, planLookUp } from '../nodes/look-up-plan.ts'
import {
  isEmpty,
  type NestedNode,
  pathTo,
  type RecordNode,
  type SentBack,
  type Values,
} from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { existsUnscoped } from '../resolve/look-up-records.ts'
import { keyParts, matchesOf } from '../statements/statements-by-keys.ts'
import type { WriteContext } from '../store/write-context.ts'
import { readReferred } from './referred-records.ts'
import type { WriteAction } from './write-access.ts'

/** Throws 403 unless methods and roles allow the action on the resource; the error names the record at `path`. */
export async function requireAccess(
  { access }: WriteContext,
  resource: Resource,
  action: WriteAction,
  path?: string,
): Promise<void> {
  if (!(await access.mayWrite(resource, action))) throw forbidden(path)
}

/**
 * Throws 422 if a foreign key refers to a record that the caller may not see; the error names all such keys of the record. `sent` are the
 * values of which one is a part of the key, `row` is the whole record to store, because the other parts may be stored already, or come from
 * the records around it. A key that equals the one of the `stored` record is accepted if the caller may read records of `resource`, so that
 * a client can send back what it has read.
 */
export async function refuseInvisible(
  context: WriteContext,
  resource: Resource,
  relations: readonly ResolvedRelation[],
  { sent, row, stored }: { readonly sent: Values; readonly row: Values; readonly stored?: Values },
  path: string,
): Promise<void> {
  const missing: string[] = []
  // `missing` may be empty although a key is refused: a foreign key of hidden columns has no path.
  let isRefused = false
  for (const relation of relations) {
    const key = isSet(relation, sent) ? keyFromRow(relation.from, row) : undefined
    if (key === undefined) continue
    const isUnchanged =
      stored !== undefined && keyTextIn(relation.from, stored) === keyTextIn(relation.from, row)
    if (isUnchanged && (await mayRead(context, resource))) continue
    const paths = () => shownPaths(relation, path)
    if (await isVisible(context, resource, relation, key, paths)) continue
    isRefused = true
    missing.push(...paths())
  }
  if (isRefused) throw missingReference(missing)
}

/** The to-one relations of a resource whose target may hide records from the caller, so that writes look the records up. */
export const hidingRelations = (
  { access }: WriteContext,
  resource: Resource,
): readonly ResolvedRelation[] => narrowedRelations(resource, (target) => access.narrows(target))

/**
 * Throws 422 if a foreign key that nested objects have `set` (its values) refers to a record that the caller may not see. Two foreign keys
 * may share a column: a nested `author` sets `tenant_id`, which is part of the foreign key of `publisher` too. Does not look up the records
 * of the relations in `isKnown`: they are the nested objects themselves or the parent, so the write has found them through the scope, or
 * created them.
 */
export function refuseInvisibleByParts(
  context: WriteContext,
  resource: Resource,
  set: Values,
  row: Values,
  path: string,
  stored: Values,
  isKnown: (relation: ResolvedRelation) => boolean,
): MaybePromise<void> {
  const relations = hidingRelations(context, resource).filter((relation) => !isKnown(relation))
  if (relations.length === 0) return
  return refuseInvisible(context, resource, relations, { sent: set, row, stored }, path)
}

/** The paths of the fields of a foreign key, in the record at `path`. */
export const shownPaths = ({ from }: ResolvedRelation, path: string): readonly string[] =>
  from.filter(({ hidden }) => !hidden).map(({ name }) => pathTo(path, name))

/**
 * Whether the caller may see the record that a foreign key refers to. `holder` is the model with the foreign key, `paths` are the places in
 * the body of the references to the record.
 */
export async function isVisible(
  context: WriteContext,
  holder: Resource,
  relation: ResolvedRelation,
  key: readonly Value[],
  paths: () => readonly string[],
): Promise<boolean> {
  const { to, target } = relation
  // If the caller has no access to the target, no policy is called, and the row only has to exist, as the foreign key requires.
  if (!(await context.access.mayWrite(target, 'GET_ONE'))) {
    return existsUnscoped(context, target, matchesOf(keyParts(to), key))
  }
  const plan = planLookUp(target, columnValues(to, key), { read: to })
  const found = await readReferred(context, plan, { holder, columns: to, keys: [key], paths })
  return found.length > 0
}

/**
 * Runs the validators of foreign keys that were not sent, but set to the key of a nested or parent record: `filled` has their values. `row`
 * is the record to store, `before` the stored one; null if it is new.
 */
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
    if (column === undefined || value === null || !isValidated(column)) return []
    return [{ resource, column, value, row, before, path: pathTo(path, name) }]
  })
  if (checks.length > 0) await validate(checks)
}

/** Whether methods and roles allow the caller to read records of a resource, alone or in lists. */
export const mayRead = async ({ access }: WriteContext, resource: Resource): Promise<boolean> =>
  (await access.mayWrite(resource, 'GET_ONE')) || (await access.mayWrite(resource, 'GET_MANY'))

/** Whether a value of a body equals the stored value as responses show it. */
const isStoredForm = (value: JsonValue, stored: JsonValue | undefined): boolean =>
  stored !== undefined && stringify(value) === stringify(stored)

/** The change of a stored child; none for other nested objects. */
const changedChild = (node: NestedNode): readonly RecordNode[] =>
  node.kind === 'child' ? [node.asFound] : []

/**
 * Adds the values that are not of their column's type to the problems, where no stored record is known that could hold them; also those
 * of children.
 */
export function addOtherForms(
  problems: Pick<WriteContext['problems'], 'add'>,
  nodes: readonly RecordNode[],
): void {
  for (const { path, sentBack, children } of nodes) {
    for (const list of children) addOtherForms(problems, list.nodes.flatMap(changedChild))
    for (const [name, { problem }] of Object.entries(sentBack.otherForms)) {
      problems.add(pathTo(path, name), problem)
    }
  }
}

/** The problem of a field that differs from the stored one: why POST could not write it. It depends on the model and the rights alone. */
function notChanged(resource: Resource, name: string): CodedProblem {
  const column = resource.bodyColumns.get(name)
  const why = column && unwritable(resource, column, 'update')
  // Clients may write the field, but not in a record that this request only links.
  return why === undefined ? unchangedHere : unwritten('field', why)
}

/** Whether an object that refers to a stored record has other members than its key. */
export const hasSentBack = ({ sentBack }: { readonly sentBack: SentBack }): boolean =>
  sentBack.nested !== undefined ||
  !(isEmpty(sentBack.fields) && isEmpty(sentBack.otherForms) && isEmpty(sentBack.urls))

/**
 * Adds a problem for each read-only field or relation URL in the body that differs from the stored record. If the caller may not read
 * the record, adds one for each of them, because a caller could otherwise find out a stored value by sending guesses.
 */
export async function compareSentBack(
  context: WriteContext,
  resource: Resource,
  sentBack: SentBack,
  stored: Values,
  path: string,
): Promise<void> {
  const { problems } = context
  const isReadable = await mayRead(context, resource)
  for (const [name, value] of Object.entries(sentBack.fields)) {
    const column = isReadable ? resource.columns.get(name) : undefined
    if (column !== undefined && sameValue(column, value, stored[name] ?? null)) continue
    problems.add(pathTo(path, name), notChanged(resource, name))
  }
  for (const [name, { value, problem }] of Object.entries(sentBack.otherForms)) {
    if (isReadable && isStoredForm(value, stored[name])) continue
    problems.add(pathTo(path, name), problem)
  }
  for (const [name, url] of Object.entries(sentBack.urls)) {
    const relation = resource.relations.get(name)
    if (relation === undefined) continue
    if (isReadable && url === relationUrl(relation, stored, context.base)) continue
    problems.add(pathTo(path, name), otherRelationUrl)
  }
  for (const name of sentBack.nested ?? []) {
    problems.add(pathTo(path, name), linkedIsNotChanged)
  }
}
