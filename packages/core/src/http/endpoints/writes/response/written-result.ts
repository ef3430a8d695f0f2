// writtenResult: the result of a write, after its records are stored and before COMMIT: the records as the caller may read them (echoes), and
// `Location` and ETag for a single one.

import { andThen } from '../../../../lib/maybe-promise.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import type { QueryAst } from '../../../../query/parse/ast.ts'
import { pathPartsOf } from '../../../../query/plan/conditions/path-key.ts'
import type { ReadPlan, Value } from '../../../../query/plan/plan.ts'
import type { LoadedRow } from '../../../../query/run/loaded-row.ts'
import { keyUrl } from '../../../../query/serialize/links.ts'
import type { Values } from '../../../../write/nodes/node.ts'
import { keyIn } from '../../../../write/resolve/look-up-records.ts'
import type { Call } from '../../../call/call.ts'
import type { Result } from '../../../envelope.ts'
import { type ResponseContent, recordContent } from '../../reads/read-result.ts'
import type { Writing } from '../write-stages.ts'
import { isListNeeded, type KnownRows, planEcho, readEchoes, readEchoList } from './echo.ts'

/** The primary key of a record that was just written; throws if the write does not know it. */
export function writtenKeyOf(resource: Resource, values: Values): readonly Value[] {
  const key = keyIn(resource, values)
  if (key === undefined) throw new Error(`The key of a new ${resource.name} is not known.`)
  return key
}

/** The keys of the records of a list. */
export function listKeysOf(
  resource: Resource,
  records: readonly Values[],
): readonly (readonly Value[])[] {
  const keys: (readonly Value[])[] = []
  for (let i = 0; i < records.length; i++) keys.push(writtenKeyOf(resource, records[i] as Values))
  return keys
}

/** The written records, and the form of their response. */
interface WrittenRecords {
  readonly keys: readonly (readonly Value[])[]
  /** Whether the response has a list. */
  readonly many: boolean
  readonly status: 200 | 201
  /** Whether the response is stored for an Idempotency-Key, which needs values. */
  readonly isStored?: boolean
  /**
   * The row of the only record, if one statement has made the write: null if the caller may not read it, undefined if a transaction has made
   * the write, so that the record is read by its key.
   */
  readonly shown?: { readonly row: LoadedRow | null | undefined; readonly plan: ReadPlan }
  /** The rows of all records, if the statements have returned them; otherwise they are read by the keys. */
  readonly rows?: KnownRows | undefined
}

/** The response of a write: the records as the caller may read them, with `Location` if one was created. */
export async function writtenResult(
  { call, opened }: Writing,
  resource: Resource,
  ast: QueryAst,
  { keys, many, status, isStored = false, rows, shown }: WrittenRecords,
): Promise<Result> {
  const [key = []] = keys
  if (shown?.row !== undefined) {
    const { plan, row } = shown
    const content = row === null ? { value: null } : recordContent(call, resource, plan, row)
    return andThen(content, (shownContent) =>
      recordResult(call, resource, { key, status }, shownContent),
    )
  }
  const plan = () => planEcho(resource, ast, call.reach, 'list')
  // `Prefer: return=minimal`, and no callback or policy needs the records.
  if (many && !isStored && !isListNeeded(call, plan))
    return { value: null, status, keys, total: keys.length }
  if (many) {
    // A stored response has values, not their JSON text.
    const asked = isStored ? { ...call, asText: false } : call
    return {
      ...(await readEchoList(asked, opened, resource, ast, keys, rows)),
      status,
      keys,
      total: keys.length,
    }
  }
  const [echo] = await readEchoes(call, opened, resource, ast, keys)
  const { value = null, record } = echo ?? {}
  const content = { value, ...(record === undefined ? {} : { record }) }
  return recordResult(call, resource, { key, status }, content)
}

/** The response with one record. */
function recordResult(
  call: Call,
  resource: Resource,
  { key, status }: { readonly key: readonly Value[]; readonly status: 200 | 201 },
  content: ResponseContent,
): Result {
  const result: Result = { ...content, status, keys: [key], total: 1 }
  if (status === 200) return result
  return {
    ...result,
    headers: { location: keyUrl(resource, pathPartsOf(resource, key), call.base) },
  }
}
