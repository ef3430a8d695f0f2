// The SQL of a prepared read's statements: each is printed once, and later requests only compute its parameters.

import type { Fragment } from '../../lib/sql/fragment.ts'
import { filled, type Template, templateOf } from '../../lib/sql/template.ts'
import type { StatementMaker, StatementRequest } from '../compile/read-program.ts'
import { compileCondition } from '../compile/rows/condition.ts'
import type { Target } from '../compile/target.ts'
import type { Condition } from '../plan/plan.ts'
import { printedStatement } from './printed-statement.ts'

export interface StatementTemplates {
  /** The statements printed so far, by name. */
  readonly known: Map<string, Known>
  /** True after the database has built JSON of an unexpected form. Later requests then read plain values. */
  hadUnexpectedJson: boolean
}

type Known =
  | { readonly kind: 'template'; readonly template: Template; readonly reading: unknown }
  /** The statement cannot be cached: the database does not support it, or Kysely prints a part of it. */
  | { readonly kind: 'none' }

export const statementTemplates = (): StatementTemplates => ({
  known: new Map(),
  hadUnexpectedJson: false,
})

/** A prepared read with the values of a request. */
export interface RefilledRead {
  readonly target: Target
  readonly templates: StatementTemplates
  /** The conditions with the values of this request, by their slots. */
  readonly conditions: ReadonlyMap<object, Condition>
  /** The scopes of this request, by their sources. */
  readonly scopes: ReadonlyMap<object, Fragment>
  /** Rewrites printed SQL for the driver. `rows`: whether the driver may return its rows as arrays. */
  readonly finish: (text: string, rows: boolean) => string
}

/** Makes statements from cached SQL and the values of a request; a statement is undefined if it must be compiled normally. */
export function makeFromTemplates({
  target,
  templates: { known },
  conditions,
  scopes,
  finish,
}: RefilledRead): StatementMaker {
  const style = target.dialect.shortcuts?.textStyle
  // The rows and the count of a page share their conditions.
  const compiled = new Map<object, Fragment>()
  const conditionAt = (origin: object): Fragment | undefined => {
    const cached = compiled.get(origin)
    if (cached !== undefined) return cached
    const condition = conditions.get(origin)
    if (condition === undefined) return undefined
    const fragment = compileCondition(target, condition) as Fragment
    compiled.set(origin, fragment)
    return fragment
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
    const cached = known.get(name) ?? printed(request)
    known.set(name, cached)
    if (cached.kind === 'none') return undefined
    const { template, reading } = cached
    const parameters = filled(
      template,
      (origin) => scopes.get(origin) ?? conditionAt(origin) ?? refill(origin),
    )
    // Undefined if the values need other SQL.
    if (parameters === undefined) return undefined
    return { statement: printedStatement(template.text, parameters), reading: reading as R }
  }
}
