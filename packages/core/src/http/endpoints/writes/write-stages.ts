// inWrite: runs the write of an endpoint, after its body was checked: takes the connection, and gives `write/transaction` the WriteContext
// (connection, hooks, access rules, clock) and the steps around COMMIT. All endpoints of writes call it.

import { needsChanges, runAfterCommit, runBeforeCommit } from '../../../access/hooks/commit.ts'
import { validatorHost, valueSourcesOf } from '../../../access/hooks/model-functions.ts'
import { writeHooks } from '../../../access/hooks/write-hooks.ts'
import { writeAccess } from '../../../access/policies/write-decisions.ts'
import {
  type BeforeHookStatements,
  hookConnection,
} from '../../../database/leases/hook-connection.ts'
import { NestedRequests } from '../../../database/leases/nested-requests.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Opened } from '../../../query/scoper.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { mergedDocumentProblem } from '../../../write/body/merged-document.ts'
import { runChecks } from '../../../write/body/read-body.ts'
import { bodyLimitOf } from '../../../write/body/text/request-body.ts'
import { problemsOf } from '../../../write/body/validators.ts'
import { changeLog } from '../../../write/store/change-log.ts'
import { GeneratedKeys } from '../../../write/store/generated-keys.ts'
import { RemovedLinkCount } from '../../../write/store/removed-link-count.ts'
import { RuledRecords } from '../../../write/store/ruled-records.ts'
import type { WriteContext, WriteHooks } from '../../../write/store/write-context.ts'
import {
  KeptAccess,
  keptFindings,
  keptHooks,
  keptSources,
} from '../../../write/transaction/hook-results.ts'
import type {
  AttemptFacts,
  AttemptOptions,
  OpenWrite,
  Respond,
  TransactionDatabase,
} from '../../../write/transaction/write-once.ts'
import { writeRequest } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import {
  isHosted,
  openRequestDatabase,
  withNewestRows,
} from '../reads/database/request-database.ts'
import { finishBeforeCommit } from '../routing/finish.ts'
import { fusionFacts } from './fusion-facts.ts'

/** A write in its transaction. */
export interface Writing extends OpenWrite {
  /** The call with the transaction; hooks receive it as their connection. */
  readonly call: Call
  /** The transaction, for reading the echo. */
  readonly opened: Opened
}

/** What an endpoint says about its write. */
export interface StageOptions extends AttemptOptions {
  /** Problems of the body so far, to report together with those that depend on the stored record. */
  readonly problems?: InputProblems
  /** Whether many records are stored together after their hooks were called. If a hook sends a statement, they are stored before it. */
  readonly isBulk?: boolean
  /** Whether filters choose the records, so that changes have no path in the body (`Change.path`). */
  readonly byFilters?: boolean
}

/**
 * Runs a write to `resource`, the model in the path: in one transaction, unless one statement makes it. `work` returns the function that
 * makes the response, which is called after the callback before COMMIT.
 */
export async function inWrite(
  call: Call,
  resource: Resource,
  work: (writing: Writing) => Promise<Respond<Result>>,
  options: StageOptions = {},
): Promise<Result> {
  const opening = openRequestDatabase(call)
  const opened = opening instanceof Promise ? await opening : opening
  const { runtime } = call
  const { batch } = runtime
  return writeRequest<Writing, Result>(
    {
      own: opened.own,
      outside: opened,
      inSavepoint: runtime.signIn.given?.trail !== undefined && isHosted(call, opened.own),
      batch,
      warn: (message) => runtime.host.warn(message),
      needsChanges: needsChanges(call.hooks),
      fusionFacts: (oneRecord) => fusionFacts(call, opened, oneRecord),
      writingIn: (inside, attempt) => writingIn(call, resource, opened, inside, options, attempt),
      finish: (writing, written) => finishBeforeCommit(writing.call, written),
      async beforeCommit(writing, changes) {
        if (batch === undefined) await runBeforeCommit(writing.call, changes)
      },
      // `isShared: false`, because a transaction must not share statements with other requests.
      endUsers: ({ context: { users }, opened: { lease, target } }) =>
        users &&
        runtime.signIn.credentialCleanup?.revoke({ lease, target, isShared: false }, users),
      noteChanges(changes, rebuildResponse) {
        if (batch) batch.note(call, changes, rebuildResponse)
        else runAfterCommit(call, changes, { committed: !opened.own.isTransaction })
      },
    },
    work,
    options,
  )
}

