// POST with on_conflict: updates each record whose unique key exists, and creates the others (docs/writing.md).

import type { Call } from '../../call.ts'
import { missingReference, notUniqueColumns } from '../../errors.ts'
import { keyText } from '../../execute/key.ts'
import type { Result } from '../../http/envelope.ts'
import { plainInMode } from '../../input/plain-record.ts'
import { type InputProblems, inputProblems } from '../../input/problems.ts'
import { readNode } from '../../input/read-body.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { QueryAst } from '../../parse/ast.ts'
import type { ReadPlan, Value } from '../../plan/plan.ts'
import {
  conflictKeys,
  hasInitialValue,
  isSoftDeleteAttribute,
  unmatchable,
} from '../../registry/field-rules.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { changeRecord } from '../execute/change.ts'
import { requireAccess } from '../execute/checks.ts'
import type { WriteContext } from '../execute/context.ts'
import { createRecord } from '../execute/create.ts'
import { initialValue } from '../execute/defaults.ts'
import { keyIn, lockedRecordsBy, readScoped, valuesOf } from '../execute/look-up.ts'
import type { ReturnedRows } from '../execute/returned-rows.ts'
import { type ManyStep, writeMany } from '../execute/write-many.ts'
import { columnValues, planLookUp } from '../plan/look-up.ts'
import { pathTo, type RecordNode, type Values, without } from '../plan/node.ts'
import { noteChanged } from './changed.ts'
import { knownRows, returnedEcho } from './echo.ts'
import { type Items, keyOf, writtenResult } from './result.ts'
import { inWrite, validatorHost } from './stages.ts'

/** A record of the body, read both as a change and as a new record. */
interface Candidate {
  readonly path: string
  readonly change: RecordNode
  readonly create: RecordNode
  /** Problems that apply only if it is created, such as missing required fields. */
  readonly createProblems: InputProblems
}

/** A candidate with the values for the look-up: those that were sent, and the initial values of other columns. */
interface Identified extends Candidate {
  /** Undefined if a value is missing or null. */
  readonly key: readonly Value[] | undefined
}

/** `POST /api/books?on_conflict=isbn` → 201 if any record was created, else 200. */
export async function upsert(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { items, many, problems, storeResponse }: Items,
  echo: ReadPlan,
): Promise<Result> {
  const columns = uniqueColumns(resource, ast.single.on_conflict?.text ?? '')
  const candidates = await readCandidates(call, resource, columns, { items, many, problems })
  problems.refuse()
  let attempts = 0
  return inWrite(
    call,
    async (writing) => {
      attempts += 1
      const { context } = writing
      const identified = await identify(context, resource, candidates, columns)
      // A record may conflict with another one of the list.
      const together = attempts === 1 && !context.hosted && mayGoTogether(columns, identified)
      const returned = together ? returnedEcho(writing, echo) : undefined
      const written = together
        ? await writeTogether(context, resource, identified, columns, returned)
        : await writeEach(context, resource, identified, columns)
      context.problems.refuse()
      const status = written.some(({ created }) => created) ? 201 : 200
      const keys = written.map(({ values }) => keyOf(resource, values))
      const rows = knownRows(
        resource,
        echo,
        returned,
        written.map(({ values }) => values),
      )
      const isStored = storeResponse !== undefined
      const shown = { keys, many, status, isStored, rows } as const
      const result = await writtenResult(writing, resource, ast, shown)
      await storeResponse?.(writing, result, keys)
      return result
    },
    // A concurrent transaction may have created the record after the look-up.
    { retryOn: ({ failure }) => failure.kind === 'unique', isBulk: many },
  )
}

/** The columns of `on_conflict`: the primary key, a unique column, or a unique set. */
function uniqueColumns(resource: Resource, text: string): readonly NamedColumn[] {
  const keys = conflictKeys(resource)
  const listOf = (columns: readonly NamedColumn[]) => columns.map(({ name }) => name)
  const wanted = text.split(',').map((name) => name.trim())
  const found = keys.find(
    (columns) =>
      columns.length === wanted.length && listOf(columns).every((name) => wanted.includes(name)),
  )
  if (found !== undefined) return found
  const known = keys.map((columns) => listOf(columns).join(','))
  throw notUniqueColumns(text.slice(0, 100), known)
}

async function readCandidates(
  call: Call,
  resource: Resource,
  columns: readonly NamedColumn[],
  { items, many, problems }: Pick<Items, 'items' | 'many' | 'problems'>,
): Promise<readonly Candidate[]> {
  const identifying = new Map(columns.map((column) => [column.name, unmatchable(resource, column)]))
  const host = validatorHost(call)
  const candidates: Candidate[] = []
  let createProblems = inputProblems()
  for (const [i, item] of items.entries()) {
    const path = many ? `[${i}]` : ''
    const readAs = (mode: 'update' | 'create', found: InputProblems) =>
      readNode(resource, item, { path, mode, identifying }, found, host)
    const asChange = readAs('update', problems)
    const change = asChange instanceof Promise ? await asChange : asChange
    const asNew =
      plainInMode(change, item, 'create', identifying) ?? readAs('create', createProblems)
    const create = asNew instanceof Promise ? await asNew : asNew
    noteChanged(call, change)
    noteChanged(call, create)
    candidates.push({ path, change, create, createProblems })
    // Records without problems share their collector.
    if (createProblems.any) createProblems = inputProblems()
  }
  return candidates
}

