// PATCH and DELETE on a collection: change all records that match the filters, or those of a list, in one transaction
// (docs/guide/writing.md). Called by `routing/answer-route.ts` for an authorised call.

import { transformHost, validatorHost } from '../../../access/hooks/model-functions.ts'
import {
  filterNeeded,
  forbiddenFilters,
  invalidParameter,
  notHere,
  tooManyRecords,
  wrongBody,
} from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { actsOnDependents } from '../../../model/registry/relations/dependents.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import { maxBulkNames } from '../../../model/settings/setting-names.ts'
import { changedTwice, missingKey } from '../../../problems.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { RowPlan, Value } from '../../../query/plan/plan.ts'
import { planList } from '../../../query/plan/read-plan.ts'
import { keyText } from '../../../query/run/key.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { type BodyOptions, nodeReader, readNode } from '../../../write/body/read-body.ts'
import { RecordCount } from '../../../write/body/record-count.ts'
import { refuseUnstorable } from '../../../write/body/storable-values.ts'
import { withStoredForms } from '../../../write/body/transform.ts'
import { addOtherForms, requireAccess } from '../../../write/check/write-checks.ts'
import { lockLinked } from '../../../write/links/lock-linked.ts'
import { withOutputColumns } from '../../../write/nodes/look-up-plan.ts'
import { pathTo, type RecordNode, type Values } from '../../../write/nodes/node.ts'
import { withoutFields } from '../../../write/nodes/plain-node.ts'
import { optionsForChange, optionsForRemoval, WriteNode } from '../../../write/nodes/write-node.ts'
import { lockForChanges } from '../../../write/resolve/lock-for-changes.ts'
import { keyIn, lockRecords, readScoped } from '../../../write/resolve/look-up-records.ts'
import { resolveUniqueNames } from '../../../write/resolve/resolve-unique-names.ts'
import type { LockedFor } from '../../../write/statements/statements.ts'
import { columnsToRead } from '../../../write/store/columns-to-read.ts'
import { referrersFirst } from '../../../write/store/rows/referrers-first.ts'
import type { WriteContext } from '../../../write/store/write-context.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parseQueryOf } from '../reads/request-query.ts'
import { cascadeParameter } from './delete-record.ts'
import { childChangesOf } from './request/child-changes.ts'
import { relationKeysOf, retriesNames } from './request/relation-keys.ts'
import { bodyOf, refuseFields } from './request/write-body.ts'
import { refuseIdempotencyKey, refusePrecondition } from './request/write-headers.ts'
import { refuseAllBut, refuseOtherParameters } from './request/write-parameters.ts'
import { cachedEchoPlan, knownRows, planEcho, returnedEcho } from './response/echo.ts'
import { listKeysOf, writtenResult } from './response/written-result.ts'
import { inWrite, type Writing } from './write-stages.ts'

/**
 * `PATCH /api/books?price__lt=5&max_affected=10` with the fields to change, or `PATCH /api/books` with a list of objects, each
 * with a key and the fields to change → 200 and the changed records.
 */
export async function updateMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parseQueryOf(call, resource)
  refuseOtherParameters(ast, 'max_affected')
  if (ast.where.length === 0) {
    const problems = inputProblems()
    const body = bodyOf(call, problems)
    if (Array.isArray(body)) return updateListed(call, resource, ast, body, problems)
  }
  const selection = selectionOf(call, resource, ast)
  const echo: QueryAst = { ...ast, where: [] }
  // Only for its 400s, before anything is written; `writtenResult` plans it again.
  planEcho(resource, echo, call.reach, 'list')
  const problems = inputProblems()
  const relationKeys = relationKeysOf(resource, ast)
  const childChanges = childChangesOf(resource, ast, { replace: false })
  const count = new RecordCount(resource)
  const read = await readNode(
    resource,
    bodyOf(call, problems),
    { path: '', mode: 'update', relationKeys, childChanges, count },
    problems,
    validatorHost(call),
  )
  refuseProblems(problems, [read])
  const host = transformHost(call)
  await refuseUnstorable([read], problems, host)
  const [sent = read] = await withStoredForms([read], problems, host)
  return inWrite(
    call,
    resource,
    async (writing) => {
      const lockedFor = lockForChanges(writing.context, resource, [sent])
      await lockLinked(writing.context, resource, [sent])
      const read = columnsToRead(writing.context, resource, { kind: 'change', nodes: [sent] })
      const found = { action: 'PATCH', lockedFor, read } as const
      const rows = await lockMatchingRows(writing, resource, selection, found)
      // The nested records of the body are written for each of them.
      count.refuseTimes(rows.length)
      if (rows.length === 0) {
        // No stored record holds the values that are not of their column's type.
        addOtherForms(writing.context.problems, [sent])
        writing.context.problems.refuse()
      }
      // If nothing matches, nothing is created.
      const mayName = relationKeys.size > 0 && rows.length > 0
      const [node = sent] = mayName
        ? await resolveUniqueNames(writing.context, [sent], writeNodes)
        : [sent]
      const options = optionsForChange(resource)
      const { path } = node
      const nodes = rows.map((stored) => new WriteNode(options, { path, asFound: node, stored }))
      const keys = listKeysOf(resource, await writeNodes(writing.context, nodes))
      return () => writtenResult(writing, resource, echo, { keys, many: true, status: 200 })
    },
    { isBulk: true, byFilters: true, retryOn: retriesNames(resource, relationKeys) },
  )
}

