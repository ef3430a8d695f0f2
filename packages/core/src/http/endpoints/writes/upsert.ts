// POST with on_conflict: updates each record whose unique key exists, and creates the others (docs/writing.md).

import { transformHost, validatorHost } from '../../../access/hooks/model-functions.ts'
import { missingReference } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { unmatchable, visibleNames } from '../../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import { keyText } from '../../../query/run/key.ts'
import { refuseUnheld } from '../../../write/body/held-values.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { withoutFields } from '../../../write/body/plain-record.ts'
import { nodeReader, type ReadOptions, readNode } from '../../../write/body/read-body.ts'
import { RepeatedInMode } from '../../../write/body/repeated-members.ts'
import { needsTransform, withStoredForms } from '../../../write/body/transform.ts'
import { initialValues } from '../../../write/check/initial-values.ts'
import { admitted, refuseWithoutVersion } from '../../../write/check/preconditions.ts'
import { addOtherForms, requireAccess } from '../../../write/check/write-checks.ts'
import { lockLinked } from '../../../write/links/lock-linked.ts'
import { requireListAccess } from '../../../write/links/write-links.ts'
import { columnValues, planLookUp } from '../../../write/nodes/look-up-plan.ts'
import { nestsSeveral, pathTo, type RecordNode, type Values } from '../../../write/nodes/node.ts'
import { lockForChanges } from '../../../write/resolve/lock-for-changes.ts'
import { keyIn, lockedRecordsBy, readScoped } from '../../../write/resolve/look-up-records.ts'
import { resolveUniqueNames } from '../../../write/resolve/resolve-unique-names.ts'
import { changeRecord } from '../../../write/store/change.ts'
import { columnsToRead } from '../../../write/store/columns-to-read.ts'
import { refuseWithLater, reports } from '../../../write/store/lists/later-problems.ts'
import { ChangeStep, CreateStep, type ManyStep } from '../../../write/store/lists/many-step.ts'
import type { ReturnedRows } from '../../../write/store/lists/rows/returned-rows.ts'
import { writeMany } from '../../../write/store/lists/write-many.ts'
import type { WriteContext } from '../../../write/store/write-context.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { relationKeysOf } from './request/relation-keys.ts'
import { uniqueColumns } from './request/unique-columns.ts'
import { initialColumns, keyOf } from './request/upsert-key.ts'
import { noteChanged } from './response/changed.ts'
import { knownRows, returnedEcho } from './response/echo.ts'
import { type Items, keysOf, writtenResult } from './response/result.ts'
import { inWrite } from './write-stages.ts'

/** A record of the body, read both as a change and as a new record. A class, as `CreateStep` says. */
class Candidate {
  readonly change: RecordNode
  readonly create: RecordNode
  /** Problems that apply only if it is created, such as missing required fields; undefined if there are none. */
  readonly createProblems: InputProblems | undefined
  /** The values for the look-up, with the initial values of columns that the body does not set; undefined if one is missing or null. */
  readonly key: readonly Value[] | undefined
  /** The columns of the key that get an initial value. */
  readonly initial: readonly NamedColumn[]