const noColumns: readonly NamedColumn[] = []

/** Completes the keys with the initial values of columns that were not sent; each default is called once. */
async function identify(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<readonly Identified[]> {
  const identified: Identified[] = []
  for (const candidate of candidates) {
    const { path, change, create, createProblems } = candidate
    const { values } = change
    const missing = columns.every(({ name }) => Object.hasOwn(values, name))
      ? noColumns
      : columns.filter(({ name }) => !Object.hasOwn(values, name))
    if (missing.length === 0 || !missing.every((column) => isKnown(change, column))) {
      identified.push({ path, change, create, createProblems, key: valuesOf(columns, values) })
      continue
    }
    // Before the defaults are called, because the look-up uses their results.
    await requireAccess(context, resource, 'PATCH')
    const initial = await initialValues(context, resource, missing)
    const key = valuesOf(columns, { ...change.values, ...initial })
    identified.push({ ...candidate, create: { ...create, initial }, key })
  }
  return identified
}

/** Whether the service knows the value of a column that was not sent: it has one, and no nested object sets it. */
const isKnown = ({ resource, parents }: RecordNode, column: NamedColumn): boolean =>
  hasInitialValue(resource, column) &&
  !parents.some(({ relation }) => relation.from.includes(column))

async function initialValues(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
): Promise<Values> {
  const values: Record<string, JsonValue> = {}
  for (const column of columns) {
    const value = isSoftDeleteAttribute(resource, column)
      ? resource.settings.softDelete?.active
      : await initialValue(resource, column, context)
    values[column.name] = value ?? null
  }
  return values
}

const namesOf = (columns: readonly NamedColumn[]): ReadonlySet<string> =>
  new Set(columns.map(({ name }) => name))

interface Upserted {
  /** The values of the record, at least the key. */
  readonly values: Values
  readonly created: boolean
}

/** Whether no two records have the same unique key, so that one look-up can find all. */
function mayGoTogether(
  columns: readonly NamedColumn[],
  candidates: readonly Identified[],
): boolean {
  if (candidates.length < 2 || columns.some(({ collation }) => collation !== undefined))
    return false
  const keys = candidates.flatMap(({ key }) => (key === undefined ? [] : [keyText(key)]))
  return new Set(keys).size === keys.length
}

/** One look-up for all records, and few statements to store them. */
async function writeTogether(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Identified[],
  columns: readonly NamedColumn[],
  returned: ReturnedRows | undefined,
): Promise<readonly Upserted[]> {
  const keys = candidates.flatMap(({ key }) => (key === undefined ? [] : [key]))
  // Before the look-up, so that callers who may only create cannot find out which records exist.
  if (keys.length > 0) await requireAccess(context, resource, 'PATCH')
  const known = await lockedRecordsBy(context, resource, columns, keys, 'PATCH')
  const identifying = namesOf(columns)
  const steps = candidates.map((candidate): ManyStep => {
    const { key } = candidate
    const stored = key && known.get(keyText(key))
    if (stored !== undefined) {
      return { kind: 'change', node: changeOf(candidate, identifying), stored }
    }
    try {
      refuseToCreate(candidate, columns, key !== undefined)
      return { kind: 'create', node: candidate.create }
    } catch (error) {
      return { kind: 'refused', node: candidate.create, error }
    }
  })
  const written = await writeMany(context, resource, steps, returned)
  return written.map((values, i) => ({ values, created: steps[i]?.kind === 'create' }))
}

async function writeEach(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Identified[],
  columns: readonly NamedColumn[],
): Promise<readonly Upserted[]> {
  const written: Upserted[] = []
  for (const candidate of candidates) {
    written.push(await writeOne(context, resource, candidate, columns))
  }
  return written
}

async function writeOne(
  context: WriteContext,
  resource: Resource,
  candidate: Identified,
  columns: readonly NamedColumn[],
): Promise<Upserted> {
  const { key: wanted } = candidate
  if (wanted !== undefined) {
    // Before the look-up, so that callers who may only create cannot find out which records exist.
    await requireAccess(context, resource, 'PATCH')
    const plan = planLookUp(resource, columnValues(columns, wanted), false)
    const [stored] = await readScoped(context, plan, 'PATCH', 1)
    const key = stored && keyIn(resource, stored)
    if (stored !== undefined && key !== undefined) {
      const node = changeOf(candidate, namesOf(columns))
      const values = await changeRecord(context, node, key, { action: 'PATCH', replace: false })
      return { values, created: false }
    }
  }
  refuseToCreate(candidate, columns, wanted !== undefined)
  const made = await createRecord(context, candidate.create, {})
  return { values: made, created: true }
}

/** The change of a stored record, without its unique key, which stays the same. */
const changeOf = ({ change }: Candidate, identifying: ReadonlySet<string>): RecordNode => ({
  ...change,
  values: without(change.values, identifying),
})

/** Throws if a record that was not found cannot be created. */
function refuseToCreate(
  { path, createProblems }: Candidate,
  columns: readonly NamedColumn[],
  isIdentified: boolean,
): void {
  // Clients cannot choose a generated key.
  if (isIdentified && columns.some(({ definition }) => definition.generated)) {
    throw missingReference(columns.map(({ name }) => pathTo(path, name)))
  }
  createProblems.refuse()
}
