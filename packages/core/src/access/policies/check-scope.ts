// checkScope: checks the names and operators of a policy's `scope` object, such as `{ owner_id: { eq: ({ user }) => user.id } }`, against
// the model: at start-up, or for each request if `scope` is a function. `query/plan/planned-scope.ts` plans the result for a request,
// `scopeText` writes it as text for `explainAccess`.

import { didYouMean } from '../../lib/naming/suggest.ts'
import {
  type FilterOperator,
  filterOperators,
  operatorAliases,
} from '../../model/query-words/operators.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { ScopeConditions } from '../../model/settings/access/scope-types.ts'
import { operatorFits } from '../../model/type-rules.ts'
import type { CheckedScope, ScopeNode } from '../../query/plan/checked-scope.ts'
import {
  planScopeTest,
  refuseUndefined,
  scopeProblem,
} from '../../query/plan/conditions/scope-test.ts'

/** A scope names a column or relation that the model does not have. */
export class UnknownScopeName extends Error {}

/** A scope follows a declared relation to a model that is not published. */
export class UnpublishedScopeTarget extends Error {
  readonly target: string

  constructor(target: string, at: string) {
    const message = `refers to ${target}, which is not published, because it has no meta. A scope follows relations to published models only. Publish ${target}, with meta: { allowed_methods: [] } if clients must not request it, or write scope_query instead of scope.`
    super(scopeProblem(at, message).message)
    this.target = target
  }
}

/**
 * Checks the names and operators of conditions against the model; throws an Error that says where the mistake is.
 *
 * `{ owner_id: { eq: ({ user }) => user.id }, or: [{ hidden: { eq: false } }, { members: { user_id: { eq: 7 } } }] }`
 */
export function checkScope(resource: Resource, conditions: ScopeConditions): CheckedScope {
  const values: unknown[] = []
  const root = checkedMembers(resource, conditions, '', { values, isBase: true })
  if (root.all.length === 0)
    throw scopeProblem('', 'has no condition, so that every row would meet it')
  return { root, values }
}

interface Checking {
  /** The operands found so far, constants and functions; a node refers to its own by index. */
  readonly values: unknown[]
  /** Whether the conditions are on the policy's own model, and not on a model that it refers to. */
  readonly isBase: boolean
}

type AllOf = Extract<ScopeNode, { readonly kind: 'and' | 'or' }>

function checkedMembers(resource: Resource, given: unknown, at: string, checking: Checking): AllOf {
  if (!isMapping(given)) throw scopeProblem(at, 'expected an object of conditions')
  const nodes = Object.entries(given).map(([name, conditions]) =>
    checkedMember(resource, name, conditions, `${at}.${name}`, checking),
  )
  return { kind: 'and', all: nodes }
}

/** Checks the conditions under `and`, `or` or `not`; there must be at least one. */
function checkedGroup(resource: Resource, given: unknown, at: string, checking: Checking): AllOf {
  refuseUndefined(given, at)
  const node = checkedMembers(resource, given, at, checking)
  if (node.all.length === 0)
    throw scopeProblem(at, 'has no condition, so that every row would meet it')
  return node
}

/** Checks one member of a scope object: `and`, `or` or `not`, a column with its operators, or a relation with conditions on its target. */
function checkedMember(
  resource: Resource,
  name: string,
  given: unknown,
  at: string,
  checking: Checking,
): ScopeNode {
  refuseUndefined(given, at)
  if (name === 'not') return { kind: 'not', one: checkedGroup(resource, given, at, checking) }
  if (name === 'and' || name === 'or') {
    if (!Array.isArray(given) || given.length === 0) {
      throw scopeProblem(at, 'expected a list of conditions')
    }
    // `from` includes the holes of a sparse array.
    const nodes = Array.from(given, (group, i) =>
      checkedGroup(resource, group, `${at}[${i}]`, checking),
    )
    return { kind: name, all: nodes }
  }
  const column = resource.allColumns.get(name)
  if (column !== undefined) return checkedTests(column, given, at, checking)
  const relation = resource.allRelations.get(name)
  if (relation === undefined) {
    const declared = Object.hasOwn(resource.model.relations ?? {}, name)
      ? resource.model.relations[name]
      : undefined
    if (declared !== undefined) throw new UnpublishedScopeTarget(declared.target, at)
    const known = [...resource.allColumns.keys(), ...resource.allRelations.keys()]
    const message = `${resource.name} has no column and no relation of this name.${didYouMean(name, known)}`
    throw new UnknownScopeName(scopeProblem(at, message).message)
  }
  // An object without members is allowed here: some related record exists.
  const where = checkedMembers(relation.target, given, at, { ...checking, isBase: false })
  return { kind: 'exists', relation: name, where }
}