  constructor({ change, create, createProblems, key, initial }: Candidate) {
    this.change = change
    this.create = create
    this.createProblems = createProblems
    this.key = key
    this.initial = initial
  }
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
  const createOnly = await call.runtime.callerRegistries.createOnly(call, resource)
  const relationKeys = relationKeysOf(resource, ast)
  const reading = { items, many, problems, createOnly, relationKeys }
  const read = await readCandidates(call, resource, columns, reading)
  if (problems.any) {
    addOtherForms(problems, read.map(ownChange))
  }
  problems.refuse()
  const nodes = [...read.map(ownChange), ...read.map(({ create }) => create)]
  await refuseUnheld(nodes, problems, validatorHost(call))
  const candidates = await withStored(call, read)
  // Whether the records are written one by one, in their order. That is tried after failures, because a record may conflict with
  // another one of the list, or refer to a new one. A batch cannot repeat its transaction, so there the order is kept from the start.
  let isInOrder = call.runtime.batch !== undefined && refersToItself(resource)
  let conflicts = 0
  return inWrite(
    call,
    resource,
    async (writing) => {
      const { context } = writing
      const related =
        relationKeys.size === 0 ? candidates : await resolved(context, candidates, columns)
      const identified = await identify(context, resource, related, columns)
      await lockLinked(context, resource, identified.map(ownChange))
      const together = !isInOrder && !context.hosted && mayGoTogether(columns, identified)
      const isStored = storeResponse !== undefined
      const returned = together && many ? returnedEcho(writing, echo, isStored) : undefined
      const written = together
        ? await writeTogether(context, resource, identified, columns, returned)
        : await writeEach(context, resource, identified, columns)
      context.problems.refuse()
      const status = written.created ? 201 : 200
      const keys = keysOf(resource, written.values)
      const rows = knownRows(resource, echo, returned, written.values)
      const shown = { keys, many, status, isStored, rows } as const
      const result = await writtenResult(writing, resource, ast, shown)
      await storeResponse?.(writing, result, keys)
      return result
    },
    {
      retryOn: ({ failure: { kind } }) => {
        if (kind === 'unique') {
          // A concurrent transaction may have created the record after the look-up; the next one finds it.
          conflicts += 1
          isInOrder ||= conflicts > 1
          return true
        }
        // If records are written together, changed ones are stored before new ones, so a changed record that refers to a new
        // one is refused.
        const mayDependOnOrder = many && !isInOrder && refersToItself(resource)
        isInOrder = kind === 'foreignKey' && mayDependOnOrder
        return isInOrder
      },
      isBulk:
        many || relationKeys.size > 0 || candidates.some(({ create }) => nestsSeveral(create)),
    },
  )
}

/** Whether records of a resource may refer to each other. */
const refersToItself = (resource: Resource): boolean =>
  [...resource.allRelations.values()].some(
    ({ kind, target }) => kind === 'belongsTo' && target === resource,
  )

async function readCandidates(
  call: Call,
  resource: Resource,
  columns: readonly NamedColumn[],
  {
    items,
    many,
    problems,
    createOnly,
    relationKeys,
  }: Pick<Items, 'items' | 'many' | 'problems'> &
    Required<Pick<ReadOptions, 'createOnly' | 'relationKeys'>>,
): Promise<readonly Candidate[]> {
  const identifying = new Map(columns.map((column) => [column.name, unmatchable(resource, column)]))
  const host = validatorHost(call)
  const options = { mode: 'update', identifying, createOnly, relationKeys } as const
  const readChange = nodeReader(resource, options, problems, host)
  const repeatedAsNew = new RepeatedInMode('create', identifying)
  const candidates: Candidate[] = []
  let own = inputProblems()
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as JsonValue
    const path = many ? `[${i}]` : ''
    const asChange = readChange(item, path)
    const change = asChange instanceof Promise ? await asChange : asChange
    const asNew =
      repeatedAsNew.read(change, item) ??
      readNode(resource, item, { path, mode: 'create', identifying, relationKeys }, own, host)
    const create = asNew instanceof Promise ? await asNew : asNew
    noteChanged(call, change)
    noteChanged(call, create)
    const initial = initialColumns(change, columns)
    const key = keyOf(columns, change)
    const createProblems = own.any ? own : undefined
    candidates.push(new Candidate({ change, create, createProblems, key, initial }))
    // Records share a collector until one of them has problems.
    if (own.any) own = inputProblems()
  }
  return candidates
}

/** The candidates after `withStoredForms`, which transforms each value of an object once. */
async function withStored(
  call: Call,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (!candidates.some(hasValueToTransform)) return candidates
  const read = [...candidates.map(ownChange), ...candidates.map(({ create }) => create)]
  const stored = await withStoredForms(read, noProblems, transformHost(call))
  return candidates.map((candidate, i) => {
    const change = stored[i] as RecordNode
    const create = stored[candidates.length + i] as RecordNode
    return new Candidate({ ...candidate, change, create })
  })
}

const noProblems = { any: false } as const

const hasValueToTransform = ({ change, create }: Candidate): boolean =>
  needsTransform(change) || needsTransform(create)

