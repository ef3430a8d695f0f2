// Column rights: which columns the caller may read and write, by the `read` and `write` rules of columns such as
// `salary: { type: 'decimal', read: 'hr' }`. Decided once per request, after authentication and before any name of the request is
// resolved: the request then uses a registry without the withheld columns, in which `?salary__gt=1` is an unknown name. `api.exposure()`
// decides without a request, by roles alone (`registryOfRoles`).

import { lruMap } from '../lib/lru-map.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { ColumnRight } from '../model/column.ts'
import type { AnyModel } from '../model/define-model.ts'
import {
  callerRegistry,
  relatedResources,
  type Withheld,
} from '../model/registry/caller-registry.ts'
import type { NamedColumn, Registry, Resource } from '../model/registry/resource.ts'
import { hookCallerOf, subjectArgs } from './hooks/hook-args.ts'
import type { HookCall } from './hooks/hook-call.ts'
import { isAuthenticatedFor } from './reach.ts'
import { anonymous, type Caller, satisfies } from './roles/roles.ts'
import type { RoutedRequest } from './routed-request.ts'

/** Finds the registry that a caller may see. */
export interface CallerRegistries {
  /**
   * Returns the registry for a request to a resource. If no column that the request can name is withheld from the caller, this is the
   * registry of the API itself. Callers with the same rights get the same object while it is cached.
   */
  of(call: RightsCall, resource: Resource): MaybePromise<Registry>
  /**
   * Returns the fields of a resource that the caller may write in a new record, but not in a stored one: those whose `write` function
   * refuses a PATCH. An upsert asks, because its own action is POST.
   */
  createOnly(call: RightsCall, resource: Resource): MaybePromise<ReadonlySet<string>>
}

/** The part of a call that the rules of columns depend on. */
export type RightsCall = HookCall & Pick<RoutedRequest, 'action' | 'many' | 'method' | 'relation'>

/** A read or write rule of columns. Columns with the same rule share one call of its function, because the arguments are the same. */
interface Rule {
  readonly resource: Resource
  readonly right: ColumnRight
  /** What the rule decides, for error messages: `read of Book.price`. */
  readonly name: string
  readonly reads: NamedColumn[]
  readonly writes: NamedColumn[]
}

/** Resources that requests can name together, with their rules. */
interface Ruled {
  readonly related: readonly Resource[]
  readonly rules: readonly Rule[]
}

/** Maximum number of cached caller registries (LRU); column functions can produce many combinations of answers. */
const maxRegistries = 100

/** Finds the column rules of a registry. A request that cannot name any column with a rule needs no decision. */
export function callerRegistries(registry: Registry): CallerRegistries {
  const ruled = ruledModels(registry)
  // Keyed by the first resource of the group and the answers of the rules.
  const known = lruMap<Registry>(maxRegistries)
  return {
    of(call, resource) {
      const found = ruled.get(resource.model)
      if (found === undefined) return registry
      return andThen(answersOf(call, found.rules), (answers) => {
        if (!answers.includes(refusal)) return registry
        const name = `${found.related[0]?.name} ${answers}`
        const before = known.get(name)
        if (before !== undefined) return before
        const own = callerRegistry(registry, found.related, withheldBy(found.rules, answers))
        known.set(name, own)
        return own
      })
    },
    createOnly(call, { model }) {
      const rules = ruled.get(model)?.rules ?? []
      const own = rules.filter(
        ({ resource, right, writes }) =>
          resource.model === model && typeof right === 'function' && writes.length > 0,
      )
      if (own.length === 0) return noFields
      return andThen(answersOf({ ...call, action: 'PATCH', method: 'PATCH' }, own), (answers) => {
        const refused = own.filter((_, i) => answers[i] === refusal)
        return new Set(refused.flatMap(({ writes }) => writes.map(({ name }) => name)))
      })
    },
  }
}

const noFields: ReadonlySet<string> = new Set()

/** Finds for each model the rules of all columns that a request to it can name, also through relations; leaves out models without such rules. */
function ruledModels(registry: Registry): ReadonlyMap<AnyModel, Ruled> {
  const ruled = new Map<AnyModel, Ruled>()
  const byGroup = new Map<readonly Resource[], Ruled>()
  for (const [resource, related] of relatedResources(registry)) {
    const found = byGroup.get(related) ?? { related, rules: related.flatMap(rulesOf) }
    byGroup.set(related, found)
    if (found.rules.length > 0) ruled.set(resource.model, found)
  }
  return ruled
}

