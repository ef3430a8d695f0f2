// The result of a read, made of the loaded rows: can_read checks of single records, dump callbacks, and the records as JSON text (or as
// objects, if a callback needs them), with the links of a page. Also used for the records that writes return.

import { applyCanRead, callsCanRead } from '../../../access/can-read.ts'
import { hookArgs, hookCallerOf } from '../../../access/hooks/hook-args.ts'
import { dumperOf, hasDump, refuseNonJsonDumps } from '../../../access/hooks/read-hooks.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { stringifyUnless } from '../../../lib/json/stringify.ts'
import { andThen, type MaybePromise, mapAll } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { type CursorValues, writeCursor } from '../../../query/plan/order/cursor.ts'
import type { ListPlan, ReadPlan } from '../../../query/plan/plan.ts'
import type { LoadedRow } from '../../../query/run/loaded-row.ts'
import type { LoadedPage } from '../../../query/run/read-rows.ts'
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

/**
 * Calls can_read, then serialises the rows to objects and runs the dump callbacks. `refusesLater`: results of callbacks that are not JSON are
 * refused by `dumpedContent`, when it writes them as text; otherwise here.
 */
export const objectsOf = (
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
  { refusesLater }: DumpOptions = { refusesLater: false },
): MaybePromise<readonly JsonValue[]> =>
  andThen(checkReadable(call, plan, rows), () =>
    dumpedObjects(call, resource, plan, rows, { refusesLater }),
  )

type DumpOptions = { readonly refusesLater: boolean }

/** Serialises the rows to objects, and passes each through its dump callbacks. */
function dumpedObjects(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  rows: readonly LoadedRow[],
  { refusesLater }: DumpOptions,
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
export type ResponseContent = Pick<Result, 'value' | 'text' | 'record' | 'recordLeads'>

/** Returns the value of a list: as JSON text if possible, else through `objectsOf`. */
function listContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  { rows, rowsJson }: Pick<LoadedPage, 'rows' | 'rowsJson'>,
): MaybePromise<ResponseContent> {
  if (rowsJson !== undefined) return { value: null, text: rowsJson }
  if (!serialisesToText(call, resource, plan)) {
    const options = { refusesLater: call.asText }
    return andThen(objectsOf(call, resource, plan, rows, options), (objects) =>
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
): Pick<ResponseContent, 'value' | 'text'> {
  if (!asText) return { value }
  const refuse = (): void => {
    for (const object of objects) refuseNonJsonDumps(resource, embeds, object, dump)
  }
  return { value: null, text: stringifyUnless(value, refuse) }
}

/** Returns the value of one record, with the text that its ETag is a hash of. */
export function recordContent(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  row: LoadedRow,
): MaybePromise<ResponseContent> {
  if (!serialisesToText(call, resource, plan)) {
    const options = { refusesLater: call.asText }
    return andThen(objectsOf(call, resource, plan, [row], options), (objects) => ({
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

/** Returns the writer of a plan's records as JSON text; undefined if hooks or the host need them as objects. */
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
  return callsCanRead(call, plan) ? applyCanRead(call, plan, rows) : undefined
}

/** Whether the rows may be serialised directly to JSON text: neither hooks nor the host need objects. */
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
    const result = { ...content, status: 200, total: page.total, next, previous }
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
  const cursorOf = (values: CursorValues): string =>
    writeCursor(planned.signature, values, planned.key)
  return {
    next: page.hasNext && page.last ? urlWith({ after: cursorOf(page.last) }) : null,
    previous: page.hasPrevious && page.first ? urlWith({ before: cursorOf(page.first) }) : null,
  }
}

/** Returns the number of the previous page; for a page beyond the end, the number of the last page with rows. */
function previousNumber(number: number, limit: number, page: LoadedPage): number {
  if (page.total === undefined || page.capped) return number - 1
  return Math.min(number - 1, Math.max(1, Math.ceil(page.total / limit)))
}
