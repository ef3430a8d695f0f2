// The answer of a write: its records as their writer may see them, with Location and the tag of a single one.

import type { Call } from '../call.ts'
import { keyIn } from '../execute/look-up.ts'
import type { Result } from '../http/envelope.ts'
import { keyUrl } from '../http/links.ts'
import type { InputProblems } from '../input/problems.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { QueryAst } from '../parse/ast.ts'
import { keyTexts } from '../plan/path-key.ts'
import type { Value } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import type { Remember } from './idempotent.ts'
import { readBack } from './read-back.ts'
import type { Content } from './read-stages.ts'
import type { Writing } from './write-stages.ts'

/** The records of a POST, and what is wrong with its body so far. */
export interface Items {
  readonly items: readonly JsonValue[]
  readonly many: boolean
  readonly problems: InputProblems
  /** Absent where there is no Idempotency-Key. */
  readonly remember: Remember | undefined
}

/** The key of a record that was just created. */
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
export async function writtenResult(
  { call, opened }: Writing,
  resource: Resource,
  ast: QueryAst,
  { keys, many, status }: Written,
): Promise<Result> {
  const echoes = await readBack(call, opened, resource, ast, keys)
  if (many) return { status, value: echoes.map(({ value }) => value), total: keys.length }
  const [key = []] = keys
  const [echo] = echoes
  const { value = null, record } = echo ?? {}
  const content = { value, ...(record === undefined ? {} : { record }) }
  return recordResult(call, resource, { key, status }, content)
}

/** The answer that is one record. */
export function recordResult(
  call: Call,
  resource: Resource,
  { key, status }: { readonly key: readonly Value[]; readonly status: 200 | 201 },
  content: Content,
): Result {
  const result: Result = { ...content, status, total: 1 }
  if (status === 200) return result
  return { ...result, headers: { location: keyUrl(resource, keyTexts(resource, key), call.base) } }
}
