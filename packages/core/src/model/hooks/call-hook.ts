// Calls functions of the host application (callbacks, policy hooks, validators, defaults, credential checks): adds the function's name to errors
// and limits the time it may take. The other functions check or copy what a hook has returned; `name` is its name in the error.

import { ApiError } from '../../errors.ts'
import { copyJson } from '../../lib/json/copy.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { notJson } from '../../lib/json/not-json.ts'
import { stringifyUnless } from '../../lib/json/stringify.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { settingNames } from '../settings/setting-names.ts'

/**
 * Calls a function of the host; `name`, for example `add callback of Book`, appears in the error if it fails.
 *
 * An ApiError that it throws passes unchanged and becomes the response. Any other error is wrapped in an Error that names
 * the function, with the original as `cause`. A synchronous function stays synchronous.
 */
export type CallHook = <T>(name: string, call: () => T | PromiseLike<T>) => MaybePromise<T>

/** Thrown when a host function exceeds API_HOOK_TIMEOUT. Always gives 500, whereas other errors of host functions in a login give 401. */
export class HookTimeout extends Error {}

/** Creates a CallHook that waits at most `timeout` milliseconds for promises (API_HOOK_TIMEOUT). */
export function hookCaller(timeout: number): CallHook {
  return <T>(name: string, call: () => T | PromiseLike<T>): MaybePromise<T> => {
    try {
      const result = call()
      return isThenable(result) ? settled(name, result, timeout) : result
    } catch (error) {
      throw failureOf(name, error)
    }
  }
}

/** Waits for a promise of a hook within the limit. */
async function settled<T>(name: string, result: PromiseLike<T>, timeout: number): Promise<T> {
  const late = () =>
    new HookTimeout(
      `The ${name} did not settle within ${timeout} ms (${settingNames.hookTimeout}).`,
    )
  try {
    return await withTimeLimit(result, timeout, late)
  } catch (error) {
    throw failureOf(name, error)
  }
}

/** Returns the result of a hook that must return a value; throws if it is undefined. */
export function returned<T>(name: string, result: T): T {
  if (result === undefined) {
    throw new Error(`The ${name} returned undefined; it must return a value.`)
  }
  return result
}

/** Returns a copy of the result of a hook that is sent to the client; throws if it is undefined or not JSON. */
export function returnedJson<T>(name: string, result: T): T {
  refuseNonJson(name, returned(name, result))
  return returnedCopy(name, result)
}

/**
 * Returns a copy of a value that a hook has returned, with the result of `toJSON`: the host may keep the value and change it later. Members
 * that are not JSON stay as they are; throws for a value that contains itself.
 */
export function returnedCopy<T>(name: string, value: T): T {
  if (typeof value !== 'object' || value === null) return value
  try {
    return copyJson(value as unknown as JsonValue) as T
  } catch (error) {
    // Says what in the value is not JSON, if that is why it could not be copied.
    refuseNonJson(name, value)
    throw failureOf(name, error)
  }
}

/** Throws if a result is not JSON. */
function refuseNonJson(name: string, result: unknown): void {
  const problem = problemOf(name, result)
  if (problem === undefined) return
  throw new Error(`The ${name} returned a value that is not JSON: ${problem}.`)
}

/** Returns the result of a hook as JSON text; throws as `returnedJson` does. */
export const returnedText = (name: string, result: JsonValue): string =>
  stringifyUnless(returned(name, result), () => returnedJson(name, result))

/** Returns what in the result is not JSON; undefined if all is. */
function problemOf(name: string, result: unknown): string | undefined {
  try {
    return notJson(result)
  } catch (error) {
    // A getter or toJSON of the result threw.
    throw failureOf(name, error)
  }
}

const isThenable = <T>(result: T | PromiseLike<T>): result is PromiseLike<T> =>
  typeof result === 'object' &&
  result !== null &&
  'then' in result &&
  typeof result.then === 'function'

/** Returns the error to throw: with the name of the hook, unless it is a response or says the name already. */
function failureOf(name: string, error: unknown): unknown {
  if (error instanceof ApiError || error instanceof HookTimeout) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`The ${name} failed: ${reason}`, { cause: error })
}
