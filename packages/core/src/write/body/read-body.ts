// nodeReader: turns the JSON body of a write into RecordNodes, one for each record in it, nested ones included, and makes every check that
// needs no database. Collects all problems, so that a client gets them together (docs/guide/writing.md): the endpoint throws them
// afterwards. `runChecks` runs validators, here and in the transaction.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { WriteMode } from '../../model/registry/checks/field-rules.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { RecordNode } from '../nodes/node.ts'
import type { InputProblems } from './input-problems.ts'
import { hasValidators, type Identifying } from './plain-record.ts'
import {
  type BodyPlace,
  type ChildChanges,
  noRelationKeys,
  type Reading,
  type RelationKeys,
  readRecord,
} from './read-record.ts'
import { RecordCount } from './record-count.ts'
import { RepeatedMembers } from './repeated-members.ts'
import { problemsOf, type ValidatorHost, type ValueCheck } from './validators.ts'

const nothing: ReadonlySet<string> = new Set()
const noneIdentifying: Identifying = new Map()

/** How the records of a body are read. */
export interface BodyOptions {
  /** `create`, `update` (PATCH) or `replace` (PUT). */
  readonly mode: WriteMode
  /** The fields that identify each record, in a list of changes or with `on_conflict`. Default: none. */
  readonly identifying?: Identifying
  /** In a change: the fields that the caller may write only in a new record. */
  readonly createOnly?: ReadonlySet<string>
  /** The unique keys by which nested objects name stored records (`labels.on_conflict=name`). */
  readonly relationKeys?: RelationKeys
  /** Whether objects for json columns are merged into the stored documents. */
  readonly isMergePatch?: boolean
  /** How lists change the children of stored records; undefined if they cannot. */
  readonly childChanges?: ChildChanges
  /** Counts the records that are read, to limit them; absent for a counter of this body alone. */
  readonly count?: RecordCount
}

/** Reads a record at a path and runs its validators. What is wrong goes to `problems`; the node has the values that are right. */
export const readNode = (
  resource: Resource,
  body: JsonValue,
  { path, ...options }: BodyOptions & { readonly path: string },
  problems: InputProblems,
  host: ValidatorHost,
): MaybePromise<RecordNode> => nodeReader(resource, options, problems, host)(body, path)

/** Returns `readNode` for the records of a list, which are read one after the other. */
export function nodeReader(
  resource: Resource,
  {
    mode,
    identifying = noneIdentifying,
    createOnly = nothing,
    relationKeys = noRelationKeys,
    isMergePatch = false,
    childChanges,
    count = new RecordCount(resource),
  }: BodyOptions,
  problems: InputProblems,
  host: ValidatorHost,
): (body: JsonValue, path: string) => MaybePromise<RecordNode> {
  const levelsLeft = resource.settings.limits.depth
  const { sources } = host
  // Shared by all records until one of them has a validator.
  let reading: Reading = { problems, checks: [], sources, count }
  const isPlain = createOnly.size === 0 && !isMergePatch && !hasValidators(resource, mode)
  const repeated = isPlain ? new RepeatedMembers(resource, mode) : undefined
  return (body, path) => {
    count.add(resource, 1)
    const plain = repeated?.read(body, path)
    if (plain !== undefined) return plain
    const place: BodyPlace = {
      levelsLeft,
      filled: nothing,
      path,
      mode,
      identifying,
      createOnly,
      relationKeys,
      isMergePatch,
      childChanges,
      relationPath: [],
    }
    const node = readRecord(reading, resource, body, place)
    repeated?.remember(node)
    const { checks } = reading
    if (checks.length === 0) return node
    reading = { problems, checks: [], sources, count }
    return runChecks(checks, problems, host).then(() => node)
  }
}

/** Runs validators; their messages become problems. `find` runs one of them: an attempt of a write keeps what it has found. */
export async function runChecks(
  checks: readonly ValueCheck[],
  problems: Pick<InputProblems, 'add'>,
  host: ValidatorHost,
  find: typeof problemsOf = problemsOf,
): Promise<void> {
  for (const check of checks) {
    for (const { at, problem } of await find(check, host)) {
      problems.add(check.path + at, problem)
    }
  }
}
