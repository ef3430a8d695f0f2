// Echoes: the written records as the response returns them. They are read by key, through the stages of a read, in the transaction of
// the write (docs/guide/writing.md). An endpoint plans them before it writes, and reads them after its records are stored.
// `readEchoes` returns each with its ETag, `readEchoList` a list, whose rows the write may have returned already (`returnedEcho`).

import { callsCanRead } from '../../../../access/can-read.ts'
import { hasDump } from '../../../../access/hooks/read-hooks.ts'
import { openScopes } from '../../../../access/policies/scope.ts'
import { ApiError } from '../../../../errors.ts'
import type { JsonValue } from '../../../../lib/json/json-value.ts'
import type { NamedColumn, Resource } from '../../../../model/registry/resource.ts'
import { trackAuthority } from '../../../../query/cache/authority-bound.ts'
import { keyChunks } from '../../../../query/compile/chunks.ts'
import { compileRead } from '../../../../query/compile/read-program.ts'
import type { QueryAst } from '../../../../query/parse/ast.ts'
import { valueOfJson } from '../../../../query/plan/conditions/value.ts'
import type { Reach } from '../../../../query/plan/context.ts'
import type { ReadPlan, Value } from '../../../../query/plan/plan.ts'
import { planOne } from '../../../../query/plan/read-plan.ts'
import { keyText, keyTextOfOne } from '../../../../query/run/key.ts'
import type { LoadedRow } from '../../../../query/run/loaded-row.ts'
import { readAll } from '../../../../query/run/read-rows.ts'
import type { Opened } from '../../../../query/scoper.ts'
import { recordText } from '../../../../query/serialize/tag-text.ts'
import { type ObjectWriter, writeList } from '../../../../query/serialize/write-objects.ts'
import {
  type EchoForm,
  readsStoredColumns,
  withKeyAndTag,
} from '../../../../write/nodes/echo-plan.ts'
import { isDeleted } from '../../../../write/nodes/is-deleted.ts'
import { withKeys } from '../../../../write/nodes/look-up-plan.ts'
import type { Values } from '../../../../write/nodes/node.ts'
import { columnReader, type ReturnedRows } from '../../../../write/store/rows/returned-rows.ts'
import type { Call } from '../../../call/call.ts'
import { returnPreference } from '../../../preference.ts'
import {
  checkReadable,
  objectsOf,
  type ResponseContent,
  textWriterOf,
} from '../../reads/read-result.ts'
import { scopePlan } from '../../reads/scope-plan.ts'
import type { Writing } from '../write-stages.ts'

/** A written record as the caller may read it. */
export interface Echo {
  /** null if the caller may not read it. */
  readonly value: JsonValue
  /** The JSON of the row, from which its ETag is computed; undefined if the caller may not read it. */
  readonly record: string | undefined
}

/** The echo of a record that the caller may not read. */
const hiddenEcho: Echo = { value: null, record: undefined }

/** Plans the echo. Called before anything is written, so that mistakes in the query are found first. The plan has no key yet. */
export const planEcho = (
  resource: Resource,
  ast: QueryAst,
  reach: Reach,
  form: EchoForm,
): ReadPlan => withKeyAndTag(planOne(resource, ast, [], reach), form)

/** `planEcho`, cached by query and by the resources that the caller may list. */
export function cachedEchoPlan(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  form: EchoForm,
): ReadPlan {
  const { echoes } = call.runtime.caches
  const name = `${form} ${resource.name}\n${call.query}`
  const known = echoes.get(name, call)
  if (known !== undefined) return known
  const tracker = trackAuthority(call)
  const plan = planEcho(resource, ast, tracker.reach, form)
  echoes.set(name, call, tracker.bind(plan))
  return plan
}

/**
 * Whether the records of a list are read for the response: if the client wants them, a callback receives them, or a policy
 * decides about them, which may refuse the write.
 */
export function isListNeeded(call: Call, planned: () => ReadPlan): boolean {
  const { dump, return: onReturn, final } = call.hooks
  if ((dump ?? onReturn ?? final) !== undefined) return true
  if (returnPreference(call.request) !== 'minimal') return true
  const plan = planned()
  const asksPolicy = openScopes(call, plan) === undefined || callsCanRead(call, plan)
  return asksPolicy || hasDump(plan.rows.from.resource, plan.embeds)
}

