// What every reading endpoint does alike: parse the query of its resource, open the connection, shape the answer of a list.

import { checkObjects, readRecords } from '../access/can-read.ts'
import { hookArgs, hookCallerOf } from '../access/hook-args.ts'
import { scopeRead, scopeRows } from '../access/scope.ts'
import type { Call } from '../call.ts'
import { noScopes, scopeDecisions } from '../compile/scopes.ts'
import type { Target } from '../compile/target.ts'
import { limitSettingNames } from '../config/setting-names.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { notHere } from '../errors.ts'
import type { LoadedRow } from '../execute/loaded-row.ts'
import { onOneConnection } from '../execute/one-connection.ts'
import type { LoadedPage } from '../execute/read.ts'
import type { Replica } from '../execute/replica.ts'
import type { Connection } from '../execute/run.ts'
import { baseFilter, hasDump, runDump } from '../hooks/read-hooks.ts'
import type { Result } from '../http/envelope.ts'
import { pageUrl } from '../http/links.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import { parseQuery } from '../parse/parse-query.ts'
import { writeCursor } from '../plan/cursor.ts'
import type { ListPlan, ReadPlan, RowPlan } from '../plan/plan.ts'
import type { Resource } from '../registry/resource.ts'
import { serializer } from '../serialize/serialize.ts'
import { tagText } from '../serialize/tag-text.ts'
import { cachedWriter, type ObjectWriter, writeList } from '../serialize/write-objects.ts'
import type { AnyDatabase } from '../sql/any-database.ts'

