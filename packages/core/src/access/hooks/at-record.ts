// Adds the path of the record in the body to errors that hooks about one record throw.

import { ApiError, isOfHost, withReason } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { isMessagesByPath } from '../../lib/problems/messages-by-path.ts'

/**
 * Calls a hook about the record at a path, which is empty for the record that the whole body describes. If it throws an apiError whose
 * reason has lists of messages by field, the names of the fields become paths in the body: `{ status: ['…'] }` → `{ '[3].status': ['…'] }`.
 */
export function atRecord<T>(path: string, call: () => MaybePromise<T>): MaybePromise<T> {
  if (path === '') return call()
  try {
    const result = call()
    return result instanceof Promise ? rejectedAt(path, result) : result
  } catch (error) {
    throw placed(path, error)
  }
}

async function rejectedAt<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw placed(path, error)
  }
}

/** Returns the error with paths in the body for the names of fields; any other error unchanged. */
function placed(path: string, error: unknown): unknown {
  if (!(error instanceof ApiError && isOfHost(error))) return error
  const { reason } = error.body
  if (!isMessagesByPath(reason)) return error
  const names = Object.keys(reason)
  // The hook has written paths in the body itself.
  if (names.some((name) => name.startsWith('[') || isBelow(name, path))) return error
  return withReason(
    error,
    Object.fromEntries(names.map((name) => [below(path, name), reason[name] as JsonValue])),
  )
}

const isBelow = (name: string, path: string): boolean =>
  name === path || name.startsWith(`${path}.`) || name.startsWith(`${path}[`)

const below = (path: string, name: string): string => (name === '' ? path : `${path}.${name}`)
