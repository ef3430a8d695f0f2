// The result of a batch: a list `[{ "id": "a", "status": 201, "headers": { … }, "value": { … } }, …]` with one member for each operation,
// made as each operation ends.

import { runFinalOf } from '../../access/hooks/read-hooks.ts'
import { limitExceeded } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { quotedJson } from '../../lib/json/quoted.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { Call } from '../call/call.ts'
import { bareHeaders, type Result, successBody, valueInBody } from '../envelope.ts'
import { noHeaders } from './batch-body.ts'

/** The result of one operation. */
export interface OperationResult {
  readonly id: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly value: JsonValue
  /** The value as JSON text, if it was serialised directly; `value` is then null. */
  readonly text: string | undefined
  /** The call of the operation. */
  readonly call: Call
  /** The keys of the records that it wrote; undefined for a read. */
  readonly keys: Result['keys'] | undefined
  /** Its JSON text in the response. */
  readonly json: string
}

/**
 * Returns the result of an operation; HEAD has no value. Calls the `final` callback if it was not called yet, because the callback
 * may remove a value. `limits`: the rate limit headers of the operation.
 */
export function operationResult(
  id: string,
  call: Call,
  limits: Readonly<Record<string, string>>,
  result: Result,
): MaybePromise<OperationResult> {
  const counts = call.many ? bareHeaders(result) : noHeaders
  const own = result.headers ?? noHeaders
  const headers =
    limits === noHeaders && counts === noHeaders ? own : { ...limits, ...counts, ...own }
  const { status, keys } = result
  return andThen(shownValue(call, result), (shown) => {
    const { value, text } = call.method === 'HEAD' ? noValue : shown
    return withJson({ id, status, headers, value, text, call, keys })
  })
}

/** Adds the result's JSON text. Its length counts against API_MAX_BATCH_RESPONSE even if the batch's response is built from the values. */
export function withJson(result: Omit<OperationResult, 'json'>): OperationResult {
  const { id, status, headers, value, text, call, keys } = result
  const shown = text ?? stringify(value)
  const json = `{"id":${quotedJson(id)},"status":${status},"headers":${JSON.stringify(headers)},"value":${shown}}`
  return { id, status, headers, value, text, call, keys, json }
}

type Shown = Pick<OperationResult, 'value' | 'text'>

const noValue: Shown = { value: null, text: undefined }

/** Returns the value of an operation after its final callback. */
const shownValue = (call: Call, result: Result): MaybePromise<Shown> =>
  call.hooks.final === undefined || result.empty === true
    ? { value: result.value, text: result.text }
    : andThen(finalValue(call, result), (value) => ({ value, text: undefined }))

/** Returns `value` of the body that the final callback returns; the whole body if it has no envelope. */
async function finalValue(call: Call, result: Result): Promise<JsonValue> {
  const { dump } = call.resource.settings
  const sent = successBody(result, call.stamp(), dump)
  const body = result.body ?? (await runFinalOf(call, sent))
  return valueInBody(body, sent, result)
}

/** Returns the list of all results as a value. */
const resultList = (results: readonly OperationResult[]): JsonValue =>
  results.map(({ id, status, headers, value, text }) => ({
    id,
    status,
    headers: { ...headers },
    value: text === undefined ? value : (JSON.parse(text) as JsonValue),
  }))

/** Returns the list of all results as JSON text. */
const resultText = (results: readonly OperationResult[]): string =>
  `[${results.map(({ json }) => json).join(',')}]`

/** Returns a function that adds up the characters of the results, and throws 400 beyond API_MAX_BATCH_RESPONSE. */
export function resultCounter({
  batch,
}: Pick<ApiSettings, 'batch'>): (result: OperationResult) => void {
  const limit = batch?.maxResponse ?? 0
  let total = 0
  return ({ json }) => {
    total += json.length
    if (total <= limit) return
    const what = `The results up to this operation have ${total} characters`
    throw limitExceeded(settingNames.maxBatchResponse, limit, what)
  }
}

/** Returns the result of a batch, as a value or as JSON text. */
export const batchResult = (results: readonly OperationResult[], asText: boolean): Result => ({
  status: 200,
  total: results.length,
  value: null,
  ...(asText ? { text: resultText(results) } : { value: resultList(results) }),
})
