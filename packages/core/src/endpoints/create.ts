// POST on a collection: one record, a list of them, or an upsert (contract §8).

import type { Call } from '../call.ts'
import { settingNames } from '../config/setting-names.ts'
import { tooManyRecords, wrongBody } from '../errors.ts'
import { keyIn } from '../execute/look-up.ts'
import { createRecord } from '../execute/write-create.ts'
import type { Result } from '../http/envelope.ts'
import { recordUrl } from '../http/links.ts'
import { inputProblems } from '../input/problems.ts'
import { readNode } from '../input/read-body.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Value } from '../plan/plan.ts'
import type { RecordNode, Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import { planEcho, readBack } from './read-back.ts'
import { parse } from './read-stages.ts'
import { bodyOf, inWrite, refuseOthers, type Writing } from './write-stages.ts'

/** `POST /api/books` with a book, or with a list of books where bulk writes are allowed → 201. */
export async function create(call: Call, resource: Resource): Promise<Result> {
  const ast = parse(call, resource)
  refuseOthers(ast)
  planEcho(call, resource, ast)
  const problems = inputProblems()
  const body = bodyOf(call, problems)
  const many = Array.isArray(body)
  const items = itemsOf(resource, body)
  const nodes: RecordNode[] = []
  for (const [i, item] of items.entries()) {
    const path = many ? `[${i}]` : ''
    nodes.push(await readNode(resource, item, { path, mode: 'create' }, problems))
  }
  problems.refuse()
  return inWrite(call, async (writing) => {
    const keys: (readonly Value[])[] = []
    for (const node of nodes) {
      keys.push(keyOf(resource, await createRecord(writing.context, node, {})))
    }
    writing.context.problems.refuse()
    return createdResult(call, writing, resource, ast, { keys, many, status: 201 })
  })
}

/** The records of a body. */
export function itemsOf(resource: Resource, body: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(body)) return [body]
  const { allowBulk, limits } = resource.settings
  if (!allowBulk)
    throw wrongBody(`one object; lists are not enabled here (${settingNames.allowBulk})`)
  if (body.length === 0) throw wrongBody('an object, or a list of at least one')
  if (body.length > limits.bulk) throw tooManyRecords(settingNames.maxBulk, limits.bulk)
  return body as readonly JsonValue[]
}

export function keyOf(resource: Resource, values: Values): readonly Value[] {
  const key = keyIn(resource, values)
  if (key === undefined) throw new Error(`The key of a new ${resource.name} is not known.`)
  return key
}

/** What was written, and how it is to be answered. */
export interface Written {
  readonly keys: readonly (readonly Value[])[]
  readonly many: boolean
  readonly status: 200 | 201
}

/** The answer of a POST: the records as their writer may see them, `Location` and ETag of a single one. */
export async function createdResult(
  call: Call,
  { opened }: Writing,
  resource: Resource,
  ast: QueryAst,
  { keys, many, status }: Written,
): Promise<Result> {
  const echoes = await readBack(call, opened, resource, ast, keys)
  if (many) return { status, value: echoes.map(({ value }) => value), total: keys.length }
  const [key] = keys
  const [echo] = echoes
  const values = Object.fromEntries(
    resource.primaryKey.map(({ name }, i) => [name, String(key?.[i])]),
  )
  return {
    status,
    value: echo?.value ?? null,
    total: 1,
    ...(status === 201 ? { headers: { location: recordUrl(resource, values, call.base) } } : {}),
    ...(echo?.rowTag === undefined ? {} : { rowTag: echo.rowTag }),
  }
}
