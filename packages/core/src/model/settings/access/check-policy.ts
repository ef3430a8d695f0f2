// Checks an access policy at start-up: every hook is a function, and no name resembles a hook, since a misspelt hook would never be called. Makes
// the policy of a model of what the host has declared: an object, a class or a function.

import { didYouMean, nearest } from '../../../lib/naming/suggest.ts'
import type { AnyModel } from '../../define-model.ts'
import { type Check, object, shownValue, together } from '../setting-checks.ts'
import type { AccessPolicy, AccessPolicyOption } from './access-types.ts'

/** The members of a policy: the scope of rows as data, and hooks. */
export const policyHooks = [
  'scope',
  'scope_query',
  'can_read',
  'can_create',
  'can_update',
  'can_delete',
] as const

const isHook = (name: string): boolean => policyHooks.some((hook) => hook === name)

/** Returns own and inherited names, without those of Object.prototype. */
function namesOf(value: object): readonly string[] {
  const names: string[] = []
  let at: object | null = value
  while (at !== null && at !== Object.prototype && at !== Function.prototype) {
    names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'))
    at = Object.getPrototypeOf(at)
  }
  return [...new Set(names)]
}

/**
 * Returns the problems with the hooks of an object. A plain object may have only hooks; a class instance may also have
 * helper methods.
 */
function problemOf(value: object, { isPlain }: { readonly isPlain: boolean }): string | undefined {
  const names = namesOf(value)
  const unknown = names.filter((name) => {
    if (isHook(name)) return false
    const reserved = /^(?:can|scope)_/.test(name)
    return isPlain || reserved || nearest(name.slice(0, 100), policyHooks) !== undefined
  })
  const wrong = together([
    ...names.filter(isHook).map((name) => wrongHook(name, Reflect.get(value, name))),
    ...unknown.map(
      (name) => `unknown hook ${JSON.stringify(name)}.${didYouMean(name, policyHooks)}`,
    ),
  ])
  if (wrong !== undefined) {
    return unknown.length === 0 ? wrong : `${wrong} A policy has ${policyHooks.join(', ')}.`
  }
  const has = (hook: string): boolean => Reflect.get(value, hook) !== undefined
  if (has('scope') && has('scope_query')) {
    return 'has scope and scope_query, which both say which rows the caller may see. Keep one of them.'
  }
  return isPlain || names.some(isHook) ? undefined : `has none of ${policyHooks.join(', ')}.`
}

/** Returns what is wrong with a member of a policy. */
function wrongHook(name: string, hook: unknown): string | undefined {
  if (typeof hook === 'function') return undefined
  // It may be a misspelt reference to a hook.
  if (hook === undefined) {
    return `${name}: is undefined, which would allow everything. Leave it out for that.`
  }
  if (name !== 'scope') return `${name}: expected a function, got ${shownValue(hook)}.`
  return typeof hook === 'object' && hook !== null
    ? undefined
    : `scope: expected conditions or a function, got ${shownValue(hook)}.`
}

const isClass = (value: unknown): value is new () => AccessPolicy =>
  typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null

/** Whether a policy is a function of the model rather than a class: true for arrow functions and methods, which cannot be constructed. */
export const isPolicyFunction = (
  option: AccessPolicyOption,
): option is (model: AnyModel) => AccessPolicy => typeof option === 'function' && !isClass(option)

/** Returns the policy of a model: the object itself, an instance of the class, or the result of the function. */
export function policyFrom(option: AccessPolicyOption, model: AnyModel): AccessPolicy {
  if (isPolicyFunction(option)) return option(model)
  return isClass(option) ? new option() : (option as AccessPolicy)
}

/** Checks a policy: an object of hooks, a class instance, a class whose constructor takes no arguments, or a function of the model. */
export const policy: Check = (value) => {
  if (isClass(value)) {
    // Hooks may also be instance fields; `constructed` checks those after construction.
    const problem = problemOf(value.prototype as object, { isPlain: false })
    return problem?.startsWith('has none') ? undefined : problem
  }
  // `constructed` checks the result of a function of the model.
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `expected a policy: an object, an instance or a class with any of ${policyHooks.join(', ')}, got ${shownValue(value)}.`
  }
  const parent = Object.getPrototypeOf(value)
  return problemOf(value, { isPlain: parent === Object.prototype || parent === null })
}

/** Whether a value can have hooks, so that its scope can be checked although another part of it is wrong. */
export const hasHooks = (value: unknown): boolean =>
  typeof value === 'function' || (object(value) === undefined && wrongScope(value) === undefined)

const wrongScope = (value: unknown): string | undefined =>
  Reflect.has(value as object, 'scope')
    ? wrongHook('scope', Reflect.get(value as object, 'scope'))
    : undefined

/** Checks the instance of a policy class, or the result of a function of the model, as `policy` checks an object. */
export function constructed(made: unknown): string | undefined {
  if (typeof made !== 'object' || made === null) {
    return 'expected the class or function to give an object.'
  }
  return problemOf(made, { isPlain: Object.getPrototypeOf(made) === Object.prototype })
}
