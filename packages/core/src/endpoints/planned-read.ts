// parse → plan → scope → compile of a read, or what a read of the same form has left of them.

import type { Call } from '../call.ts'
import { type ReadStatements, readStatements } from '../compile/read-statements.ts'
import { type Connection, finishedText } from '../execute/run.ts'
import { hasDump } from '../hooks/read-hooks.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Reach } from '../plan/context.ts'
import type { EmbedPlan, ReadPlan, RowPlan, Value } from '../plan/plan.ts'
import { sourcesOf } from '../plan/sources.ts'
import { type PreparedRead, prepareRead, refilledPlan } from '../plan-cache/prepared-read.ts'
import { type Skeleton, skeletonOf } from '../plan-cache/skeleton.ts'
import { filledStatements } from '../plan-cache/statement-templates.ts'
import type { TextsTaken } from '../plan-cache/taken-texts.ts'
import type { Resource } from '../registry/resource.ts'
import { type Soon, whenThere } from '../soon.ts'
import { open, parseRead, scoped } from './read-stages.ts'

/** A read that is ready to be executed. */
export interface PlannedRead<P extends ReadPlan> {
  readonly plan: P
  readonly statements: ReadStatements
  readonly connection: Connection
}

/** What is to be read. */
export interface ReadRequest<P extends ReadPlan> {
  readonly resource: Resource
  /** The key of the path, where one record is read. */
  readonly key?: readonly Value[]
  readonly plan: (ast: QueryAst, reach: Reach) => P
  /** What the plan must read besides, once it is scoped. */
  readonly complete?: (plan: P) => P
}

/**
 * Plans a read. Of a query that differs from an earlier one in values only, the plan and the statements are used again:
 * the values are converted as ever, and one that is not of its column's type is refused in the plain way.
 */
export function planRead<P extends ReadPlan>(
  call: Call,
  request: ReadRequest<P>,
): Soon<PlannedRead<P>> {
  const skeleton = mayPrepare(call) ? skeletonOf(call.query) : undefined
  const name = skeleton && `${request.resource.name}\n${call.action}\n${skeleton.key}`
  const known = name === undefined ? undefined : call.runtime.reads.get(name)
  const again = known && skeleton && readAgain(call, known, skeleton, request.key)
  return whenThere(
    again as Soon<PlannedRead<P> | undefined>,
    (planned) => planned ?? readAnew(call, request, skeleton, name),
  )
}

/** The filter callback may ask for anything at each request. */
const mayPrepare = ({ runtime, hooks }: Call): boolean =>
  runtime.fastPaths.preparedReads !== false && hooks.filter === undefined

function readAgain(
  call: Call,
  known: PreparedRead,
  skeleton: Skeleton,
  key: readonly Value[] | undefined,
): Soon<PlannedRead<ReadPlan> | undefined> {
  for (const [resource, reached] of known.reached) {
    if (call.reach(resource) !== reached) return undefined
  }
  const filled = refilledPlan(known, { skeleton, ...(key && { key }) })
  if (filled === undefined) return undefined
  return whenThere(open(call), ({ connection, target }) => {
    if (target.dialect !== known.dialect) return undefined
    const { plan, conditions } = filled
    const { templates, scopes } = known
    const finish = (text: string, rows: boolean): string => finishedText(connection, text, rows)
    return {
      plan,
      connection,
      statements: filledStatements({
        templates,
        target: { ...target, scopes },
        plan,
        conditions,
        finish,
        joins: call.runtime.fastPaths.embedJoins,
        ...(takesTexts(call, plan) ? { texts: textsTaken(call, plan, key !== undefined) } : {}),
      }),
    }
  })
}

/** Whether nobody but the client looks at what is read. */
const takesTexts = (call: Call, { rows, embeds }: ReadPlan): boolean =>
  call.asText && call.hooks.dump === undefined && !hasDump(rows.from.resource, embeds)

function textsTaken(
  { base, runtime: { fastPaths } }: Call,
  { rows, embeds }: ReadPlan,
  single: boolean,
): TextsTaken {
  // Of a record that is read for its columns in part, the tag is made of all.
  const objects = single ? rows.shape === 'entity' && 'own' : 'whole'
  return {
    base,
    embeds: fastPaths.embedTexts && embeds.length > 0,
    objects: fastPaths.objectTexts && objects,
  }
}

async function readAnew<P extends ReadPlan>(
  call: Call,
  { resource, plan: planOf, complete, key }: ReadRequest<P>,
  skeleton: Skeleton | undefined,
  name: string | undefined,
): Promise<PlannedRead<P>> {
  const ast = parseRead(call, resource)
  const reached = new Map<Resource, boolean>()
  const planned = planOf(ast, (other) => {
    const answer = call.reach(other)
    reached.set(other, answer)
    return answer
  })
  const opened = await open(call)
  const { plan: narrowed, target } = await scoped(call, opened, planned, ast)
  const plan = complete?.(narrowed) ?? narrowed
  if (skeleton !== undefined && name !== undefined && call.runtime.reads.isDue(name)) {
    const { dialect, scopes } = target
    const prepared = isOpen(call, plan)
      ? prepareRead(plan, skeleton, { dialect, scopes, reached })
      : undefined
    call.runtime.reads.set(name, prepared ?? null)
    const first = prepared && (await readAgain(call, prepared, skeleton, key))
    if (first !== undefined) return first as PlannedRead<P>
  }
  return { plan, statements: readStatements(target, plan), connection: opened.connection }
}

/** Whether no policy has a say in what is read: a policy may say something else to each request. */
const isOpen = (call: Call, { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>): boolean =>
  isOpenRows(call, rows) && embeds.every((embed: EmbedPlan) => isOpen(call, embed))

function isOpenRows({ runtime }: Call, rows: RowPlan): boolean {
  for (const { source } of sourcesOf(rows)) {
    if (runtime.policies.get(source.resource) !== undefined) return false
  }
  return true
}
