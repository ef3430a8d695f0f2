// Checks an access policy: every hook is a function, and no name resembles a hook, since a misspelt hook would never be called.

import { didYouMean, nearest } from '../naming/suggest.ts'
import { type Check, shown } from './checks.ts'

/** The hooks a policy may have. */
export const policyHooks = [
  'scope_query',
  'can_read',
  'can_create',
  'can_update',
  'can_delete',
] as const

const isHook = (name: string): boolean => policyHooks.some((hook) => hook === name)

/** Own and inherited names, without those of Object.prototype. */
function namesOf(value: object): readonly string[] {
  const names: string[] = []
  let at: object | null = value
  while (at !== null && at !== Object.prototype && at !== Function.prototype) {
    names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'))
    at = Object.getPrototypeOf(at)
  }
  return [...new Set(names)]
}

/** The problem with the hooks of an object. A plain object may hold hooks only; a class instance may also have helper methods. */
function problemOf(value: object, mapping: boolean): string | undefined {
  const names = namesOf(value)
  for (const name of names) {
    if (isHook(name)) {
      const hook: unknown = Reflect.get(value, name)
      if (typeof hook !== 'function' && hook !== undefined) {
        return `${name}: expected a function, got ${shown(hook)}.`
      }
      continue
    }
    const reserved = /^(?:can|scope)_/.test(name)
    if (mapping || reserved || nearest(name.slice(0, 100), policyHooks) !== undefined) {
      return `unknown hook ${JSON.stringify(name)}.${didYouMean(name, policyHooks)} A policy has ${policyHooks.join(', ')}.`
    }
  }
  return mapping || names.some(isHook) ? undefined : `has none of ${policyHooks.join(', ')}.`
}

const isClass = (value: unknown): value is new () => object =>
  typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null

/** A policy is an object of hooks, a class instance, or a class with a constructor without arguments. */
export const policy: Check = (value) => {
  if (isClass(value)) {
    // Hooks may also be instance fields; `constructed` checks those after construction.
    const problem = problemOf(value.prototype as object, false)
    return problem?.startsWith('has none') ? undefined : problem
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `expected a policy: an object, an instance or a class with any of ${policyHooks.join(', ')}, got ${shown(value)}.`
  }
  const parent = Object.getPrototypeOf(value)
  return problemOf(value, parent === Object.prototype || parent === null)
}

/** The check of `policy` for the instance of a policy class. */
export const constructed = (instance: unknown): string | undefined =>
  typeof instance === 'object' && instance !== null
    ? problemOf(instance, false)
    : 'expected the class to construct an object.'
