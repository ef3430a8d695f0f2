// What the models share: the caller, the scope of organisations, the numbers of issues, and the audit.

import type { AccessPolicy, BeforeCommitCallback, HookArgs, WriteCallback } from '@model-api/core'

/** The sender of a request: the result of `callerOf`, and `user` in every hook. */
export interface Caller {
  readonly id: string
  readonly organisation_id: string
  readonly roles: readonly string[]
}

/** Restricts every read to the rows of the caller's organisation. */
export const ofTenant: AccessPolicy<Caller> = {
  scope_query: (query, { user }) => query.where('organisation_id', '=', user.organisation_id),
}

/** Writes the audit inside the transaction of the request, so that records and their entries are stored together or not at all. */
export const audited: BeforeCommitCallback<Caller | null> = async (changes, { db, user }) => {
  if (user === null) throw new Error('A record was written without a caller.')
  const entries = changes.map(({ action, model, key }) => ({
    id: crypto.randomUUID(),
    organisation_id: user.organisation_id,
    member_id: user.id,
    action,
    model: model.name,
    record_id: String(key[0]),
  }))
  // A statement takes a limited number of values: on PostgreSQL 65,535.
  for (let i = 0; i < entries.length; i += 1000) {
    const some = entries.slice(i, i + 1000)
    await db.insertInto('audit_entries').values(some).execute()
  }
}

/** The transactions that have locked their organisation, by `args.db`. */
const locked = new WeakSet<object>()

/** Numbers issues within their project, even if two are created at once. */
async function nextNumber(
  projectId: string,
  { db, user, lock }: HookArgs<Caller>,
): Promise<number> {
  // All transactions that number issues of an organisation wait here, so that none waits for another one's project.
  if (!locked.has(db)) {
    await lock('Organisation', user.organisation_id)
    locked.add(db)
  }
  const project = db.updateTable('projects').where('id', '=', projectId)
  await project.set(({ eb }) => ({ issue_count: eb('issue_count', '+', 1) })).execute()
  const { issue_count } = await db
    .selectFrom('projects')
    .select('issue_count')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  return issue_count
}

export const numbered: WriteCallback<Caller> = async (issue, _model, args) => ({
  ...issue,
  number: await nextNumber(issue.project_id, args),
})

/** An issue that moves gets the next number of its new project. */
export const renumbered: WriteCallback<Caller> = async (issue, model, args) =>
  issue.project_id === args.before?.project_id ? issue : numbered(issue, model, args)
