// parse → plan → scope → compile of a read, or what a read of the same form has left of them.

import { openScopes } from '../access/scope.ts'
import type { Call } from '../call.ts'
import type { DatabaseJson } from '../compile/database-json.ts'
import type { ReadOptions } from '../compile/read-program.ts'
import type { Target } from '../compile/target.ts'
import { type Connection, finishedText } from '../execute/run.ts'
import { hasDump } from '../hooks/read-hooks.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Reach } from '../plan/context.ts'
import type { ReadPlan, Value } from '../plan/plan.ts'
import { makingFor } from '../plan-cache/kept.ts'
import { type PreparedRead, prepareRead, refilledPlan } from '../plan-cache/prepared-read.ts'
import { type Skeleton, skeletonOf } from '../plan-cache/skeleton.ts'
import { fillingMaker } from '../plan-cache/statement-templates.ts'
import type { Resource } from '../registry/resource.ts'
import { open, parseRead, scoped } from './read-stages.ts'

/** A read that is ready to be executed. */
export interface PlannedRead<P extends ReadPlan, G> {
  readonly plan: P
  readonly program: G
  readonly connection: Connection
}

/** What is to be read. */
export interface ReadRequest<P extends ReadPlan, G> {
  readonly resource: Resource
  /** The key of the path, where one record is read. */
  readonly key?: readonly Value[]
  readonly plan: (ast: QueryAst, reach: Reach) => P
  /** What the plan must read besides, once it is scoped. */
  readonly complete?: (plan: P) => P
  readonly compile: (target: Target, plan: P, options?: ReadOptions) => G
}

/**
 * Plans and compiles a read. Of a query that differs from an earlier one in values only, the plan and the statements are
 * used again: the values are converted as ever, and one that is not of its column's type is refused in the plain way.
 */
export function planRead<P extends ReadPlan, G>(
  call: Call,
  request: ReadRequest<P, G>,
): MaybePromise<PlannedRead<P, G>> {
  const { fastPaths, reads } = call.runtime
  const skeleton = fastPaths.preparedReads === false ? undefined : skeletonOf(call.query)
  const name = skeleton && `${request.resource.name}\n${call.action}\n${skeleton.key}`
  const known = name === undefined ? undefined : reads.get(name, call)
  const again = known && skeleton && readAgain(call, request, known, skeleton)
  return andThen(again, (planned) => planned ?? readAnew(call, request, skeleton, name))
}

/** Undefined where a value is not what its place takes. */
function readAgain<P extends ReadPlan, G>(
  call: Call,
  { key, compile }: ReadRequest<P, G>,
  known: PreparedRead,
  skeleton: Skeleton,
): MaybePromise<PlannedRead<P, G> | undefined> {
  const filled = refilledPlan(known, { skeleton, ...(key && { key }) })
  if (filled === undefined) return undefined
  return andThen(open(call), ({ connection, target }) => {
    const { conditions } = filled
    // Its name tells what kind of read was kept.
    const plan = filled.plan as P
    const templates = known.templates(target.dialect)
    const scopedTarget = { ...target, scopes: known.scopes }
    const finish = (text: string, rows: boolean): string => finishedText(connection, text, rows)
    const json = templates.misfit ? undefined : databaseJson(call, plan, key !== undefined)
    const program = compile(scopedTarget, plan, {
      ways: { joins: call.runtime.fastPaths.embedJoins, ...(json && { json }) },
      make: fillingMaker({ target: scopedTarget, templates, conditions, finish }),
      misfit: () => {
        templates.misfit = true
      },
    })
    return { plan, program, connection }
  })
}

/** The JSON that the database may build; none where anybody but the client looks at what is read. */
function databaseJson(
  { asText, hooks, base, runtime: { fastPaths } }: Call,
  { rows, embeds }: ReadPlan,
  single: boolean,
): DatabaseJson | undefined {
  if (!asText || hooks.dump !== undefined || hasDump(rows.from.resource, embeds)) return undefined
  // Of a record that is read for its columns in part, the tag is made of all.
  const objects = single ? rows.shape === 'entity' && 'own' : 'whole'
  return {
    base,
    embeds: fastPaths.embedTexts && embeds.length > 0,
    objects: fastPaths.objectTexts && objects,
  }
}

async function readAnew<P extends ReadPlan, G>(
  call: Call,
  request: ReadRequest<P, G>,
  skeleton: Skeleton | undefined,
  name: string | undefined,
): Promise<PlannedRead<P, G>> {
  const { complete = asPlanned, compile } = request
  const ast = parseRead(call, request.resource)
  const making = makingFor(call)
  const planned = request.plan(ast, making.reach)
  const opened = await open(call)
  const { reads } = call.runtime
  if (skeleton !== undefined && name !== undefined && reads.isDue(name, call)) {
    const prepared = preparedFrom(call, complete(planned), skeleton)
    reads.set(name, call, making.keep(prepared))
    const first = prepared === null ? undefined : readAgain(call, request, prepared, skeleton)
    const again = await first
    if (again !== undefined) return again
  }
  const { plan: narrowed, target } = await scoped(call, opened, planned, ast)
  const plan = complete(narrowed)
  return { plan, program: compile(target, plan), connection: opened.connection }
}

const asPlanned = <P>(plan: P): P => plan

/** What is kept of a read is made of its plan as planned, before any policy has narrowed it for one caller. */
function preparedFrom(call: Call, planned: ReadPlan, skeleton: Skeleton): PreparedRead | null {
  const scopes = openScopes(call, planned)
  return (scopes && prepareRead(planned, skeleton, scopes)) ?? null
}
