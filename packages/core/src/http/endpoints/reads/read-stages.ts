// The stages that all reading endpoints share: parse the query, open the connection, scope the plan, serialise the response.

import { checkObjects, hasObjectChecks } from '../../../access/can-read.ts'
import { hookArgs, hookCallerOf } from '../../../access/hook-args.ts'
import { dumperOf, hasDump, refuseDumped } from '../../../access/hooks/read-hooks.ts'
import { scoperOf } from '../../../access/policies/scoper-of.ts'
import { Lease } from '../../../database/leases/lease.ts'
import type { Replica } from '../../../database/replicas/replica.ts'
import { requestBounds } from '../../../database/statements/bounds.ts'
import type { InternalDialect } from '../../../dialect/internal-dialect.ts'
import { notHere } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { stringifyUnless } from '../../../lib/json/stringify.ts'
import { andThen, type MaybePromise, mapAll } from '../../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { withoutPlugins } from '../../../lib/sql/without-plugins.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { limitSettingNames } from '../../../model/settings/setting-names.ts'
import { readingNewest } from '../../../query/compile/read-lock.ts'
import { noScopes } from '../../../query/compile/scopes.ts'
import type { Target } from '../../../query/compile/target.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import { parseQuery } from '../../../query/parse/parse-query.ts'
import { filterLike } from '../../../query/plan/conditions/filter-like.ts'
import { writeCursor } from '../../../query/plan/order/cursor.ts'
import type { ListPlan, ReadPlan } from '../../../query/plan/plan.ts'
import type { LoadedRow } from '../../../query/run/loaded-row.ts'
import type { LoadedPage } from '../../../query/run/read-rows.ts'
import type { Opened } from '../../../query/scoper.ts'
import { pageUrl } from '../../../query/serialize/links.ts'
import { serializer } from '../../../query/serialize/serialize.ts'
import { tagText } from '../../../query/serialize/tag-text.ts'
import {
  type ObjectWriter,
  objectWriter,
  writeList,
} from '../../../query/serialize/write-objects.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'

/** parse: the raw query → AST. Throws 400 if it exceeds a limit of the resource. */
export function parse(call: Call, resource: Resource): QueryAst {
  const { additionalQueryParams, limits } = resource.settings
  return parseQuery(call.query, {
    additional: additionalQueryParams,
    filterLike: (unknown) => filterLike(resource, unknown),
    limits: {
      conditions: { setting: limitSettingNames.conditions, value: limits.conditions },
      relationFilters: {
        setting: limitSettingNames.relationFilters,
        value: limits.relationFilters,
      },
      list: { setting: limitSettingNames.list, value: limits.list },
    },
  })
}

const onlyOnWrites = ['cascade_delete', 'max_affected', 'on_conflict'] as const

/** `parse` for requests that only read; throws 400 for parameters of writes. */
export function parseRead(call: Call, resource: Resource): QueryAst {
  const ast = parse(call, resource)
  for (const name of onlyOnWrites) {
    const given = ast.single[name]
    if (given !== undefined) throw notHere(name, 'on a read', `${name}=${given.text}`)
  }
  refuseRelationKeys(ast, 'on a read')
  return ast
}

/** Throws 400 for `<relation>.on_conflict`. */
export function refuseRelationKeys({ raw, relationKeys }: QueryAst, where: string): void {
  const [first] = relationKeys
  if (first === undefined) return
  const at = raw.slice(first.span.start, first.span.end)
  throw notHere(at, where, at)
}

/** Whether the host application has begun the transaction of a request. The request then neither commits nor retries. */
export const isHosted = ({ runtime }: Pick<Call, 'runtime'>, own: AnyDatabase): boolean =>
  own.isTransaction && runtime.batch === undefined

/**
 * The connection of a write. In a transaction of the host, whose isolation level is unknown, it reads the newest rows, as its UPDATEs
 * change these, instead of the snapshot of the transaction.
 */
export const pastSnapshot = ({ runtime }: Pick<Call, 'runtime'>, opened: Opened): Opened =>
  opened.own.isTransaction && runtime.batch?.hosted !== false
    ? { ...opened, target: readingNewest(opened.target) }
    : opened

