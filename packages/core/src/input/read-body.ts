// Turns the body of a write into WriteNodes, and makes every check that needs no database. Collects all problems (docs/writing.md).

import type { JsonValue } from '../json/json-value.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { WriteMode } from '../registry/field-rules.ts'
import type { Resource } from '../registry/resource.ts'
import type { RecordNode } from '../write/plan/node.ts'
import type { Identifying } from './plain-record.ts'
import type { InputProblems } from './problems.ts'
import { type Place, type Reading, readRecord } from './read-record.ts'
import { problemsOf, type ValidatorHost, type ValueCheck } from './validators.ts'

const nothing: ReadonlySet<string> = new Set()
const noneIdentifying: Identifying = new Map()

/** Reads a record and collects the checks of its validators. */
export function readNode(
  resource: Resource,
  body: JsonValue,
  place: {
    readonly path: string
    readonly mode: WriteMode
    readonly identifying?: Identifying
    readonly isMergePatch?: boolean
  },
  problems: InputProblems,
  host: ValidatorHost,
): MaybePromise<RecordNode> {
  const reading: Reading = { problems, checks: [] }
  const full: Place = {
    left: resource.settings.limits.depth,
    filled: nothing,
    path: place.path,
    mode: place.mode,
    identifying: place.identifying ?? noneIdentifying,
    isMergePatch: place.isMergePatch ?? false,
  }
  const node = readRecord(reading, resource, body, full)
  return reading.checks.length === 0
    ? node
    : runChecks(reading.checks, problems, host).then(() => node)
}

/** Runs validators; their messages become problems. */
export async function runChecks(
  checks: readonly ValueCheck[],
  problems: Pick<InputProblems, 'add'>,
  host: ValidatorHost,
): Promise<void> {
  for (const check of checks) {
    for (const message of await problemsOf(check, host)) problems.add(check.path, message)
  }
}
