// POST on a collection: creates one record or a list, or upserts with `on_conflict` (docs/guide/writing.md).

import { transformHost, validatorHost } from '../../../access/hooks/model-functions.ts'
import { hasPermission } from '../../../access/reach.ts'
import { featureDisabled, forbidden, tooManyRecords, wrongBody } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import {
  maxBulkNames,
  settingNames,
  shownBulkSetting,
} from '../../../model/settings/setting-names.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { ReadPlan } from '../../../query/plan/plan.ts'
import { inputProblems } from '../../../write/body/input-problems.ts'
import { nodeReader } from '../../../write/body/read-body.ts'
import { refuseUnstorable } from '../../../write/body/storable-values.ts'
import { withStoredForms } from '../../../write/body/transform.ts'
import { oneRecordOf } from '../../../write/fusion/fusion-of.ts'
import { nestsSeveral, type RecordNode } from '../../../write/nodes/node.ts'
import { newNode, optionsForNew } from '../../../write/nodes/write-node.ts'
import { resolveUniqueNames } from '../../../write/resolve/resolve-unique-names.ts'
import type { Respond } from '../../../write/transaction/write-once.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parseQueryOf } from '../reads/request-query.ts'
import { refuseOnMissing } from './request/child-changes.ts'
import { relationKeysOf, retriesNames } from './request/relation-keys.ts'
import { bodyOf, type Items } from './request/write-body.ts'
import { refusePrecondition } from './request/write-headers.ts'
import { refuseOtherParameters } from './request/write-parameters.ts'
import { cachedEchoPlan, knownRows, returnedEcho } from './response/echo.ts'
import { idempotent } from './response/idempotent-post.ts'
import { listKeysOf, writtenResult } from './response/written-result.ts'
import { upsert } from './upsert.ts'
import { inWrite, type Writing } from './write-stages.ts'

/**
 * `POST /api/books` with a book, or with a list of books if bulk writes are allowed → 201. With an Idempotency-Key, the response is stored
 * with the records.
 */
export function create(call: Call, resource: Resource): Promise<Result> {
  const ast = parseQueryOf(call, resource)
  refuseOtherParameters(ast, 'on_conflict')
  refuseOnMissing(ast, 'in a POST, whose records have no children yet')
  const isUpsert = ast.single.on_conflict !== undefined
  if (isUpsert && !resource.settings.allowUpsert) {
    const at = `on_conflict=${ast.single.on_conflict?.text}`
    throw featureDisabled('Upserting', settingNames.allowUpsert, at)
  }
  if (isUpsert && !hasPermission(resource, 'UPSERT', call.caller)) throw forbidden()
  refusePrecondition(call)
  // Before the body is read, so that a mistake in the query is reported first.
  const one = cachedEchoPlan(call, resource, ast, 'one')
  const problems = inputProblems()
  const body = bodyOf(call, problems)
  const many = Array.isArray(body)
  const echo = many ? cachedEchoPlan(call, resource, ast, 'list') : one
  const items = itemsOf(resource, body)
  return idempotent(call, resource, ast, body, (storeResponse) =>
    (isUpsert ? upsert : insertAll)(
      call,
      resource,
      ast,
      { items, many, problems, storeResponse },
      echo,
    ),
  )
}

/** Checks the records of the body and inserts them; `echo` is the plan by which they are read for the response. */
async function insertAll(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { items, many, problems, storeResponse }: Items,
  echo: ReadPlan,
): Promise<Result> {
  const read: RecordNode[] = []
  const relationKeys = relationKeysOf(resource, ast)
  const reading = { mode: 'create', relationKeys } as const
  const readItem = nodeReader(resource, reading, problems, validatorHost(call))
  for (let i = 0; i < items.length; i++) {
    const item = readItem(items[i] as JsonValue, many ? `[${i}]` : '')
    const node = item instanceof Promise ? await item : item
    read.push(node)
  }
  problems.refuse()
  const host = transformHost(call)
  const held = refuseUnstorable(read, problems, host)
  if (held instanceof Promise) await held
  const stored = withStoredForms(read, problems, host)
  const nodes = stored instanceof Promise ? await stored : stored
  const first = nodes[0] as RecordNode
  const nodeOptions = optionsForNew(resource)
  const insert = async (writing: Writing): Promise<Respond<Result>> => {
    const { context } = writing
    const isStored = storeResponse !== undefined
    const returned = many ? returnedEcho(writing, echo, isStored) : undefined
    const resolved =
      relationKeys.size === 0 ? nodes : await resolveUniqueNames(context, nodes, writeNodes)
    const newNodes = resolved.map((node) => newNode(nodeOptions, node))
    const created = await writeNodes(context, newNodes, { returned })
    const keys = listKeysOf(resource, created)
    context.problems.refuse()
    const rows = knownRows(resource, echo, returned, created)
    const shown = { row: newNodes[0]?.shown, plan: echo }
    const written = { keys, many, status: 201, isStored, rows, shown } as const
    return async () => {
      const result = await writtenResult(writing, resource, ast, written)
      await storeResponse?.(writing, result, keys)
      return result
    }
  }
  // One statement can write a record, but not also store the response.
  const isOne = !many && storeResponse === undefined
  return inWrite(call, resource, insert, {
    oneRecord: isOne ? oneRecordOf(newNode(nodeOptions, first), ast, echo) : undefined,
    isBulk: nodes.length > 1 || relationKeys.size > 0 || nodes.some(nestsSeveral),
    retryOn: retriesNames(resource, relationKeys),
  })
}

/** The records of the body: one object, or a list if API_ALLOW_BULK has POST. */
function itemsOf(resource: Resource, body: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(body)) return [body]
  const { bulkMethods, limits } = resource.settings
  if (!bulkMethods.has('POST')) {
    throw wrongBody(`one object; lists are not enabled here (${shownBulkSetting(bulkMethods)})`)
  }
  if (body.length === 0) throw wrongBody('an object, or a list of at least one')
  if (body.length > limits.bulk) {
    const { endpoint } = resource
    throw tooManyRecords({ endpoint, sent: body.length }, maxBulkNames, limits.bulk)
  }
  return body as readonly JsonValue[]
}