/** PATCH with a list: each object changes the record that has its key. */
async function updateListed(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  body: readonly JsonValue[],
  problems: InputProblems,
): Promise<Result> {
  refusePrecondition(call)
  refuseIdempotencyKey(call)
  if (body.length === 0) throw wrongBody('an object, or a list of at least one')
  const { max, limit, at } = limitOf(resource, ast)
  if (body.length > max) {
    const { endpoint } = resource
    throw tooManyRecords({ endpoint, sent: body.length }, limit, max, at)
  }
  const echo = cachedEchoPlan(call, resource, ast, 'list')
  const relationKeys = relationKeysOf(resource, ast)
  const childChanges = childChangesOf(resource, ast, { replace: false })
  const sent = await readChanges(call, resource, body, problems, { relationKeys, childChanges })
  return inWrite(
    call,
    resource,
    async (writing) => {
      const { context } = writing
      const changes = relationKeys.size === 0 ? sent : await withUniqueNames(context, sent)
      const returned = returnedEcho(writing, echo)
      const options = optionsForChange(resource)
      const nodes = changes.map(
        ({ key, node }) => new WriteNode(options, { path: node.path, key, asFound: node }),
      )
      const written = await writeNodes(context, nodes, { returned })
      const rows = knownRows(resource, echo, returned, written)
      const shown = { keys: listKeysOf(resource, written), many: true, status: 200, rows } as const
      return () => writtenResult(writing, resource, ast, shown)
    },
    { isBulk: true, retryOn: retriesNames(resource, relationKeys) },
  )
}

/** The changes after `resolveUniqueNames`. */
async function withUniqueNames(
  context: WriteContext,
  changes: readonly ListedChange[],
): Promise<readonly ListedChange[]> {
  // Before the look-ups, so that callers without the right cannot find out which records exist.
  const [first] = changes
  if (first !== undefined) await requireAccess(context, first.node.resource, 'PATCH')
  const nodes = await resolveUniqueNames(context, changes.map(nodeOf), writeNodes)
  return changes.map(({ key }, i) => new ListedChange(key, nodes[i] as RecordNode))
}

/** An object of the list: its key, and the other fields. A class, for the reason that `WriteNode` gives. */
class ListedChange {
  readonly key: readonly Value[]
  readonly node: RecordNode

  constructor(key: readonly Value[], node: RecordNode) {
    this.key = key
    this.node = node
  }
}

const nodeOf = ({ node }: ListedChange): RecordNode => node

/** Reads the objects of the list. Refuses an object without a key, and two objects with the same key. */
async function readChanges(
  call: Call,
  resource: Resource,
  body: readonly JsonValue[],
  problems: InputProblems,
  nested: Required<Pick<BodyOptions, 'relationKeys' | 'childChanges'>>,
): Promise<readonly ListedChange[]> {
  const names = resource.primaryKey.map(({ name }) => name)
  // A key in an item of the list identifies a record, as in a URL, so it is accepted even where clients cannot set keys.
  const identifying = new Map(names.map((name) => [name, undefined]))
  const own = new Set(names)
  const options = { mode: 'update', identifying, ...nested } as const
  const readItem = nodeReader(resource, options, problems, validatorHost(call))
  const changes: ListedChange[] = []
  const nodes: RecordNode[] = []
  const known = new Set<string>()
  for (let i = 0; i < body.length; i++) {
    const read = readItem(body[i] as JsonValue, `[${i}]`)
    const node = read instanceof Promise ? await read : read
    nodes.push(node)
    const key = keyIn(resource, node.values)
    if (key === undefined) {
      for (const name of names) {
        if (node.values[name] !== undefined) continue
        problems.add(pathTo(node.path, name), missingKey)
      }
      continue
    }
    const text = keyText(key)
    if (known.has(text)) problems.add(node.path, changedTwice)
    known.add(text)
    changes.push(new ListedChange(key, withoutFields(node, own)))
  }
  refuseProblems(problems, nodes)
  const sent = changes.map(nodeOf)
  const host = transformHost(call)
  await refuseUnstorable(sent, problems, host)
  const stored = await withStoredForms(sent, problems, host)
  if (stored === sent) return changes
  return changes.map(({ key }, i) => new ListedChange(key, stored[i] as RecordNode))
}

/** Throws 400 for a body with problems, and reports with them the values that are not of their column's type. */
function refuseProblems(problems: InputProblems, nodes: readonly RecordNode[]): void {
  if (problems.any) addOtherForms(problems, nodes)
  problems.refuse()
}

