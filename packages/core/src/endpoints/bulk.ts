// PATCH and DELETE on a collection: every record that the filters choose, all or none (contract §8).

import type { Call } from '../call.ts'
import { settingNames } from '../config/setting-names.ts'
import {
  ApiError,
  filterNeeded,
  invalidParameter,
  notHere,
  preconditionOnMany,
  tooManyRecords,
} from '../errors.ts'
import { keyText } from '../execute/key.ts'
import { keyIn, lockRecord, readScoped } from '../execute/look-up.ts'
import { referrersFirst } from '../execute/referrers-first.ts'
import { changeRecord } from '../execute/write-change.ts'
import { removeRecord } from '../execute/write-remove.ts'
import type { Result } from '../http/envelope.ts'
import { header } from '../http/request.ts'
import { inputProblems } from '../input/problems.ts'
import { readNode } from '../input/read-body.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { RowPlan, Value } from '../plan/plan.ts'
import { planList } from '../plan/read-plan.ts'
import { withAllColumns } from '../plan/write-look-up.ts'
import type { Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import { planEcho, readBack } from './read-back.ts'
import { parse } from './read-stages.ts'
import { asksForCascade } from './remove.ts'
import {
  bodyOf,
  inWrite,
  refuseAllBut,
  refuseOthers,
  validatorHost,
  type Writing,
} from './write-stages.ts'

/** `PATCH /api/books?price__lt=5&max_affected=10` with the fields to change → 200 and the records as they are now. */
export async function updateMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parse(call, resource)
  refuseOthers(ast, 'max_affected')
  const choice = choose(call, resource, ast)
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
    const rows = await chosenRows(writing, resource, choice, 'PATCH')
    const keys = keysOf(resource, rows)
    for (const key of keys) {
      await changeRecord(writing.context, node, key, { action: 'PATCH', replace: false })
    }
    const echoes = await readBack(writing.call, writing.opened, resource, echo, keys)
    return { status: 200, value: echoes.map(({ value }) => value), total: keys.length }
  })
}

/** `DELETE /api/books?price__lt=5&max_affected=10` → 200, no value, and how many there were. */
export async function removeMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parse(call, resource)
  refuseAllBut({ ...ast, joins: [] }, 'cascade_delete', 'max_affected', 'join_type')
  const choice = choose(call, resource, ast)
  const cascade = asksForCascade(resource, ast)
  return inWrite(call, async (writing) => {
    const rows = await chosenRows(writing, resource, choice, 'DELETE')
    await removeAll(writing, resource, rows, cascade)
    return { status: 200, value: null, total: rows.length }
  })
}

/** Which records, and how many at most. */
interface Choice {
  readonly rows: RowPlan
  readonly most: number
  /** What the client calls that limit. */
  readonly limit: string
}

function choose(call: Call, resource: Resource, ast: QueryAst): Choice {
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

function limitOf(resource: Resource, ast: QueryAst): Pick<Choice, 'most' | 'limit'> {
  const { bulk } = resource.settings.limits
  const text = ast.single.max_affected?.text
  if (text === undefined) return { most: bulk, limit: settingNames.maxBulk }
  if (!/^[0-9]{1,9}$/.test(text)) throw invalidParameter('max_affected', text, 'a whole number')
  const most = Number(text)
  return most <= bulk
    ? { most, limit: 'max_affected' }
    : { most: bulk, limit: settingNames.maxBulk }
}

/**
 * The chosen records, in key order and locked. They are chosen again once they are locked: what somebody
 * else has changed meanwhile may no longer be meant.
 */
async function chosenRows(
  { context }: Writing,
  resource: Resource,
  { rows: plan, most, limit }: Choice,
  action: 'PATCH' | 'DELETE',
): Promise<readonly Values[]> {
  const read = async () => {
    const found = await readScoped(context, plan, action, most + 1)
    if (found.length > most) throw tooManyRecords(limit, most, limit)
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
 * Records that refer to each other go in an order that works. What hooks and cascades take along may set others free, so
 * those that were kept are tried again as long as any goes.
 */
async function removeAll(
  { context }: Writing,
  resource: Resource,
  rows: readonly Values[],
  cascade: boolean,
): Promise<void> {
  let left = keysOf(resource, referrersFirst(context.registry, resource, rows))
  while (left.length > 0) {
    const kept: (readonly Value[])[] = []
    let refusal: unknown
    for (const key of left) {
      try {
        await removeRecord(context, resource, key, { cascade })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // A cascade may have taken it along already.
        const gone = cascade && error.body.code === 'record_not_found'
        if (!gone && error.body.code !== 'referred_to') throw error
        if (!gone) kept.push(key)
        refusal = error
      }
    }
    if (kept.length === left.length) throw refusal
    left = kept
  }
}
