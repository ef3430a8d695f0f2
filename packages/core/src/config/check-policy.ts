// The shape of an access policy: every hook a function, and no name that is nearly one; a hook that is never called protects nothing.

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

/** Own and inherited names, up to the prototype that every object shares. */
function namesOf(value: object): readonly string[] {
  const names: string[] = []
  let at: object | null = value
  while (at !== null && at !== Object.prototype && at !== Function.prototype) {
    names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'))
    at = Object.getPrototypeOf(at)
  }
  return [...new Set(names)]
}

/** The problem of the hooks of one object; a mapping has nothing but hooks, an instance may have helpers of its own. */
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

/** A mapping of hooks, an instance with them, or a class that is constructed without arguments. */
export const policy: Check = (value) => {
  if (isClass(value)) {
    // Hooks may also be fields, which only an instance has; `constructed` looks at those.
    const problem = problemOf(value.prototype as object, false)
    return problem?.startsWith('has none') ? undefined : problem
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `expected a policy: an object, an instance or a class with any of ${policyHooks.join(', ')}, got ${shown(value)}.`
  }
  const parent = Object.getPrototypeOf(value)
  return problemOf(value, parent === Object.prototype || parent === null)
}

/** As `policy`, of an instance that a class was made into. */
export const constructed = (instance: unknown): string | undefined =>
  typeof instance === 'object' && instance !== null
    ? problemOf(instance, false)
    : 'expected the class to construct an object.'
