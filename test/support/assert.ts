/** Assertions for tests. They differ from uvu's in how they treat prototypes and promises. */
import { inspect } from 'node:util'
import * as assert from 'uvu/assert'

/** The expected error: text of its message, some of its members, or a function that checks it. */
export type Expected =
  | RegExp
  | string
  | Readonly<Record<string, unknown>>
  | ((error: Error) => void)

export function ok(value: unknown, message?: string): asserts value {
  assert.ok(value, message)
}

/** Deep equality; an object without a prototype (a database row) equals a plain one. */
export function equal(actual: unknown, expected: unknown, message?: string): void {
  assert.equal(plain(actual), plain(expected), message)
}

export function notEqual(actual: unknown, expected: unknown, message?: string): void {
  assert.not.equal(plain(actual), plain(expected), message)
}

export function match(actual: string, expected: RegExp | string, message?: string): void {
  const found = typeof expected === 'string' ? actual.includes(expected) : expected.test(actual)
  if (!found) fail(message ?? `${inspect(actual)} does not match ${inspect(expected)}`)
}

export function fail(message: string): never {
  throw new Error(message)
}

/** Calls a function that must throw, and returns the checked error. */
export function throws(run: () => unknown, expected?: Expected): Error {
  let result: unknown
  try {
    result = run()
  } catch (thrown) {
    return checked(thrown, expected)
  }
  if (result instanceof Promise) {
    result.catch(() => {})
    fail('got a promise: use rejects()')
  }
  return fail(`expected a throw, got ${inspect(result)}`)
}

/** Awaits a promise that must be rejected, and returns the checked error. */
export async function rejects(
  run: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected,
): Promise<Error> {
  let result: unknown
  try {
    result = await (typeof run === 'function' ? run() : run)
  } catch (thrown) {
    return checked(thrown, expected)
  }
  return fail(`expected a rejection, got ${inspect(result)}`)
}

/** A copy in which objects without a prototype have the usual one; dates, bytes, maps and class instances are not copied. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    // Not by assignment, which would set the prototype for a member `__proto__`.
    Object.defineProperty(copy, key, {
      value: plain(member),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return copy
}

function checked(thrown: unknown, expected: Expected | undefined): Error {
  if (!(thrown instanceof Error)) return fail(`threw a non-Error: ${inspect(thrown)}`)
  if (expected === undefined) return thrown
  if (typeof expected === 'function') expected(thrown)
  else if (typeof expected === 'string' || expected instanceof RegExp) {
    match(thrown.message, expected)
  } else {
    const actual = thrown as unknown as Readonly<Record<string, unknown>>
    const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key]]))
    equal(seen, expected)
  }
  return thrown
}
