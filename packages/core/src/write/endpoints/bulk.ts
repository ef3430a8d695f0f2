// PATCH and DELETE on a collection: changes all records that match the filters, in one transaction (contract §8).

import type { Call } from '../../call.ts'
import { settingNames } from '../../config/setting-names.ts'
import { parse } from '../../endpoints/read-stages.ts'
import {
  ApiError,
  filterNeeded,
  invalidParameter,
  notHere,
  preconditionOnMany,
  tooManyRecords,
} from '../../errors.ts'
import { keyText } from '../../execute/key.ts'
import type { Result } from '../../http/envelope.ts'
import { header } from '../../http/request.ts'
import { inputProblems } from '../../input/problems.ts'
import { readNode } from '../../input/read-body.ts'
import type { QueryAst } from '../../parse/ast.ts'
import type { RowPlan, Value } from '../../plan/plan.ts'
import { planList } from '../../plan/read-plan.ts'
import type { Resource } from '../../registry/resource.ts'
import { changeRecord } from '../execute/change.ts'
import { keyIn, lockRecord, readScoped } from '../execute/look-up.ts'
import { referrersFirst } from '../execute/referrers-first.ts'
import { removeRecord } from '../execute/remove.ts'
import { withAllColumns } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { planEcho, readEchoes } from './echo.ts'
import { cascadeParameter } from './remove.ts'
import {
  bodyOf,
  inWrite,
  refuseAllBut,
  refuseOtherParameters,
  validatorHost,
  type Writing,
} from './stages.ts'

/** `PATCH /api/books?price__lt=5&max_affected=10` with the fields to change → 200 and the changed records. */
export async function updateMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parse(call, resource)
  refuseOtherParameters(ast, 'max_affected')
  const selection = selectionOf(call, resource, ast)
  const echo: QueryAst = { ...ast, where: [] }
  planEcho(resource, echo, call.reach)
  const problems = inputProblems()
  const node = await readNode(
    resource,
    bodyOf(call, problems),
    { path: '', mode: 'update' },
    problems,
    validatorHost(call),
  )
  problems.refuse()
  return inWrite(call, async (writing) => {
    const rows = await lockMatchingRows(writing, resource, selection, 'PATCH')
    const keys = keysOf(resource, rows)
    for (const key of keys) {
      await changeRecord(writing.context, node, key, { action: 'PATCH', replace: false })
    }
    const echoes = await readEchoes(writing.call, writing.opened, resource, echo, keys)
    return { status: 200, value: echoes.map(({ value }) => value), total: keys.length }
  })
}

/** `DELETE /api/books?price__lt=5&max_affected=10` → 200, no value, and the number of deleted records as total. */
export async function removeMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parse(call, resource)
  refuseAllBut({ ...ast, joins: [] }, 'cascade_delete', 'max_affected', 'join_type')
  const selection = selectionOf(call, resource, ast)
  const cascade = cascadeParameter(resource, ast)
  return inWrite(call, async (writing) => {
    const rows = await lockMatchingRows(writing, resource, selection, 'DELETE')
    await removeAll(writing, resource, rows, cascade)
    return { status: 200, value: null, total: rows.length }
  })
}

/** The records that a bulk write matches. */
interface Selection {
  readonly rows: RowPlan
  /** 400 if more records match. */
  readonly max: number
  /** The parameter or setting that `max` comes from, for the error message. */
  readonly limit: string
}

function selectionOf(call: Call, resource: Resource, ast: QueryAst): Selection {
  if (header(call.request, 'if-match') !== undefined) throw preconditionOnMany()
  if (ast.where.length === 0) throw filterNeeded(call.method)
  const [first] = [...ast.order, ...ast.groupBy, ...ast.aggregates]
  if (first !== undefined) {
    const at = ast.raw.slice(first.span.start, first.span.end)
    throw notHere(at, 'in a write', at)
  }
  const { fields: _, ...query } = ast
  const single = ast.single.join_type === undefined ? {} : { join_type: ast.single.join_type }
  const plan = planList(resource, { ...query, relationOptions: [], single }, call.reach)
  return { rows: withAllColumns(plan.rows), ...limitOf(resource, ast) }
}

function limitOf(resource: Resource, ast: QueryAst): Pick<Selection, 'max' | 'limit'> {
  const { bulk } = resource.settings.limits
  const text = ast.single.max_affected?.text
  if (text === undefined) return { max: bulk, limit: settingNames.maxBulk }
  if (!/^[0-9]{1,9}$/.test(text)) throw invalidParameter('max_affected', text, 'a whole number')
  const max = Number(text)
  return max <= bulk ? { max, limit: 'max_affected' } : { max: bulk, limit: settingNames.maxBulk }
}

/**
 * The matching records, in key order and locked. After locking, the filters are evaluated again: a concurrent transaction
 * may have changed a record so that it no longer matches.
 */
async function lockMatchingRows(
  { context }: Writing,
  resource: Resource,
  { rows: plan, max, limit }: Selection,
  action: 'PATCH' | 'DELETE',
): Promise<readonly Values[]> {
  const read = async () => {
    const found = await readScoped(context, plan, action, max + 1)
    if (found.length > max) throw tooManyRecords(limit, max, limit)
    return found
  }
  const rows = await read()
  if (!context.target.dialect.capabilities.locksRows || rows.length === 0) return rows
  const keys = keysOf(resource, rows)
  for (const key of keys) await lockRecord(context, resource, key)
  const locked = new Set(keys.map(keyText))
  return (await read()).filter((row) => locked.has(keyText(keyIn(resource, row) ?? [])))
}

const keysOf = (resource: Resource, rows: readonly Values[]): readonly (readonly Value[])[] =>
  rows.map((row) => keyIn(resource, row) ?? [])

/**
 * Deletes the records, referring ones before those they refer to. A record that is still referred to is tried again after
 * the others, since hooks and cascades may have deleted what refers to it; a round without progress throws.
 */
async function removeAll(
  { context }: Writing,
  resource: Resource,
  rows: readonly Values[],
  cascade: boolean,
): Promise<void> {
  let remaining = keysOf(resource, referrersFirst(context.registry, resource, rows))
  while (remaining.length > 0) {
    const failed: (readonly Value[])[] = []
    let refusal: unknown
    for (const key of remaining) {
      try {
        await removeRecord(context, resource, key, { cascade })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // A cascade may have deleted it already.
        const gone = cascade && error.body.code === 'record_not_found'
        if (!gone && error.body.code !== 'referred_to') throw error
        if (!gone) failed.push(key)
        refusal = error
      }
    }
    if (failed.length === remaining.length) throw refusal
    remaining = failed
  }
}