/** The candidates after `resolveUniqueNames`. */
async function resolved(
  context: WriteContext,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<readonly Candidate[]> {
  const [first] = candidates
  // Before the look-ups, as in the following stages.
  if (first !== undefined && candidates.some(({ key, initial }) => key ?? initial[0])) {
    await requireAccess(context, first.change.resource, 'PATCH')
  }
  const changes = candidates.map(ownChange)
  const creates = candidates.map(({ create }) => create)
  const records = await resolveUniqueNames(context, [...changes, ...creates])
  return candidates.map((candidate, i) => {
    const change = records[i] as RecordNode
    const create = records[candidates.length + i] as RecordNode
    const key = keyOf(columns, change)
    const initial = initialColumns(change, columns)
    return new Candidate({ ...candidate, change, create, key, initial })
  })
}

/** Completes the keys with the initial values of columns that were not sent; each default is called once. */
async function identify(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<readonly Candidate[]> {
  if (candidates.every(isComplete)) return candidates
  const identified: Candidate[] = []
  for (const candidate of candidates) {
    if (candidate.initial.length === 0) {
      identified.push(candidate)
      continue
    }
    // Checked before the defaults are called, because the look-up needs this right.
    await requireAccess(context, resource, 'PATCH')
    const { change, create } = candidate
    const initial = await initialValues(context, resource, candidate.initial)
    const key = keyOf(columns, change, { ...change.values, ...initial })
    identified.push(new Candidate({ ...candidate, create: { ...create, initial }, key }))
  }
  return identified
}

const isComplete = ({ initial }: Candidate): boolean => initial.length === 0

const namesOf = (columns: readonly NamedColumn[]): ReadonlySet<string> =>
  new Set(columns.map(({ name }) => name))

interface Upserted {
  /** The values of the records, at least their keys. */
  readonly values: readonly Values[]
  /** Whether one of them was created. */
  readonly created: boolean
}

/** Whether no two records have the same unique key, so that one look-up can find all stored records. */
function mayGoTogether(columns: readonly NamedColumn[], candidates: readonly Candidate[]): boolean {
  if (candidates.length < 2 || columns.some(({ collation }) => collation !== undefined))
    return false
  const known = new Set<string>()
  for (let i = 0; i < candidates.length; i++) {
    const key = candidates[i]?.key
    const text = key && keyText(key)
    if (text === undefined) continue
    if (known.has(text)) return false
    known.add(text)
  }
  return true
}

/** Writes all records with one look-up and few statements. */
async function writeTogether(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
  returned: ReturnedRows | undefined,
): Promise<Upserted> {
  const keys: (readonly Value[])[] = []
  for (let i = 0; i < candidates.length; i++) {
    const key = candidates[i]?.key
    if (key !== undefined) keys.push(key)
  }
  // Before the look-up, so that callers who may only create cannot find out which records exist.
  if (keys.length > 0) await requireAccess(context, resource, 'PATCH')
  const changes = candidates.map(ownChange)
  if (keys.length > 0) await requireListAccess(context, changes)
  const read = columnsToRead(context, resource, { kind: 'change', nodes: changes, touches: false })
  const identifying = namesOf(columns)
  const lockedFor = lockForChanges(context, resource, changes, { identifying })
  const known = await lockedRecordsBy(context, resource, columns, keys, 'PATCH', lockedFor, read)
  const steps: ManyStep[] = []
  let created = false
  for (let i = 0; i < candidates.length; i++) {
    const step = stepOf(candidates[i] as Candidate, columns, identifying, known)
    steps.push(step)
    created ||= step.kind === 'create'
  }
  return { values: await writeMany(context, resource, steps, returned), created }
}

const ownChange = ({ change }: Candidate): RecordNode => change

function stepOf(
  candidate: Candidate,
  columns: readonly NamedColumn[],
  identifying: ReadonlySet<string>,
  known: ReadonlyMap<string, Values>,
): ManyStep {
  const { key, create: node } = candidate
  const stored = key && known.get(keyText(key))
  try {
    if (stored !== undefined) {
      refuseWithoutVersion(node.resource, node.path)
      return new ChangeStep(changeOf(candidate, identifying), stored, { touches: false })
    }
    refuseToCreate(candidate, columns, key !== undefined)
    return new CreateStep(node)
  } catch (error) {
    return refusedStep(candidate, error)
  }
}

function refusedStep({ create: node, createProblems }: Candidate, error: unknown): ManyStep {
  const problems = reports(error, createProblems) ? createProblems : undefined
  return { kind: 'refused', node, error, problems }
}

async function writeEach(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<Upserted> {
  if (candidates.length > 1) await lockStored(context, resource, candidates, columns)
  const values: Values[] = []
  let created = false
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i] as Candidate
    try {
      const written = await writeOne(context, resource, candidate, columns)
      values.push(written.values)
      created ||= written.created
    } catch (error) {
      if (!reports(error, context.problems, candidate.createProblems)) throw error
      // A record without a key is refused before the right to look up the others is checked.
      if (!(await context.access.mayWrite(resource, 'PATCH'))) throw error
      const later = await laterSteps(context, resource, candidates.slice(i), columns)
      const steps = [refusedStep(candidate, error), ...later]
      return refuseWithLater(context, resource, steps, 0, error, false)
    }
  }
  return { values, created }
}

/**
 * The steps of the candidates after the refused one, which is the first of these, by one look-up. Leaves out those that may change or
 * create a record: those with the key of an earlier one, and those that are not found by the text of their key, although a collation may
 * find them.
 */
async function laterSteps(
  context: WriteContext,
  resource: Resource,
  [refused, ...later]: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<readonly ManyStep[]> {
  const identifying = namesOf(columns)
  const keys = later.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const nodes = later.map(ownChange)
  const read = columnsToRead(context, resource, { kind: 'change', nodes, touches: false })
  const lockedFor = lockForChanges(context, resource, nodes, { identifying })
  const known =
    keys.length === 0
      ? new Map<string, Values>()
      : await lockedRecordsBy(context, resource, columns, keys, 'PATCH', lockedFor, read)
  const mayDiffer = columns.some(({ collation }) => collation !== undefined)
  const taken = new Set([refused?.key && keyText(refused.key)])
  const steps: ManyStep[] = []
  for (const candidate of later) {
    const text = candidate.key && keyText(candidate.key)
    const isUnknown =
      text !== undefined && (taken.has(text) || (mayDiffer && known.get(text) === undefined))
    taken.add(text)
    if (!isUnknown) steps.push(stepOf(candidate, columns, identifying, known))
  }
  return steps
}

/** Locks the stored records in the order of their keys. Locked in the order of the list, they could block another list. */
async function lockStored(
  context: WriteContext,
  resource: Resource,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<void> {
  const keys = candidates.flatMap(({ key }) => (key === undefined ? [] : [key]))
  if (keys.length === 0 || !context.target.dialect.capabilities.locksRows) return
  // Before the look-up, so that callers who may only create cannot find out which records exist.
  await requireAccess(context, resource, 'PATCH')
  const lockedFor = lockForChanges(context, resource, candidates.map(ownChange))
  await lockedRecordsBy(context, resource, columns, keys, 'PATCH', lockedFor, resource.primaryKey)
}

async function writeOne(
  context: WriteContext,
  resource: Resource,
  candidate: Candidate,
  columns: readonly NamedColumn[],
): Promise<{ readonly values: Values; readonly created: boolean }> {
  const { key: wanted } = candidate
  if (wanted !== undefined) {
    // Before the look-up, so that callers who may only create cannot find out which records exist.
    await requireAccess(context, resource, 'PATCH')
    const plan = planLookUp(resource, columnValues(columns, wanted), { read: resource.primaryKey })
    const [stored] = await readScoped(context, plan, 'PATCH', 1)
    const key = stored && keyIn(resource, stored)
    if (stored !== undefined && key !== undefined) {
      refuseWithoutVersion(resource, candidate.change.path)
      const node = changeOf(candidate, namesOf(columns))
      const options = { action: 'PATCH', touches: false, precondition: admitted } as const
      const values = await changeRecord(context, node, key, options)
      return { values, created: false }
    }
  }
  refuseToCreate(candidate, columns, wanted !== undefined)
  const step = new CreateStep(candidate.create)
  const [made = {}] = await writeMany(context, resource, [step])
  return { values: made, created: true }
}

/** The change of a stored record, without its unique key, which stays the same. */
const changeOf = ({ change }: Candidate, identifying: ReadonlySet<string>): RecordNode =>
  withoutFields(change, identifying)

/** Throws if a record that was not found cannot be created. */
function refuseToCreate(
  { change: { path }, createProblems }: Candidate,
  columns: readonly NamedColumn[],
  isIdentified: boolean,
): void {
  // Clients cannot choose a generated key.
  if (isIdentified && columns.some(({ definition }) => definition.generated)) {
    throw missingReference(visibleNames(columns).map((name) => pathTo(path, name)))
  }
  createProblems?.refuse()
}
