// Runs one callback of the host: its refusals pass, its failures are named, its missing results are failures (contract §11).

import { ApiError } from '../errors.ts'

/**
 * Awaits a callback. An ApiError it throws is the answer; anything else becomes an Error that names the callback, which
 * is answered with 500 and logged.
 */
export async function runHook<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new Error(`The ${name} failed.`, { cause: error })
  }
}

/** As `runHook`, for callbacks that must return what goes on. */
export async function runHookFor<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  const result = await runHook(name, call)
  if (result === undefined)
    throw new Error(`The ${name} returned undefined; it must return a value.`)
  return result
}