/** What the connection of a request depends on. */
export type OpenedBy = Pick<Call, 'runtime' | 'request' | 'replica' | 'timing'>

/** Gets the connection of this request: from API_SESSION_GETTER, a replica or `db`. */
export const open = (call: OpenedBy): MaybePromise<Opened> =>
  andThen(call.runtime.session(call.request), (own) =>
    call.replica === undefined
      ? andThen(call.runtime.dialect(own), (dialect) => openedWith(call, own, dialect))
      : openedOnReplica(call, own, call.replica),
  )

function openedWith(call: OpenedBy, own: AnyDatabase, dialect: InternalDialect): Opened {
  const { runtime } = call
  const db = withoutPlugins(own)
  const target: Target = { db, dialect, scopes: noScopes }
  const lease = new Lease({
    db,
    dialect,
    bounds: requestBounds(runtime.settings.statementTimeout, call.request),
    // The transaction of a batch bounds its statements (`runOperations`).
    isBounded: runtime.batch !== undefined,
    // A transaction sees its own uncommitted rows, so it must not share the count of another request.
    counts: own === runtime.root && !own.isTransaction ? runtime.counts : undefined,
    timing: call.timing,
  })
  return { lease, target, own }
}

/** `openedWith`, but statements go to the replica. Policies and hooks still receive the primary's instance. */
function openedOnReplica(
  call: OpenedBy,
  own: AnyDatabase,
  { db, dialect, counts }: Replica,
): Opened {
  const { lease, target } = openedWith(call, own, dialect)
  return { own, target: { ...target, db }, lease: new Lease({ ...lease, db, counts }) }
}

/** Runs `work` with one connection of the pool for all its statements. */
export const withOneConnection = <T>(
  { lease, target, own }: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> =>
  lease.onOneConnection(
    (one, db) => work({ lease: one, target: { ...target, db: one.db }, own: db }),
    own,
  )

/** scope: narrows every source of the plan by its policy; returns the plan, and the target with the scopes. */
export function scopePlan<P extends ReadPlan>(
  call: Call,
  opened: Opened,
  planned: P,
  ast: Pick<QueryAst, 'additional'>,
): MaybePromise<{ plan: P; target: Target }> {
  const scoper = scoperOf(call)
  const scoped = scoper.scope(scoper.withChecked(planned), opened, ast.additional)
  return andThen(scoped, ({ plan, scopes }) => ({ plan, target: { ...opened.target, scopes } }))
}

/** Calls can_read, then serialises the rows to objects and runs the dump callbacks. */
export const objectsOf = (
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
  refusesLater = false,
): MaybePromise<readonly JsonValue[]> =>
  andThen(checkReadable(call, plan, rows), () =>
    dumpedObjects(call, resource, plan, rows, refusesLater),
  )

function dumpedObjects(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
  refusesLater: boolean,
): MaybePromise<readonly JsonValue[]> {
  const { embeds, links } = plan
  const shape = { resource, output: plan.rows.output, embeds, links }
  const objects = rows.map(serializer(shape, call.base))
  if (call.hooks.dump === undefined && !hasDump(resource, embeds)) return objects
  const caller = { callHook: hookCallerOf(call), refusesLater }
  const dump = dumperOf(caller, resource, embeds, call.hooks.dump, hookArgs(call))
  return dump === undefined ? objects : mapAll(objects, dump)
}

/** The value of a response, as an object or as JSON text. */
export type Content = Pick<Result, 'value' | 'text' | 'record' | 'recordLeads'>

/** Returns the value of a list: as JSON text if possible, else through `objectsOf`. */
function listContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  { rows, listText }: Pick<LoadedPage, 'rows' | 'listText'>,
): MaybePromise<Content> {
  if (listText !== undefined) {
    call.timing?.enter('serialize')
    return { value: null, text: listText }
  }
  if (!serialisesToText(call, resource, plan)) {
    return andThen(objectsOf(call, resource, plan, rows, call.asText), (objects) =>
      dumpedContent(call, resource, plan, objects, objects),
    )
  }
  return andThen(checkReadable(call, plan, rows), () => ({
    value: null,
    text: writeList(rows, writerOf(call, resource, plan)),
  }))
}

