// POST with on_conflict: updates each record whose unique key exists, and creates the others (contract §8).

import type { Call } from '../../call.ts'
import { missingReference, notUniqueColumns } from '../../errors.ts'
import type { Result } from '../../http/envelope.ts'
import { type InputProblems, inputProblems } from '../../input/problems.ts'
import { readNode } from '../../input/read-body.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { QueryAst } from '../../parse/ast.ts'
import type { Value } from '../../plan/plan.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { changeRecord } from '../execute/change.ts'
import { requireAccess } from '../execute/checks.ts'
import type { WriteContext } from '../execute/context.ts'
import { createRecord } from '../execute/create.ts'
import { keyIn, readScoped } from '../execute/look-up.ts'
import { planLookUp } from '../plan/look-up.ts'
import { pathTo, type RecordNode } from '../plan/node.ts'
import { planValueOf } from '../plan/value.ts'
import { type Items, keyOf, writtenResult } from './result.ts'
import { inWrite, validatorHost } from './stages.ts'

/** A record of the body, read both as a change and as a new record. */
interface Candidate {
  readonly path: string
  readonly change: RecordNode
  readonly create: RecordNode
  /** Problems that apply only if it is created, such as missing required fields. */
  readonly createProblems: InputProblems
}

/** `POST /api/books?on_conflict=isbn` → 201 if any record was created, else 200. */
export async function upsert(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { items, many, problems, storeResponse }: Items,
): Promise<Result> {
  const columns = uniqueColumns(resource, ast.single.on_conflict?.text ?? '')
  const candidates: Candidate[] = []
  for (const [i, item] of items.entries()) {
    const path = many ? `[${i}]` : ''
    candidates.push(await readCandidate(call, resource, item, path, columns, problems))
  }
  problems.refuse()
  return inWrite(
    call,
    async (writing) => {
      const keys: (readonly Value[])[] = []
      let created = false
      for (const candidate of candidates) {
        const written = await writeOne(writing.context, resource, candidate, columns)
        keys.push(written.key)
        created ||= written.created
      }
      writing.context.problems.refuse()
      const status = created ? 201 : 200
      const result = await writtenResult(writing, resource, ast, { keys, many, status })
      await storeResponse?.(writing, result, keys)
      return result
    },
    // A concurrent transaction may have created the record after the look-up.
    { retryOn: ({ failure }) => failure.kind === 'unique' },
  )
}

/** The columns of `on_conflict`: the primary key, a unique column, or a unique set. */
function uniqueColumns(resource: Resource, text: string): readonly NamedColumn[] {
  const keys = resource.uniqueKeys.filter((columns) => columns.every(({ hidden }) => !hidden))
  const namesOf = (columns: readonly NamedColumn[]) => columns.map(({ name }) => name)
  const wanted = text.split(',').map((name) => name.trim())
  const found = keys.find(
    (columns) =>
      columns.length === wanted.length && namesOf(columns).every((name) => wanted.includes(name)),
  )
  if (found !== undefined) return found
  const known = keys.map((columns) => namesOf(columns).join(','))
  throw notUniqueColumns(text.slice(0, 100), known)
}

async function readCandidate(
  call: Call,
  resource: Resource,
  item: JsonValue,
  path: string,
  columns: readonly NamedColumn[],
  problems: InputProblems,
): Promise<Candidate> {
  const identifying = new Set(columns.map(({ name }) => name))
  const createProblems = inputProblems()
  const host = validatorHost(call)
  const readAs = (mode: 'update' | 'create', found: InputProblems) =>
    readNode(resource, item, { path, mode, identifying }, found, host)
  const change = await readAs('update', problems)
  const create = await readAs('create', createProblems)
  return { path, change, create, createProblems }
}

async function writeOne(
  context: WriteContext,
  resource: Resource,
  { path, change, create, createProblems }: Candidate,
  columns: readonly NamedColumn[],
): Promise<{ key: readonly Value[]; created: boolean }> {
  const parts = columns.map((column) => ({
    column,
    value: planValueOf(column, change.values[column.name]),
  }))
  const keyParts = parts.filter(
    (one): one is { column: NamedColumn; value: Value } => one.value !== undefined,
  )
  if (keyParts.length === columns.length) {
    // Before the look-up, so that callers who may only create cannot find out which records exist.
    await requireAccess(context, resource, 'PATCH')
    const plan = planLookUp(resource, keyParts, false)
    const [stored] = await readScoped(context, plan, 'PATCH', 1)
    const key = stored && keyIn(resource, stored)
    if (key !== undefined) {
      const values = Object.fromEntries(
        Object.entries(change.values).filter(([name]) => !columns.some((one) => one.name === name)),
      )
      const node: RecordNode = { ...change, values }
      await changeRecord(context, node, key, { action: 'PATCH', replace: false })
      return { key, created: false }
    }
    // Clients cannot choose a generated key.
    if (columns.some(({ definition }) => definition.generated)) {
      throw missingReference(columns.map(({ name }) => pathTo(path, name)))
    }
  }
  createProblems.refuse()
  const made = await createRecord(context, create, {})
  return { key: keyOf(resource, made), created: true }
}