/**
 * A collector for the rows that the statements of a list return. Undefined if no rows are needed, or if the response may differ from
 * these rows: if it shows more than stored columns of the table, if a trigger or the callback before COMMIT may change the rows, or if a
 * policy or the filter callback may hide some. `isStored`: whether the response is stored for an Idempotency-Key.
 */
export function returnedEcho(
  { call, opened: { lease } }: Writing,
  echo: ReadPlan,
  isStored = false,
): ReturnedRows | undefined {
  if (call.hooks.beforeCommit !== undefined) return undefined
  if (!isStored && !isListNeeded(call, () => echo)) return undefined
  const { resource } = echo.rows.from
  const echoOf = lease.dialect.shortcuts?.singleWrites
  const byInsert = echoOf?.('insert', resource) === 'returned'
  const byUpdate = echoOf?.('update', resource) === 'returned'
  const isPlain = echo.embeds.length === 0 && readsStoredColumns(echo.rows)
  if (!isPlain || !(byInsert || byUpdate)) return undefined
  if (!call.reach(resource) || openScopes(call, echo) === undefined) return undefined
  if (callsCanRead(call, echo)) return undefined
  return { output: echo.rows.output, byInsert, byUpdate, rows: [] }
}

/** The returned rows; undefined if one of the written records is marked as deleted, because reads hide it. */
export const knownRows = (
  resource: Resource,
  plan: ReadPlan,
  returned: ReturnedRows | undefined,
  written: readonly Values[],
): KnownRows | undefined =>
  returned === undefined || written.some((values) => isDeleted(resource, values))
    ? undefined
    : { plan, rows: returned.rows }

/** Reads the records with these keys, in the order of the keys, with their ETags. */
export async function readEchoes(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
): Promise<readonly Echo[]> {
  const echoes = new Map<string, Echo>()
  for await (const { plan, rows, texts } of readRows(call, opened, resource, ast, keys, 'one')) {
    for (const [i, row] of rows.entries()) {
      const value = await valueOrNull(call, resource, plan, row)
      const record = value === null ? undefined : recordText(resource, row.values)
      echoes.set(texts()[i] ?? '', { value, record })
    }
  }
  return keys.map((key) => echoes.get(keyText(key)) ?? hiddenEcho)
}

/**
 * The records with these keys as a list, in the order of the keys; as JSON text, unless something needs objects. Reads the records that
 * are not among `known`.
 */
export async function readEchoList(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
  known?: KnownRows,
): Promise<ResponseContent> {
  const asksForEach = call.runtime.access.policies.get(resource)?.can_read !== undefined
  const written: WrittenRows[] = []
  const values = new Map<string, JsonValue>()
  for await (const { plan, rows, texts } of allRows(call, opened, resource, ast, keys, known)) {
    const writer = asksForEach ? undefined : textWriterOf(call, resource, plan)
    if (writer === undefined) {
      for (const [i, row] of rows.entries()) {
        values.set(texts()[i] ?? '', await valueOrNull(call, resource, plan, row))
      }
    } else {
      await checkReadable(call, plan, rows)
      written.push({ rows, texts, writer })
    }
  }
  if (values.size > 0 || !call.asText) {
    return { value: keys.map((key) => values.get(keyText(key)) ?? null) }
  }
  return { value: null, text: listText(resource, keys, written) }
}

/** Rows of one statement, and the writer of their objects. */
interface WrittenRows extends Omit<EchoRows, 'plan'> {
  readonly writer: ObjectWriter
}

/** The JSON text of the list in the order of the keys; null for a record without a row. */
function listText(
  resource: Resource,
  keys: readonly (readonly Value[])[],
  written: readonly WrittenRows[],
): string {
  const [only, ...others] = written
  if (only !== undefined && others.length === 0 && areOf(resource, keys, only.rows))
    return writeList(only.rows, only.writer)
  const sets = written.map((group) => ({ rows: byKeyText(group), writer: group.writer }))
  // V8 joins the parts of concatenated strings once, when the text is sent.
  let text = '['
  for (let i = 0; i < keys.length; i++) {
    const object = objectText(sets, keyText(keys[i] as readonly Value[]))
    text += i === 0 ? object : `,${object}`
  }
  return `${text}]`
}

/** The object of the record with this key, given as `keyText`; null without a row. */
function objectText(
  sets: readonly {
    readonly rows: ReadonlyMap<string, LoadedRow>
    readonly writer: ObjectWriter
  }[],
  key: string,
): string {
  for (let i = 0; i < sets.length; i++) {
    const row = sets[i]?.rows.get(key)
    if (row !== undefined) return sets[i]?.writer.write(row) as string
  }
  return 'null'
}

