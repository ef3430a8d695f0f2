// client.batch: several calls as one request, `POST /api/batch`, in one transaction.

import { type Call, type CallRequest, callOf, type OwnCall, type Transport } from './client-call.ts'
import type { SendOptions } from './query/query.ts'
import { headersOf } from './request-headers.ts'

/** The types of the values of calls, in the order of the calls. */
export type ValuesOf<Calls extends readonly Call<unknown>[]> = {
  -readonly [I in keyof Calls]: Calls[I] extends Call<infer T> ? T : never
}

export interface BatchOptions extends Omit<SendOptions, 'params'> {
  /** Runs all calls and returns their results, then rolls the transaction back. */
  readonly dryRun?: boolean | undefined
  /** Repeating the same calls with the same key within a day returns the stored results instead of running them again. */
  readonly idempotencyKey?: string | undefined
}

/**
 * Sends calls as one request: either all succeed, or nothing is stored and `at` of the error tells which call failed.
 *
 * ```ts
 * const [author, book] = await client.batch([client.authors.get(1), client.books.get(1)]).unwrap()
 * ```
 */
export type Batch = <const Calls extends readonly Call<unknown>[]>(
  calls: Calls,
  options?: BatchOptions,
) => Call<ValuesOf<Calls>>

/** The result of one operation in the response. */
interface OperationResult {
  readonly value?: unknown
}

/**
 * Returns the function that sends batches to `path`, such as `/batch`; `root` is the path in the client's URL, such as `/api`. It throws a
 * `TypeError` for the call of another client, which has another caller, and whose references mean other calls.
 */
export function batchOf(send: Transport, root: string, path: string): Batch {
  return (calls, { dryRun, idempotencyKey, headers, signal } = {}) => {
    if (calls.some((call) => (call as OwnCall<unknown>).transport !== send)) {
      throw new TypeError('The calls of a batch are made with its client.')
    }
    // References name a call by its id (`{7.id}`). Operations are named by their positions (`{c0.id}`), so that calls which are made again give
    // the same body for the same idempotency key.
    const named = (text: string, references: RegExp): string =>
      text.replace(
        references,
        (_, before, id) => `${before}c${calls.findIndex((call) => call.request.id === id)}`,
      )
    const operations = calls.map(({ request: { method, path, query, body, headers } }, i) => ({
      id: `c${i}`,
      method,
      // Braces and quotes of values are escaped, so that these patterns match references alone.
      url: named(`${root}${path}${query && `?${query}`}`, /({)(\d+)/g),
      headers,
      body: body && JSON.parse(named(JSON.stringify(body), /({"\$ref":")(\d+)/g)),
    }))
    const request: CallRequest = {
      id: '',
      method: 'POST',
      path,
      query: '',
      body: { operations, dry_run: dryRun },
      headers: headersOf({ headers, idempotencyKey }),
      read: (value) =>
        ((value ?? []) as readonly OperationResult[]).map(
          ({ value }, i) => calls[i]?.request.read?.(value) ?? value,
        ),
    }
    return callOf(send, request, signal)
  }
}
