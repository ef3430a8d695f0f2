// The statements of a prepared read: printed once for each name they have, then filled in with the values of a request.

import { compileCondition } from '../compile/condition.ts'
import type { StatementMaker, StatementRequest } from '../compile/read-program.ts'
import type { Target } from '../compile/target.ts'
import type { Condition } from '../plan/plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { filled, type Template, templateOf } from '../sql/template.ts'
import { readyOf } from './ready.ts'

export interface StatementTemplates {
  /** What was printed so far, by name. */
  readonly known: Map<string, Known>
  /** Whether JSON that the database built had not its form: it is not asked for again. */
  misfit: boolean
}

type Known =
  | { readonly kind: 'template'; readonly template: Template; readonly reading: unknown }
  /** The database has no such statement, or a part of it is printed by Kysely. */
  | { readonly kind: 'none' }

export const statementTemplates = (): StatementTemplates => ({ known: new Map(), misfit: false })

/** A read whose plan was filled in. */
export interface FilledRead {
  readonly target: Target
  readonly templates: StatementTemplates
  /** The conditions with the values of this request, by their slots. */
  readonly conditions: ReadonlyMap<object, Condition>
  /** The text of a statement as the driver takes it; `rows`: its rows may come as arrays. */
  readonly finish: (text: string, rows: boolean) => string
}

/** Fills the values of a request into the statements of its read; undefined where that cannot be done. */
export function fillingMaker({
  target,
  templates: { known },
  conditions,
  finish,
}: FilledRead): StatementMaker {
  const style = target.dialect.shortcuts?.textStyle
  // The rows and the total of a page have their conditions in common.
  const compiled = new Map<object, Fragment>()
  const conditionAt = (origin: object): Fragment | undefined => {
    const before = compiled.get(origin)
    if (before !== undefined) return before
    const condition = conditions.get(origin)
    if (condition === undefined) return undefined
    const made = compileCondition(target, condition) as Fragment
    compiled.set(origin, made)
    return made
  }
  const printed = ({ compile, rows }: StatementRequest<unknown>): Known => {
    const made = compile()
    const template = made && style && templateOf(made.statement, style)
    if (template === undefined) return { kind: 'none' }
    const text = finish(template.text, rows)
    return { kind: 'template', template: { ...template, text }, reading: made?.reading }
  }
  return <R>(request: StatementRequest<R>) => {
    const { name, refill } = request
    const before = known.get(name) ?? printed(request)
    known.set(name, before)
    if (before.kind === 'none') return undefined
    const { template, reading } = before
    const parameters = filled(template, (origin) => conditionAt(origin) ?? refill(origin))
    // A value may change the text.
    if (parameters === undefined) return undefined
    return { statement: readyOf(template.text, parameters), reading: reading as R }
  }
}