function byKeyText({ rows, texts }: Pick<EchoRows, 'rows' | 'texts'>): Map<string, LoadedRow> {
  const found = new Map<string, LoadedRow>()
  const own = texts()
  for (let i = 0; i < rows.length; i++) found.set(own[i] as string, rows[i] as LoadedRow)
  return found
}

/** Rows of some of the records, and the plan that they were read by. */
export interface KnownRows {
  readonly plan: ReadPlan
  readonly rows: readonly LoadedRow[]
}

interface EchoRows extends KnownRows {
  /** The keys of the rows, as `keyText`. */
  readonly texts: () => readonly string[]
}

/** Whether the rows have exactly these keys, in this order, so that the list is written without looking each one up. */
function areOf(
  { primaryKey }: Resource,
  keys: readonly (readonly Value[])[],
  rows: readonly LoadedRow[],
): boolean {
  const [first] = rows
  if (first === undefined || rows.length !== keys.length) return false
  for (let j = 0; j < primaryKey.length; j++) {
    const column = primaryKey[j] as NamedColumn
    const read = columnReader(first.layout.readers, column)
    for (let i = 0; i < rows.length; i++) {
      if (valueOfJson(column, read((rows[i] as LoadedRow).raw)) !== keys[i]?.[j]) return false
    }
  }
  return true
}

/** The known rows, and the rows of the other records, which it reads if the caller may read them. */
async function* allRows(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
  known: KnownRows | undefined,
): AsyncGenerator<EchoRows> {
  if (known === undefined || known.rows.length === 0)
    return yield* readRows(call, opened, resource, ast, keys, 'list')
  const echo = echoRows(resource, known)
  yield echo
  // The statements return each record at most once.
  if (known.rows.length === keys.length) return
  const returned = new Set(echo.texts())
  const others = keys.filter((key) => !returned.has(keyText(key)))
  if (others.length > 0) yield* readRows(call, opened, resource, ast, others, 'list')
}

/** Reads the records that the caller may read. */
async function* readRows(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  keys: readonly (readonly Value[])[],
  form: EchoForm,
): AsyncGenerator<EchoRows> {
  if (!call.reach(resource)) return
  const one = planOne(resource, ast, keys[0] ?? [], call.reach)
  for (const some of keyChunks(opened.target.dialect, keys, resource.primaryKey)) {
    const where = [withKeys(one.rows.from, resource.primaryKey, some)]
    const planned = { ...one, rows: { ...one.rows, where } }
    try {
      const { plan: narrowed, target } = await scopePlan(call, opened, planned, ast)
      const plan = withKeyAndTag(narrowed, form)
      const slice = { limit: some.length, offset: 0 }
      const rows = await readAll(opened.lease, compileRead(target, plan, undefined, slice))
      yield echoRows(resource, { plan, rows })
    } catch (error) {
      // A policy that refuses the read gives 403. The write was allowed, so its record is returned as null instead.
      if (!(error instanceof ApiError) || error.status !== 403) throw error
    }
  }
}

/** Adds the keys of the rows, which are decoded when they are first needed. */
function echoRows(resource: Resource, { plan, rows }: KnownRows): EchoRows {
  let texts: readonly string[] | undefined
  return {
    plan,
    rows,
    texts: () => {
      texts ??= keyTextsOf(resource, rows)
      return texts
    },
  }
}

/** Decodes only the keys of the rows. */
function keyTextsOf(resource: Resource, rows: readonly LoadedRow[]): readonly string[] {
  const [first] = rows
  if (first === undefined) return []
  const { readers } = first.layout
  const parts = resource.primaryKey.map((column) => {
    const read = columnReader(readers, column)
    return ({ raw }: LoadedRow): Value => valueOfJson(column, read(raw)) as Value
  })
  const only = parts.length === 1 ? parts[0] : undefined
  return only === undefined
    ? rows.map((row) => keyText(parts.map((part) => part(row))))
    : rows.map((row) => keyTextOfOne(only(row)))
}

/** The record's value; null if `can_read` refuses it. */
async function valueOrNull(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  row: LoadedRow,
): Promise<JsonValue> {
  try {
    const [value = null] = await objectsOf(call, resource, plan, [row])
    return value
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}
