// POST with on_conflict: updates each record whose unique key exists, and creates the others (docs/guide/writing.md). `create.ts` calls it. Which
// of both happens is known only in the transaction, so each object of the body is read both ways.

import { transformHost, validatorHost } from '../../../access/hooks/model-functions.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { unmatchable } from '../../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { type BodyOptions, nodeReader, readNode } from '../../../write/body/read-body.ts'
import { RepeatedInMode } from '../../../write/body/repeated-members.ts'
import { refuseUnstorable } from '../../../write/body/storable-values.ts'
import { needsTransform, withStoredForms } from '../../../write/body/transform.ts'
import { initialValues } from '../../../write/check/initial-values.ts'
import { addOtherForms, requireAccess } from '../../../write/check/write-checks.ts'
import { nestsSeveral, type RecordNode } from '../../../write/nodes/node.ts'
import { type NodeOptions, optionsForChange, WriteNode } from '../../../write/nodes/write-node.ts'
import { resolveUniqueNames } from '../../../write/resolve/resolve-unique-names.ts'
import type { WriteContext } from '../../../write/store/write-context.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { relationKeysOf } from './request/relation-keys.ts'
import { uniqueColumns } from './request/unique-columns.ts'
import { initialColumns, upsertKeyOf } from './request/upsert-key.ts'
import type { Items } from './request/write-body.ts'
import { knownRows, returnedEcho } from './response/echo.ts'
import { listKeysOf, writtenResult } from './response/written-result.ts'
import { inWrite } from './write-stages.ts'

/** A record of the body, read both as a change and as a new record. A class, for the reason that `WriteNode` gives. */
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
  const createOnly = await call.runtime.access.callerRegistries.createOnly(call, resource)
  const relationKeys = relationKeysOf(resource, ast)
  const reading = { items, many, problems, createOnly, relationKeys }
  const read = await readCandidates(call, resource, columns, reading)
  if (problems.any) {
    addOtherForms(problems, read.map(changeOf))
  }
  problems.refuse()
  const nodes = [...read.map(changeOf), ...read.map(({ create }) => create)]
  await refuseUnstorable(nodes, problems, validatorHost(call))
  const candidates = await withStored(call, read)
  const options: NodeOptions = {
    ...optionsForChange(resource),
    columns,
    isUpsert: true,
    touches: false,
  }
  // Whether the records are written one by one, in their order. That is tried after failures, because a record may conflict with
  // another one of the list, or refer to a new one. A batch cannot repeat its transaction, so there the order is kept from the start.
  let isOrdered = call.runtime.batch !== undefined && refersToItself(resource)
  let conflicts = 0
  return inWrite(
    call,
    resource,
    async (writing) => {
      const { context } = writing
      const related =
        relationKeys.size === 0 ? candidates : await withUniqueNames(context, candidates, columns)
      const identified = await withInitialKeys(context, resource, related, columns)
      const isStored = storeResponse !== undefined
      const returned = many ? returnedEcho(writing, echo, isStored) : undefined
      const nodes = identified.map((candidate) => nodeOf(options, candidate))
      const written = await writeNodes(context, nodes, { returned, isOrdered })
      context.problems.refuse()
      const status = nodes.some(({ decision }) => decision === 'create') ? 201 : 200
      const keys = listKeysOf(resource, written)
      const rows = knownRows(resource, echo, returned, written)
      const shown = { keys, many, status, isStored, rows } as const
      return async () => {
        const result = await writtenResult(writing, resource, ast, shown)
        await storeResponse?.(writing, result, keys)
        return result
      }
    },
    {
      retryOn: ({ failure: { kind } }) => {
        if (kind === 'unique') {
          // A concurrent transaction may have created the record after the look-up; the next one finds it.
          conflicts += 1
          isOrdered ||= conflicts > 1
          return true
        }
        // If records are written together, changed ones are stored before new ones, so a changed record that refers to a new
        // one is refused.
        const mayDependOnOrder = many && !isOrdered && refersToItself(resource)
        isOrdered = kind === 'foreignKey' && mayDependOnOrder
        return isOrdered
      },
      isBulk:
        many || relationKeys.size > 0 || candidates.some(({ create }) => nestsSeveral(create)),
    },
  )
}

/** Returns the node of a candidate: changed if a record with its key is found, otherwise created. */
const nodeOf = (options: NodeOptions, candidate: Candidate): WriteNode => {
  const { change, create, createProblems, key } = candidate
  const { path } = create
  return new WriteNode(options, {
    path,
    key,
    asFound: change,
    asMissing: create,
    problems: createProblems,
  })
}

/** Whether records of a resource may refer to each other. */
const refersToItself = (resource: Resource): boolean =>
  [...resource.allRelations.values()].some(
    ({ kind, target }) => kind === 'belongsTo' && target === resource,
  )

/** Reads the objects of the body, each as a change and as a new record; adds the problems of the changes to `problems`. */
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
    Required<Pick<BodyOptions, 'createOnly' | 'relationKeys'>>,
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
    const initial = initialColumns(change, columns)
    const key = upsertKeyOf(columns, change)
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
  const read = [...candidates.map(changeOf), ...candidates.map(({ create }) => create)]
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
async function withUniqueNames(
  context: WriteContext,
  candidates: readonly Candidate[],
  columns: readonly NamedColumn[],
): Promise<readonly Candidate[]> {
  const [first] = candidates
  // Before the look-ups, as in the following stages.
  if (first !== undefined && candidates.some(({ key, initial }) => key ?? initial[0])) {
    await requireAccess(context, first.change.resource, 'PATCH')
  }
  const changes = candidates.map(changeOf)
  const creates = candidates.map(({ create }) => create)
  const records = await resolveUniqueNames(context, [...changes, ...creates], writeNodes)
  return candidates.map((candidate, i) => {
    const change = records[i] as RecordNode
    const create = records[candidates.length + i] as RecordNode
    const key = upsertKeyOf(columns, change)
    const initial = initialColumns(change, columns)
    return new Candidate({ ...candidate, change, create, key, initial })
  })
}

/** Completes the keys with the initial values of columns that were not sent; each default is called once. */
async function withInitialKeys(
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
    const key = upsertKeyOf(columns, change, { ...change.values, ...initial })
    identified.push(new Candidate({ ...candidate, create: { ...create, initial }, key }))
  }
  return identified
}

const isComplete = ({ initial }: Candidate): boolean => initial.length === 0

const changeOf = ({ change }: Candidate): RecordNode => change