/** Returns the content after dump callbacks; `objects` are the records in `value`, checked one by one if `value` is not JSON. */
function dumpedContent(
  { asText, hooks: { dump } }: Call,
  resource: Resource,
  { embeds }: ReadPlan,
  objects: readonly JsonValue[],
  value: JsonValue,
): Pick<Content, 'value' | 'text'> {
  if (!asText) return { value }
  const refuse = (): void => {
    for (const object of objects) refuseDumped(resource, embeds, object, dump)
  }
  return { value: null, text: stringifyUnless(value, refuse) }
}

/** Returns the value of one record, with the text that its ETag is a hash of. */
export function recordContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  row: LoadedRow,
): MaybePromise<Content> {
  if (!serialisesToText(call, resource, plan)) {
    return andThen(objectsOf(call, resource, plan, [row], call.asText), (objects) => ({
      ...dumpedContent(call, resource, plan, objects, objects[0] ?? null),
      record: tagText(resource, row),
    }))
  }
  return andThen(checkReadable(call, plan, [row]), () => {
    const writer = writerOf(call, resource, plan)
    const own = writer.own(row)
    const record = tagText(resource, row, own)
    return { value: null, text: writer.write(row, own), record, recordLeads: record === own }
  })
}

/** Writes the objects of a plan as JSON text; undefined if hooks or the calling function need objects. */
export const textWriterOf = (
  call: Call,
  resource: Resource,
  plan: ReadPlan,
): ObjectWriter | undefined =>
  serialisesToText(call, resource, plan) ? writerOf(call, resource, plan) : undefined

/** Calls can_read for the rows; continues synchronously if no policy has it. */
export function checkReadable(
  call: Call,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
): MaybePromise<void> {
  call.timing?.enter('serialize')
  return hasObjectChecks(call, plan) ? checkObjects(call, plan, rows) : undefined
}

/** Whether the rows may be serialised directly to JSON text: no hook and no caller needs objects. */
const serialisesToText = (call: Call, resource: Resource, { embeds }: ReadPlan): boolean =>
  call.asText && call.hooks.dump === undefined && !hasDump(resource, embeds)

const writerOf = (
  { base }: Call,
  resource: Resource,
  { rows, embeds, links }: ReadPlan,
): ObjectWriter => objectWriter({ resource, output: rows.output, embeds, links }, base)

/** Returns the response of a list: a page of rows, the total and the page links. */
export function listResult(
  call: Call,
  resource: Resource,
  plan: ListPlan,
  page: LoadedPage,
): MaybePromise<Result> {
  return andThen(listContent(call, resource, plan, page), (content) => {
    const { next, previous } = pageLinks(call, plan, page)
    const result = { ...content, status: 200, total: page.total, next, previous, plan }
    return page.capped ? { ...result, headers: { 'x-total-count-capped': 'true' } } : result
  })
}

/** Returns the links to the next and previous page; they page by number or cursor, as the request does. */
function pageLinks(
  call: Call,
  { page: planned }: ListPlan,
  page: LoadedPage,
): { next: string | null; previous: string | null } {
  const urlWith = (changed: Readonly<Record<string, string>>): string =>
    pageUrl(`${call.origin}${call.path}`, call.query, {
      limit: String(planned.limit),
      ...changed,
    })
  if (planned.kind === 'numbered') {
    const { number, limit } = planned
    const previous = previousNumber(number, limit, page)
    return {
      next: page.hasNext ? urlWith({ page: String(number + 1) }) : null,
      previous: page.hasPrevious ? urlWith({ page: String(previous) }) : null,
    }
  }
  const { signature } = planned
  return {
    next: page.hasNext && page.last ? urlWith({ after: writeCursor(signature, page.last) }) : null,
    previous:
      page.hasPrevious && page.first
        ? urlWith({ before: writeCursor(signature, page.first) })
        : null,
  }
}

/** Returns the number of the previous page; for a page beyond the end, the number of the last page with rows. */
function previousNumber(number: number, limit: number, page: LoadedPage): number {
  if (page.total === undefined || page.capped) return number - 1
  return Math.min(number - 1, Math.max(1, Math.ceil(page.total / limit)))
}
