// Calls code of the host: callbacks, policy hooks, validators, defaults, checks of credentials. What fails is named, and nothing is waited for without end.

import { settingNames } from './config/setting-names.ts'
import { ApiError } from './errors.ts'
import { notJson } from './json/not-json.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { withTimeLimit } from './time-limit.ts'

/**
 * Calls a function of the host; `name` stands in the log when it fails: `add callback of Book`.
 *
 * An ApiError that it throws or rejects with passes as it is: it is the answer. Anything else becomes an Error that names
 * the function, with what was thrown as its cause. A function that returns no promise costs nothing more than its call.
 */
export type CallHook = <T>(name: string, call: () => T | PromiseLike<T>) => MaybePromise<T>

/** A function of the host that did not come to an end: always 500, where other failures of policies and logins are milder. */
export class StuckHook extends Error {}

/** A caller that gives promises `timeout` milliseconds to settle (API_HOOK_TIMEOUT). */
export function hookCaller(timeout: number): CallHook {
  return <T>(name: string, call: () => T | PromiseLike<T>): MaybePromise<T> => {
    const late = () =>
      new StuckHook(
        `The ${name} did not settle within ${timeout} ms (${settingNames.hookTimeout}).`,
      )
    let result: T | PromiseLike<T>
    try {
      result = call()
      if (!isThenable(result)) return result
    } catch (error) {
      throw failureOf(name, error)
    }
    return withTimeLimit(result, timeout, late).catch((error: unknown) => {
      throw failureOf(name, error)
    })
  }
}

/** What a hook returned that must return something. */
export function returned<T>(name: string, result: T): T {
  if (result === undefined) {
    throw new Error(`The ${name} returned undefined; it must return a value.`)
  }
  return result
}

/** As `returned`, of a hook whose result is sent to the client. */
export function returnedJson<T>(name: string, result: T): T {
  const problem = problemOf(name, returned(name, result))
  if (problem === undefined) return result
  throw new Error(`The ${name} returned what is not JSON: ${problem}.`)
}

function problemOf(name: string, result: unknown): string | undefined {
  try {
    return notJson(result)
  } catch (error) {
    // A getter, or toJSON.
    throw failureOf(name, error)
  }
}

const isThenable = <T>(result: T | PromiseLike<T>): result is PromiseLike<T> =>
  typeof result === 'object' &&
  result !== null &&
  'then' in result &&
  typeof result.then === 'function'

function failureOf(name: string, error: unknown): unknown {
  if (error instanceof ApiError || error instanceof StuckHook) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`The ${name} failed: ${reason}`, { cause: error })
}
