// afterCallback: the OpenAPI document as API_OPENAPI_CALLBACK returns it, with routes of the host for example.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { notJson } from '../lib/json/not-json.ts'
import type { OpenApiCallback } from '../model/settings/access/hook-types.ts'
import { settingNames } from '../model/settings/setting-names.ts'
import { documentTextSteps } from './document-text.ts'

const setting = settingNames.openApiCallback

/**
 * Returns steps that build the document and call the callback with a copy of it. The callback is called once, also if the steps run
 * several times, and its error is thrown each time.
 */
export function afterCallback<D extends OpenAPIObject | oas32.OpenAPIObject>(
  callback: OpenApiCallback | undefined,
  steps: () => Generator<void, D>,
): () => Generator<void, D> {
  if (callback === undefined) return steps
  let outcome: (() => D) | undefined
  return function* () {
    if (outcome === undefined) {
      // The parts of a built document are shared with each other and with constants, so a change in one would show in others.
      const text = yield* documentTextSteps(yield* steps())
      outcome ??= outcomeOf(() => returned(callback(JSON.parse(text))) as D)
    }
    return outcome()
  }
}

/** Calls a function; the result returns what it returned, or throws what it threw. */
function outcomeOf<T>(call: () => T): () => T {
  try {
    const result = call()
    return () => result
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const failure =
      error instanceof WrongDocument
        ? error
        : new Error(`config.${setting} failed: ${reason}`, { cause: error })
    return () => {
      throw failure
    }
  }
}

class WrongDocument extends Error {}

/** Returns a copy of what the callback returned, so that later changes of it have no effect. Throws if it is no document. */
function returned(result: unknown): unknown {
  const problem = problemOf(result)
  if (problem === undefined) return JSON.parse(JSON.stringify(result))
  throw new WrongDocument(`config.${setting} ${problem}`)
}

function problemOf(result: unknown): string | undefined {
  if (!isObject(result)) {
    const what = Array.isArray(result) ? 'a list' : result === null ? 'null' : typeof result
    return `must return the document, returned ${what}.`
  }
  if (typeof result.then === 'function') {
    // Its rejection is not handled elsewhere, and would end the process.
    result.then(ignored, ignored)
    return 'returned a promise; it must return the document itself. Read what it needs before createApi.'
  }
  const wrong = members.find(([name, fits]) => !fits(result[name]))
  if (wrong !== undefined) {
    return `returned no OpenAPI document: ${wrong[0]} must be ${wrong[2]}. Return the document that it receives, with changes.`
  }
  const unwritable = notJson(result)
  return unwritable === undefined ? undefined : `returned what is not JSON: ${unwritable}.`
}

const ignored = (): void => {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** The members that OpenAPI requires, and those that the page shows, each with the test of its value. */
const members: readonly (readonly [
  name: string,
  fits: (value: unknown) => boolean,
  expected: string,
])[] = [
  ['openapi', isText, 'a version, such as 3.1.0'],
  [
    'info',
    (info) => isObject(info) && isText(info.title) && isText(info.version),
    'an object with title and version',
  ],
  ['paths', isObject, 'an object'],
]
