// parse → plan → scope → compile of a read, or what a read of the same form has left of them.

import { openScopes } from '../access/scope.ts'
import type { Call } from '../call.ts'
import { type ReadStatements, readStatements } from '../compile/read-statements.ts'
import { type Connection, finishedText } from '../execute/run.ts'
import { hasDump } from '../hooks/read-hooks.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Reach } from '../plan/context.ts'
import type { ReadPlan, Value } from '../plan/plan.ts'
import { makingFor } from '../plan-cache/kept.ts'
import { type PreparedRead, prepareRead, refilledPlan } from '../plan-cache/prepared-read.ts'
import { type Skeleton, skeletonOf } from '../plan-cache/skeleton.ts'
import { filledStatements } from '../plan-cache/statement-templates.ts'
import type { TextsTaken } from '../plan-cache/taken-texts.ts'
import type { Resource } from '../registry/resource.ts'
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
): MaybePromise<PlannedRead<P>> {
  const { fastPaths, reads } = call.runtime
  const skeleton = fastPaths.preparedReads === false ? undefined : skeletonOf(call.query)
  const name = skeleton && `${request.resource.name}\n${call.action}\n${skeleton.key}`
  const known = name === undefined ? undefined : reads.get(name, call)
  const again = known && skeleton && readAgain(call, known, skeleton, request.key)
  return andThen(
    again as MaybePromise<PlannedRead<P> | undefined>,
    (planned) => planned ?? readAnew(call, request, skeleton, name),
  )
}

function readAgain(
  call: Call,
  known: PreparedRead,
  skeleton: Skeleton,
  key: readonly Value[] | undefined,
): MaybePromise<PlannedRead<ReadPlan> | undefined> {
  const filled = refilledPlan(known, { skeleton, ...(key && { key }) })
  if (filled === undefined) return undefined
  return andThen(open(call), ({ connection, target }) => {
    const { plan, conditions } = filled
    const { scopes } = known
    const templates = known.templates(target.dialect)
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
  request: ReadRequest<P>,
  skeleton: Skeleton | undefined,
  name: string | undefined,
): Promise<PlannedRead<P>> {
  const { complete = asPlanned, key } = request
  const ast = parseRead(call, request.resource)
  const making = makingFor(call)
  const planned = request.plan(ast, making.reach)
  const opened = await open(call)
  const { reads } = call.runtime
  if (skeleton !== undefined && name !== undefined && reads.isDue(name, call)) {
    const prepared = preparedFrom(call, complete(planned), skeleton)
    reads.set(name, call, making.keep(prepared))
    const first = prepared === null ? undefined : await readAgain(call, prepared, skeleton, key)
    if (first !== undefined) return first as PlannedRead<P>
  }
  const { plan: narrowed, target } = await scoped(call, opened, planned, ast)
  const plan = complete(narrowed)
  return { plan, statements: readStatements(target, plan), connection: opened.connection }
}

const asPlanned = <P>(plan: P): P => plan

/** What is kept of a read is made of its plan as planned, before any policy has narrowed it for one caller. */
function preparedFrom(call: Call, planned: ReadPlan, skeleton: Skeleton): PreparedRead | null {
  const scopes = openScopes(call, planned)
  return (scopes && prepareRead(planned, skeleton, scopes)) ?? null
}