/** `DELETE /api/books?price__lt=5&max_affected=10` → 200, no value, and the number of deleted records as total. */
export async function removeMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parseQueryOf(call, resource)
  // Joins may choose the records, but shape no response.
  refuseAllBut({ ...ast, joins: [] }, 'cascade_delete', 'max_affected', 'join_type')
  const selection = selectionOf(call, resource, ast)
  // A list of keys in the body would not narrow what the filters choose.
  refuseFields(call, 'empty: the filters of DELETE choose the records')
  const cascade = cascadeParameter(resource, ast)
  return inWrite(
    call,
    resource,
    async (writing) => {
      const { context } = writing
      const soft = resource.settings.softDelete !== null
      const read = columnsToRead(context, resource, { kind: 'remove', soft })
      const found = { action: 'DELETE', lockedFor: 'anyChange', read } as const
      const rows = await lockMatchingRows(writing, resource, selection, found)
      const { registry } = context
      const mayBeGone = actsOnDependents(registry, resource, { cascade })
      const whenMissing = mayBeGone ? 'skip' : 'refuse'
      const options = optionsForRemoval(resource, {
        cascade,
        inRounds: true,
        readsAgain: true,
        whenMissing,
      })
      const sorted = referrersFirst(registry, resource, rows)
      await writeNodes(
        context,
        sorted.map((stored) => new WriteNode(options, { path: '', stored })),
      )
      return () => ({ status: 200, value: null, total: rows.length })
    },
    { isBulk: true, byFilters: true },
  )
}

/** The records that a bulk write matches. */
interface Selection {
  readonly rows: RowPlan
  /** 400 if more records match. */
  readonly max: number
  /** The parameter or setting that `max` comes from, for the error message. */
  readonly limit: string
  /** The parameter, if it is one. */
  readonly at?: string
}

/** Throws 400 for parameters that choose no records: a write concerns all that match, in no order. */
function refuseOrderAndGroups({ raw, order, distinctOn, groupBy, aggregates }: QueryAst): void {
  for (const [name, [first]] of [
    ['order_by', order],
    ['distinct_on', distinctOn],
    ['groupby', groupBy],
    // An aggregate has no name of its own: the error quotes it.
    [undefined, aggregates],
  ] as const) {
    if (first === undefined) continue
    const at = raw.slice(first.span.start, first.span.end)
    throw notHere(name ?? at, 'in a write', at)
  }
}

/** Plans which records the filters match; throws 400 for parameters that have no meaning in a bulk write, and without any filter. */
function selectionOf(call: Call, resource: Resource, ast: QueryAst): Selection {
  refusePrecondition(call)
  refuseIdempotencyKey(call)
  if (ast.where.length === 0) throw filterNeeded(call.method)
  if (!call.reach(resource)) throw forbiddenFilters(call.method)
  refuseOrderAndGroups(ast)
  const { fields: _, ...query } = ast
  const single = ast.single.join_type === undefined ? {} : { join_type: ast.single.join_type }
  const plan = planList(resource, { ...query, relationOptions: [], single }, call.reach)
  return { rows: plan.rows, ...limitOf(resource, ast) }
}

/** Returns how many records the write may concern: `max_affected`, or API_MAX_BULK if that is lower. */
function limitOf(resource: Resource, ast: QueryAst): Pick<Selection, 'max' | 'limit' | 'at'> {
  const { bulk } = resource.settings.limits
  const text = ast.single.max_affected?.text
  if (text === undefined) return { max: bulk, limit: maxBulkNames }
  if (!/^[0-9]{1,9}$/.test(text)) throw invalidParameter('max_affected', text, 'a whole number')
  const max = Number(text)
  return max <= bulk
    ? { max, limit: 'max_affected', at: `max_affected=${text}` }
    : { max: bulk, limit: maxBulkNames }
}

/** Why the matching records are read, and with which columns; undefined for all. */
interface Matching {
  readonly action: 'PATCH' | 'DELETE'
  readonly lockedFor: LockedFor
  readonly read: readonly NamedColumn[] | undefined
}

/**
 * The matching records, in key order and locked. After locking, the filters are evaluated again: a concurrent transaction
 * may have changed a record so that it no longer matches.
 */
async function lockMatchingRows(
  { context }: Writing,
  resource: Resource,
  { rows: plan, max, limit, at }: Selection,
  { action, lockedFor, read }: Matching,
): Promise<readonly Values[]> {
  const matching = async (columns: Matching['read']) => {
    const found = await readScoped(context, withOutputColumns(plan, columns), action, max + 1)
    if (found.length > max) throw tooManyRecords(resource, limit, max, at)
    return found
  }
  const { dialect, locks } = context.target
  // In a transaction of the host that may have a snapshot, the first read locks the newest rows.
  if (!dialect.capabilities.locksRows || locks !== undefined) return matching(read)
  const rows = await matching(resource.primaryKey)
  if (rows.length === 0) return rows
  const keys = listKeysOf(resource, rows)
  await lockRecords(context, resource, keys, lockedFor)
  const locked = new Set(keys.map(keyText))
  return (await matching(read)).filter((row) => locked.has(keyText(keyIn(resource, row) ?? [])))
}