/** The requests, one inside another, inside which the hooks of a request run, the outermost first: `['POST of Book', 'POST of Author']`. */
const trailIn = ({ runtime, action, resource }: Call): readonly string[] => [
  ...(runtime.signIn.given?.trail ?? []),
  `${action} of ${resource.name}`,
]

/** The hooks of a write that one statement makes: none, because a write with callbacks is made by several statements. */
const noHooks: WriteHooks = {
  has: () => false,
  add: async (_, object) => object,
  update: async (_, object) => object,
  remove: async () => {},
}

/** Makes the context of one attempt of the write, on the connection of its transaction. */
function writingIn(
  call: Call,
  resource: Resource,
  outside: Opened,
  { lease, own: transaction }: TransactionDatabase,
  { problems: before, isBulk = false, byFilters = false }: StageOptions,
  { repeat, deferred, results, fused }: AttemptFacts,
): Writing {
  const notesChanges = needsChanges(call.hooks) || deferred !== undefined
  const beforeHookStatements: BeforeHookStatements | undefined = isBulk
    ? { work: undefined, isOver: false }
    : undefined
  const hosted = isHosted(call, outside.own)
  /** Whether one statement outside of a transaction makes the write. */
  const isAlone = fused?.fusion.inTransaction === false
  const hooks = isAlone
    ? { db: transaction, nested: new NestedRequests([]), statements: undefined, sentStatements: 0 }
    : (call.runtime.batch?.hooks ?? hookConnection(transaction, trailIn(call)))
  hooks.statements = beforeHookStatements
  const inside: Call = isAlone ? call : { ...call, transaction: hooks.db }
  const { target } = isAlone
    ? outside
    : withNewestRows(call, { ...outside, target: { ...outside.target, db: lease.db } })
  const opened: Opened = { lease, target, own: transaction }
  const problems = inputProblems(before)
  // `results`: what hooks have returned in an earlier attempt. A repetition keeps it, instead of calling them again.
  const sources = keptSources(results, valueSourcesOf(inside))
  const context: WriteContext = {
    lease,
    target,
    registry: call.registry,
    access: new KeptAccess(results, writeAccess(inside, opened)),
    hooks: isAlone ? noHooks : keptHooks(results, writeHooks(inside)),
    base: call.base,
    now: sources.now,
    uuid: sources.uuid,
    defaultOf: sources.defaultOf,
    deletedValueOf: sources.deletedValueOf,
    // The path of a change begins at the body (''); a change chosen by filters has none (null).
    changes: notesChanges ? changeLog(byFilters ? null : '') : undefined,
    users: isAlone ? undefined : call.runtime.signIn.credentialCleanup?.collect(),
    validate(checks) {
      const host = validatorHost(inside)
      return runChecks(checks, problems, host, (check) =>
        keptFindings(results, check, () => problemsOf(check, host)),
      )
    },
    mergedDocumentProblem: (stored, merged) =>
      mergedDocumentProblem(stored, merged, bodyLimitOf(call.runtime.settings)),
    problems,
    unlocked: [],
    ruled: new RuledRecords(),
    generatedKeys: new GeneratedKeys(),
    removedLinks: new RemovedLinkCount(resource),
    hosted,
    repeat,
    fused,
    interrupt: undefined,
    beforeHookStatements,
  }
  return { call: inside, context, opened, hooks }
}
