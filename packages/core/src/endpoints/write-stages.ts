// What every writing endpoint does alike: one transaction, its context, and the explanation of what the database refused.

import { hookCallerOf, recordArgs } from '../access/hook-args.ts'
import type { Call } from '../call.ts'
import { settingNames } from '../config/setting-names.ts'
import { conflictingParameters, notHere } from '../errors.ts'
import { deadlineOf } from '../execute/bounds.ts'
import { inTransaction } from '../execute/transaction.ts'
import { explainRefusal } from '../execute/violation.ts'
import type { Precondition } from '../execute/write-change.ts'
import {
  type Moment,
  type Refusal,
  refusalOf,
  type WriteContext,
} from '../execute/write-context.ts'
import { writeHooks } from '../hooks/write-hooks.ts'
import type { Result } from '../http/envelope.ts'
import { ifMatch } from '../http/etag.ts'
import { readBody } from '../input/body.ts'
import { type InputProblems, inputProblems } from '../input/problems.ts'
import { runChecks } from '../input/read-body.ts'
import type { ValidatorHost } from '../input/validators.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen } from '../maybe-promise.ts'
import type { QueryAst, SingleParameter } from '../parse/ast.ts'
import type { Resource } from '../registry/resource.ts'
import { recordText } from '../serialize/tag-text.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { finishedInside } from './finish.ts'
import { type Opened, open } from './read-stages.ts'
import { writeAccess } from './write-access.ts'

/** A write in its transaction. */
export interface Writing {
  /** The call as it is inside the transaction: hooks are given its connection. */
  readonly call: Call
  readonly context: WriteContext
  /** The transaction, for the read that answers. */
  readonly opened: Opened
}

const mostRepeats = 3

export interface WriteOptions {
  /** Which refusals are a race that is worth another try. */
  readonly again?: (refusal: Refusal) => boolean
  /** What is wrong with the body already, to be answered together with what the stored record tells. */
  readonly problems?: InputProblems
}

/** Runs a write in one transaction. What the database refuses is rolled back first and explained then. */
export async function inWrite(
  call: Call,
  work: (writing: Writing) => Promise<Result>,
  { again, problems }: WriteOptions = {},
): Promise<Result> {
  const opened = await open(call)
  for (let repeat = 1; ; repeat++) {
    try {
      return await timedTransaction(call, opened, async (transaction) => {
        const writing = writingIn(call, opened, transaction, problems)
        return finishedInside(writing.call, await work(writing))
      })
    } catch (error) {
      const refusal = refusalOf(error)
      const worthIt = refusal !== undefined && again?.(refusal) === true
      if (!worthIt || opened.own.isTransaction || repeat > mostRepeats) {
        throw await explained(opened, error)
      }
    }
  }
}

/** As `inTransaction`; where the request is timed, BEGIN and COMMIT count as the database's. */
function timedTransaction<T>(
  { timing, request, runtime }: Call,
  { own, connection }: Opened,
  work: (transaction: AnyDatabase) => Promise<T>,
): Promise<T> {
  const { dialect } = connection
  const bounds = { deadline: deadlineOf(runtime.settings.statementTimeout), client: request }
  if (timing === undefined) return inTransaction(own, dialect, bounds, work)
  return timing.database(() =>
    inTransaction(own, dialect, bounds, (transaction) => timing.ownWork(() => work(transaction))),
  )
}

/** The answer to what the database refused; any other error is its own. */
export async function explained(opened: Opened, error: unknown): Promise<unknown> {
  const refusal = refusalOf(error)
  if (refusal === undefined) return error
  return Object.assign(await explainRefusal(opened, refusal), { cause: error })
}

function writingIn(
  call: Call,
  outside: Opened,
  transaction: AnyDatabase,
  before?: InputProblems,
): Writing {
  const { runtime } = call
  const inside: Call = { ...call, transaction }
  const db = transaction.withoutPlugins()
  const { dialect } = outside.connection
  const opened: Opened = {
    connection: { db, dialect, timing: call.timing },
    target: { ...outside.target, db },
    own: transaction,
  }
  const problems = inputProblems(before)
  const context: WriteContext = {
    connection: opened.connection,
    target: opened.target,
    registry: runtime.registry,
    access: writeAccess(inside, opened),
    hooks: writeHooks(inside),
    base: call.base,
    ...momentOf(inside),
    validate: (checks) => runChecks(checks, problems, validatorHost(inside)),
    problems,
  }
  return { call: inside, context, opened }
}

/** What validators of the author's are called with; a session getter is asked before the first of them. */
export const validatorHost = (call: Call): ValidatorHost => ({
  callHook: hookCallerOf(call),
  args: (resource, before) =>
    andThen(call.transaction ?? call.runtime.session(call.request), () =>
      recordArgs(call, resource, before && { ...before }),
    ),
})

/** The moment of a write; most writes never ask for the time. */
export function momentOf(call: Call): Moment {
  const { clock } = call.runtime
  let now: string | undefined
  return {
    get now() {
      now ??= new Date(clock.now()).toISOString()
      return now
    },
    uuid: () => crypto.randomUUID(),
    defaultOf: (resource, column, make) =>
      hookCallerOf(call)(`default of ${resource.name}.${column.name}`, () =>
        make(recordArgs(call, resource)),
      ),
  }
}

/** The body of this request; what is wrong with it as JSON goes to `problems`. */
export const bodyOf = ({ request, runtime }: Call, problems: InputProblems): JsonValue =>
  readBody(
    request,
    { bytes: runtime.settings.bodyLimit, setting: settingNames.bodyLimit },
    problems,
  )

/** `If-Match`, as a question to the stored record. */
export function preconditionOf({ request }: Call, resource: Resource): Precondition | undefined {
  const matches = ifMatch(request)
  return matches && ((stored) => matches(recordText(resource, stored)))
}

/** Refuses the parameters that mean nothing to this write. */
export function refuseOthers(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  const known: readonly string[] = [...echoParameters, ...own]
  for (const [name, node] of Object.entries(ast.single)) {
    if (!known.includes(name)) throw notHere(name, 'in a write', `${name}=${node?.text ?? ''}`)
  }
}

/** What shapes the record that is answered. */
const echoParameters: readonly SingleParameter[] = [
  'dump',
  'dump_relationships',
  'include_deleted',
  'join_type',
]

/** Refuses everything but these parameters: an answer without a record has nothing to shape. */
export function refuseAllBut(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  for (const [name, node] of Object.entries(ast.single)) {
    if (!(own as readonly string[]).includes(name)) {
      throw notHere(name, 'in a removal', `${name}=${node?.text ?? ''}`)
    }
  }
  const { fields, joins, groupBy, aggregates, order, relationOptions } = ast
  const lists = [fields ?? [], groupBy, aggregates, order, relationOptions, joins].flat()
  const [first] = lists
  if (first !== undefined) {
    const at = ast.raw.slice(first.span.start, first.span.end)
    throw conflictingParameters('A removal answers no record that could be shaped.', at)
  }
}