/** parse: the raw query → AST, within the limits of the resource. */
export function parse(call: Call, resource: Resource): QueryAst {
  const { additionalQueryParams, limits } = resource.settings
  return parseQuery(call.query, {
    additional: additionalQueryParams,
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

/** As `parse`, for requests that only read: what belongs to writes is refused. */
export function parseRead(call: Call, resource: Resource): QueryAst {
  const ast = parse(call, resource)
  for (const name of onlyOnWrites) {
    const given = ast.single[name]
    if (given !== undefined) throw notHere(name, 'on a read', `${name}=${given.text}`)
  }
  return ast
}

/** What a request reads with. */
export interface Opened {
  readonly connection: Connection
  /** What compilation needs to know; the scopes are not decided yet. */
  readonly target: Target
  /** The connection with the plugins of its author, for what policies are given. */
  readonly own: AnyDatabase
}

/** The connection of this request and what compilation needs to know of it. */
export const open = (call: Call): MaybePromise<Opened> =>
  andThen(call.runtime.session(call.request), (own) =>
    call.replica === undefined
      ? andThen(call.runtime.dialect(own), (dialect) => openedBy(call, own, dialect))
      : openedOn(call, own, call.replica),
  )

function openedBy(call: Call, own: AnyDatabase, dialect: InternalDialect): Opened {
  const { runtime } = call
  const db = bare(own)
  const target: Target = { db, dialect, schema: runtime.schema, scopes: noScopes }
  return {
    connection: {
      db,
      dialect,
      statementTimeout: runtime.settings.statementTimeout,
      // A transaction sees what it wrote itself.
      counts: own === runtime.root && !own.isTransaction ? runtime.counts : undefined,
      timing: call.timing,
      client: call.request,
    },
    target,
    own,
  }
}

/** As `openedBy`, with the statements sent to a replica; policies and hooks keep the instance of the primary. */
function openedOn(call: Call, own: AnyDatabase, { db, dialect, counts }: Replica): Opened {
  const { connection, target } = openedBy(call, own, dialect)
  return { own, target: { ...target, db }, connection: { ...connection, db, counts } }
}

/** As `opened`, with every statement of `work` on one connection of the pool. */
export const openedOnOne = <T>(
  call: Call,
  { own, connection }: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> =>
  onOneConnection(own, connection, (one) => work(openedBy(call, one, connection.dialect)))

/** Without plugins; made once for each instance. */
function bare(own: AnyDatabase): AnyDatabase {
  const before = bareOf.get(own)
  if (before !== undefined) return before
  const db = own.withoutPlugins()
  bareOf.set(own, db)
  return db
}

const bareOf = new WeakMap<AnyDatabase, AnyDatabase>()

/** scope: the plan with every source narrowed by its policy, and the target that knows how. */
export async function scoped<P extends ReadPlan>(
  call: Call,
  { target, own }: Opened,
  planned: P,
  ast: Pick<QueryAst, 'additional'>,
): Promise<{ plan: P; target: Target }> {
  const filter = baseFilter(call, planned.rows.from.resource, ast)
  const scope = { call, db: own, action: call.action, ...(filter === undefined ? {} : { filter }) }
  const { plan, scopes } = await scopeRead(scope, planned)
  return { plan: readRecords(call, plan), target: { ...target, scopes } }
}

/** As `scoped`, of one statement without relations. */
export async function scopedRows(
  call: Call,
  { target, own }: Opened,
  rows: RowPlan,
  refusedBase: 'forbidden' | 'empty' = 'forbidden',
): Promise<Target> {
  const scopes = scopeDecisions()
  await scopeRows({ call, db: own, action: call.action, refusedBase }, rows, scopes)
  return { ...target, scopes }
}

/** can_read, then serialize: rows → objects, each through the dump callbacks where there are any. */
export async function objectsOf(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
): Promise<readonly JsonValue[]> {
  call.timing?.enter('serialize')
  await checkObjects(call, plan, rows)
  const { embeds, links } = plan
  const shape = { resource, output: plan.rows.output, embeds, links }
  const objects = rows.map(serializer(shape, call.base))
  const { dump } = call.hooks
  if (dump === undefined && !hasDump(resource, embeds)) return objects
  const args = hookArgs(call)
  const caller = { callHook: hookCallerOf(call) }
  return Promise.all(objects.map((object) => runDump(caller, resource, embeds, object, dump, args)))
}

/** The value of an answer; as text where that will do. */
export type Content = Pick<Result, 'value' | 'text' | 'record' | 'recordLeads'>

/** As `objectsOf`, as the value of an answer. */
function listContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  { rows, list }: Pick<LoadedPage, 'rows' | 'list'>,
): MaybePromise<Content> {
  if (list !== undefined) {
    call.timing?.enter('serialize')
    return { value: null, text: list }
  }
  if (!writesText(call, resource, plan)) {
    return objectsOf(call, resource, plan, rows).then((value) => ({ value }))
  }
  return andThen(checked(call, plan, rows), () => ({
    value: null,
    text: writeList(rows, writerOf(call, resource, plan)),
  }))
}

/** As `objectsOf`, as the answer of one record, with what its tag is made of. */
export function recordContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  row: LoadedRow,
): MaybePromise<Content> {
  if (!writesText(call, resource, plan)) {
    return objectsOf(call, resource, plan, [row]).then(([value = null]) => ({
      value,
      record: tagText(resource, row),
    }))
  }
  return andThen(checked(call, plan, [row]), () => {
    const writer = writerOf(call, resource, plan)
    const own = writer.own(row)
    const record = tagText(resource, row, own)
    return { value: null, text: writer.write(row, own), record, recordLeads: record === own }
  })
}

/** can_read of what is about to be written; without policies there is nobody to ask. */
function checked(call: Call, plan: ReadPlan, rows: readonly LoadedRow[]): MaybePromise<void> {
  call.timing?.enter('serialize')
  return call.runtime.policies.size === 0 ? undefined : checkObjects(call, plan, rows)
}

/** Whether the rows may be written as text: nobody looks at the objects but the client. */
const writesText = (call: Call, resource: Resource, { embeds }: ReadPlan): boolean =>
  call.asText && call.hooks.dump === undefined && !hasDump(resource, embeds)

const writerOf = (
  { base }: Call,
  resource: Resource,
  { rows, embeds, links }: ReadPlan,
): ObjectWriter => cachedWriter({ resource, output: rows.output, embeds, links }, base)

/** A page of rows → the answer of a list, with its links. */
export function listResult(
  call: Call,
  resource: Resource,
  plan: ListPlan,
  page: LoadedPage,
): MaybePromise<Result> {
  return andThen(listContent(call, resource, plan, page), (content) => {
    const { next, previous } = pageLinks(call, plan, page)
    const result = { ...content, status: 200, total: page.total, next, previous }
    return page.capped ? { ...result, headers: { 'x-total-count-capped': 'true' } } : result
  })
}

/** Links to the neighbouring pages, in the client's own way of paging. */
function pageLinks(
  call: Call,
  { page: planned }: ListPlan,
  page: LoadedPage,
): { next: string | null; previous: string | null } {
  const url = (replaced: Readonly<Record<string, string>>): string =>
    pageUrl(`${call.origin}${call.path}`, call.query, {
      limit: String(planned.limit),
      ...replaced,
    })
  if (planned.kind === 'numbered') {
    const { number, limit } = planned
    const previous = previousOf(number, limit, page)
    return {
      next: page.more ? url({ page: String(number + 1) }) : null,
      previous: page.earlier ? url({ page: String(previous) }) : null,
    }
  }
  const { signature } = planned
  return {
    next: page.more && page.last ? url({ after: writeCursor(signature, page.last) }) : null,
    previous:
      page.earlier && page.first ? url({ before: writeCursor(signature, page.first) }) : null,
  }
}

/** Beyond the end, the previous page is the last one that has rows. */
function previousOf(number: number, limit: number, page: LoadedPage): number {
  if (page.total === undefined || page.capped) return number - 1
  return Math.min(number - 1, Math.max(1, Math.ceil(page.total / limit)))
}