/** Returns the `read` and `write` rules of a resource, each with the columns that it decides about. */
function rulesOf(resource: Resource): readonly Rule[] {
  const rules = new Map<ColumnRight, Rule>()
  const ruleOf = (right: ColumnRight, of: string): Rule => {
    const known = rules.get(right)
    if (known !== undefined) return known
    const rule = { resource, right, name: `${of} of ${resource.name}`, reads: [], writes: [] }
    rules.set(right, rule)
    return rule
  }
  for (const column of [...resource.allColumns.values(), ...resource.aggregates.values()]) {
    const { read, write } = column.definition
    if (read !== undefined) ruleOf(read, `read of ${column.name}`).reads.push(column)
    if (write !== undefined) ruleOf(write, `write of ${column.name}`).writes.push(column)
  }
  return [...rules.values()]
}

/**
 * Returns the registry for a caller's roles alone, without a request. Columns whose rule is a function count as allowed.
 *
 * ```ts
 * registryOfRoles(registry, { user: null, authenticated: true, roles: ['editor'] })
 * ```
 */
export function registryOfRoles(registry: Registry, caller: Caller): Registry {
  const withheld = new Map<NamedColumn, 'read' | 'write'>()
  for (const resource of registry.resources) {
    const refused = (right: ColumnRight | undefined): boolean =>
      right !== undefined && typeof right !== 'function' && !satisfies(right, caller)
    for (const column of [...resource.allColumns.values(), ...resource.aggregates.values()]) {
      const { read, write } = column.definition
      if (refused(read)) withheld.set(column, 'read')
      else if (refused(write)) withheld.set(column, 'write')
    }
  }
  return withheld.size === 0 ? registry : callerRegistry(registry, registry.resources, withheld)
}

const permission = '+'
const refusal = '-'
/** The answer recorded for a write rule that was not evaluated, because the request only reads. */
const unasked = '.'

/**
 * Evaluates the rules and returns one character for each, in their order. Evaluates one rule after the other, because functions may
 * share one connection. Evaluates write rules only if the request writes.
 */
function answersOf(call: RightsCall, rules: readonly Rule[]): MaybePromise<string> {
  const onlyReads = call.method === 'GET' || call.method === 'HEAD'
  const from = (first: number, before: string): MaybePromise<string> => {
    let answers = before
    for (let i = first; i < rules.length; i++) {
      const rule = rules[i] as Rule
      if (onlyReads && rule.reads.length === 0) {
        answers += unasked
        continue
      }
      const allowed = isAllowed(call, rule)
      if (allowed instanceof Promise) {
        const soFar = answers
        return allowed.then((answer) => from(i + 1, soFar + (answer ? permission : refusal)))
      }
      answers += allowed ? permission : refusal
    }
    return answers
  }
  return from(0, '')
}

/** Returns the columns that the answers withhold. A column that cannot be read cannot be written either. */
function withheldBy(rules: readonly Rule[], answers: string): Withheld {
  const refused = rules.filter((_, i) => answers[i] === refusal)
  return new Map([
    ...refused.flatMap(({ writes }) => writes.map((column) => [column, 'write'] as const)),
    ...refused.flatMap(({ reads }) => reads.map((column) => [column, 'read'] as const)),
  ])
}

/** Evaluates a rule: calls its function, or compares its roles with those of the caller. */
function isAllowed(call: RightsCall, { resource, right, name }: Rule): MaybePromise<boolean> {
  const { caller, runtime, request, action, many, relation } = call
  if (caller.isSystem) return true
  if (typeof right !== 'function') {
    return satisfies(right, isAuthenticatedFor(resource, caller) ? caller : anonymous)
  }
  const { database } = runtime
  const ask = (): MaybePromise<boolean> => {
    const subject = { action, resource, many, relation: relation?.name ?? null }
    const args = subjectArgs(call, subject)
    return andThen(
      hookCallerOf(call)(name, () => right(args)),
      (answer: unknown) => {
        if (typeof answer === 'boolean') return answer
        throw new Error(`The ${name} must return true or false.`)
      },
    )
  }
  // Waits until the session getter has given the connection, and until the database is known: `db` and `toColumn` of the arguments are
  // those of that time.
  return andThen(database.session(request), (own) =>
    andThen(database.dialect(call.transaction ?? own), ask),
  )
}
