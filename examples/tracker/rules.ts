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
  await db.insertInto('audit_entries').values(entries).execute()
}

/** The projects that the body of a request names, by `args.request`. */
const namedProjects = new WeakMap<object, Set<string>>()

/** The validator of `project_id`, which runs for every record of a body before the transaction begins. */
export const named = (projectId: string, _row: unknown, { request }: HookArgs<Caller>): boolean => {
  namedProjects.set(request, (namedProjects.get(request) ?? new Set()).add(projectId))
  return true
}

/** The transactions that have locked the projects of their request, by `args.db`. */
const locking = new WeakSet<object>()

/** Numbers issues within their project, even if two are created at once: the UPDATE locks the project. */
async function nextNumber(projectId: string, { db, request }: HookArgs<Caller>): Promise<number> {
  const count = async (id: string, more: number): Promise<void> => {
    const project = db.updateTable('projects').where('id', '=', id)
    await project.set(({ eb }) => ({ issue_count: eb('issue_count', '+', more) })).execute()
  }
  // The first issue locks the projects of all, in the order of their keys. If one list began with project 1 and another one with
  // project 2, they would wait for each other.
  if (!locking.has(db)) {
    locking.add(db)
    for (const id of [...(namedProjects.get(request) ?? [])].sort()) await count(id, 0)
  }
  await count(projectId, 1)
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
