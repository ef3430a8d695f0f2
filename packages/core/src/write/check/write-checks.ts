// The checks before each step of a write: access, whether the caller may see the records that foreign keys refer to, and whether
// read-only fields are unchanged.

import { forbidden, missingReference } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { isValidated, unwritable } from '../../model/registry/checks/field-rules.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { relationUrl } from '../../query/serialize/links.ts'
import type { ValueCheck } from '../body/validators.ts'
import { isSet, narrowedRelations } from '../nodes/hidden-references.ts'
import { columnValues, planLookUp } from '../nodes/look-up-plan.ts'
import {
  linkedIsNotChanged,
  pathTo,
  type RecordNode,
  type SentBack,
  type Values,
} from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { existsUnscoped, valuesOf } from '../resolve/look-up-records.ts'
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

/** What earlier look-ups found out about the foreign keys of a list of records. */
export interface KnownReferences {
  /** The relations whose target may hide records; only these must be checked. */
  readonly relations: readonly ResolvedRelation[]
  /** Whether the caller may see the record with this key, given as `keyText`. */
  has(relation: ResolvedRelation, key: string): boolean
  /**
   * Called before a key is looked up that `has` does not know. Returns the function to call if the caller may see the record: it adds
   * the key to those that `has` knows.
   */
  beforeLookUp(): Promise<(relation: ResolvedRelation, key: string) => void>
  /** Whether the look-up of the list has found no such record that the caller may see; false if it does not tell. */
  isMissing(relation: ResolvedRelation, key: string): boolean
  /** The paths of the foreign keys of the later records for which `isMissing` is true. */
  missingLater(): Promise<readonly string[]>
}

/**
 * Throws 422 if a foreign key that was sent refers to a record that the caller may not see. The error names all such keys of the record,
 * and those of later records that the look-up of their list has found. `row` is the whole record to store, because other columns of the
 * key may be stored already, or come from the parent record. A key that equals the one of the `stored` record is accepted if the caller
 * may read records of `resource`, so that a client can send back what it has read.
 */
export function refuseInvisibleReferences(
  context: WriteContext,
  resource: Resource,
  sent: Values,
  row: Values,
  path: string,
  known?: KnownReferences,
  stored?: Values,
): MaybePromise<void> {
  const relations = known?.relations ?? hidingRelations(context, resource)
  let unknown: Unknown[] | undefined
  for (let i = 0; i < relations.length; i++) {
    const relation = relations[i] as ResolvedRelation
    if (!isSet(relation, sent)) continue
    const text = keyTextIn(relation.from, row)
    if (text === undefined || known?.has(relation, text) === true) continue
    unknown ??= []
    const isUnchanged = stored !== undefined && keyTextIn(relation.from, stored) === text
    unknown.push({ relation, text, isUnchanged, key: valuesOf(relation.from, row) ?? [] })
  }
  return unknown && refuseInvisible(context, resource, unknown, path, known)
}

/** The to-one relations of a resource whose target may hide records. */
const hidingRelations = (
  { access }: WriteContext,
  resource: Resource,
): readonly ResolvedRelation[] => narrowedRelations(resource, (target) => access.narrows(target))

/**
 * `refuseInvisibleReferences` for the foreign keys that nested objects have `set`. Two foreign keys may share a column: a nested `author`
 * sets `tenant_id`, which is part of the foreign key of `publisher` too. Does not look up the records of the relations in `known`:
 * they are the nested objects themselves or the parent, so the write has found them through the scope, or created them.
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
  const unseen: KnownReferences = { ...nothingKnown, relations }
  return refuseInvisibleReferences(context, resource, set, row, path, unseen, stored)
}

const nothingKnown: Omit<KnownReferences, 'relations'> = {
  has: () => false,
  beforeLookUp: () => Promise.resolve(() => {}),
  isMissing: () => false,
  missingLater: () => Promise.resolve([]),
}

/** A reference that must be looked up. */
interface Unknown {
  readonly relation: ResolvedRelation
  /** The key as `keyText`. */
  readonly text: string
  readonly isUnchanged: boolean
  readonly key: readonly Value[]
}

async function refuseInvisible(
  context: WriteContext,
  resource: Resource,
  references: readonly Unknown[],
  path: string,
  known: KnownReferences | undefined,
): Promise<void> {
  const missing: string[] = []
  let isRefused = false
  for (const { relation, text, isUnchanged, key } of references) {
    if (isUnchanged && (await mayRead(context, resource))) continue
    // After a refusal, no statement repeats what the look-up of the list has found.
    if (!(isRefused && known?.isMissing(relation, text) === true)) {
      const remember = await known?.beforeLookUp()
      if (await isVisible(context, resource, relation, key, path)) {
        remember?.(relation, text)
        continue
      }
    }
    isRefused = true
    missing.push(...shownPaths(relation, path))
  }
  if (isRefused) throw missingReference([...missing, ...((await known?.missingLater()) ?? [])])
}

/** The paths of the fields of a foreign key, in the record at `path`. */
export const shownPaths = ({ from }: ResolvedRelation, path: string): readonly string[] =>
  from.filter(({ hidden }) => !hidden).map(({ name }) => pathTo(path, name))

async function isVisible(
  context: WriteContext,
  holder: Resource,
  relation: ResolvedRelation,
  key: readonly Value[],
  path: string,
): Promise<boolean> {
  const { to, target } = relation
  // If the caller has no access to the target, no policy is called, and the row only has to exist, as the foreign key requires.
  if (!(await context.access.mayWrite(target, 'GET_ONE'))) {
    return existsUnscoped(context, target, matchesOf(keyParts(to), key))
  }
  const plan = planLookUp(target, columnValues(to, key), { read: to })
  const paths = () => shownPaths(relation, path)
  const found = await readReferred(context, plan, { holder, columns: to, keys: [key], paths })
  return found.length > 0
}

/** Runs the validators of foreign keys that were not sent, but set to the key of a nested or parent record. `row` is the whole record. */
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

/** Adds the values that are not of their column's type to the problems, where no stored record is known that could hold them. */
export function addOtherForms(
  problems: Pick<WriteContext['problems'], 'add'>,
  nodes: readonly RecordNode[],
): void {
  for (const { path, sentBack } of nodes) {
    for (const [name, { expected }] of Object.entries(sentBack.otherForms)) {
      problems.add(pathTo(path, name), expected)
    }
  }
}

/** Says as POST does why a field cannot be written; it depends on the model and the caller's rights alone, not on stored values. */
function notChanged(resource: Resource, name: string): string {
  const column = resource.bodyColumns.get(name)
  const why = column && unwritable(resource, column, 'update')
  // Clients may write the field, but not in a record that this request only links.
  return why === undefined ? 'This field cannot be changed here.' : `This field ${why}.`
}

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
  for (const [name, { value, expected }] of Object.entries(sentBack.otherForms)) {
    if (isReadable && isStoredForm(value, stored[name])) continue
    problems.add(pathTo(path, name), expected)
  }
  for (const [name, url] of Object.entries(sentBack.urls)) {
    const relation = resource.relations.get(name)
    if (relation === undefined) continue
    if (isReadable && url === relationUrl(relation, stored, context.base)) continue
    problems.add(pathTo(path, name), 'This is not the URL of the relation; send records instead.')
  }
  for (const name of sentBack.nested ?? []) {
    problems.add(pathTo(path, name), linkedIsNotChanged)
  }
}