/** Checks the operators of a column: `{ gte: 5, lt: 10 }`. */
function checkedTests(
  column: NamedColumn,
  given: unknown,
  at: string,
  { values, isBase }: Checking,
): ScopeNode {
  if (isBase && column.computed !== undefined) {
    throw scopeProblem(at, 'is a computed column; a scope reads stored columns')
  }
  if (!isMapping(given) || Object.keys(given).length === 0) {
    throw scopeProblem(at, `expected operators with their values, such as { eq: … }`)
  }
  const nodes = Object.entries(given).map(([name, value]): ScopeNode => {
    const operator = operatorNamed(name)
    if (operator === undefined) {
      throw scopeProblem(`${at}.${name}`, `is no operator.${operatorHint(name, column)}`)
    }
    if (!operatorFits(operator, column)) {
      throw scopeProblem(`${at}.${name}`, `does not fit the type ${column.type}`)
    }
    // Constants are converted here, so that an invalid one is a start-up error.
    if (typeof value !== 'function') planScopeTest(column, operator, value, at)
    values.push(value)
    return { kind: 'test', column: column.name, operator, index: values.length - 1, at }
  })
  return { kind: 'and', all: nodes }
}

/** Returns the operator that resembles a name, or an operator's alias of this name, and those that fit the column. */
function operatorHint(name: string, column: NamedColumn): string {
  const fitting = operators.filter((operator) => operatorFits(operator, column))
  const meant = Object.hasOwn(operatorAliases, name) ? operatorAliases[name] : undefined
  const hint = meant === undefined ? didYouMean(name, fitting) : ` Did you mean "${meant}"?`
  return `${hint} Operators of ${column.name}: ${fitting.join(', ')}.`
}

const operators = Object.keys(filterOperators) as readonly FilterOperator[]

const operatorNamed = (name: string): FilterOperator | undefined =>
  Object.hasOwn(filterOperators, name) ? (name as FilterOperator) : undefined

/** Whether a value is a plain object, all conditions of which are its own members. */
function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const parent: object | null = Object.getPrototypeOf(value)
  // The Object.prototype of any realm is the one that inherits from nothing and has a constructor.
  return (
    parent === null ||
    (Object.getPrototypeOf(parent) === null && Object.hasOwn(parent, 'constructor'))
  )
}

/**
 * Writes the conditions as text, with `?` for values that a function returns, and parentheses around conditions that are joined with others
 * (not `isOuter`).
 *
 * `owner_id eq ? and (hidden eq false or members(user_id eq 7))`
 */
export function scopeText({ root, values }: CheckedScope): string {
  const text = (node: ScopeNode, { isOuter }: { readonly isOuter: boolean }): string => {
    switch (node.kind) {
      case 'test': {
        const value = values[node.index]
        return `${node.column} ${node.operator} ${typeof value === 'function' ? '?' : constantText(value)}`
      }
      case 'not':
        return `not (${text(node.one, { isOuter: true })})`
      case 'exists':
        return `${node.relation}(${text(node.where, { isOuter: true })})`
      default: {
        const all = node.all.map((condition) =>
          text(condition, { isOuter: node.all.length === 1 && isOuter }),
        )
        const joined = all.join(` ${node.kind} `)
        return isOuter || all.length === 1 ? joined : `(${joined})`
      }
    }
  }
  return text(root, { isOuter: true })
}

const constantText = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '?')
