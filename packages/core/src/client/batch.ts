// Batches: several calls as one request, in one transaction.

import { type Call, type CallRequest, callOf, type Result } from './call.ts'
import type { ClientError } from './client-error.ts'
import type { SendOptions } from './query.ts'
import type { Transport } from './transport.ts'

/** The types of the values of calls, in the order of the calls. */
export type ValuesOf<Calls extends readonly Call<unknown>[]> = {
  -readonly [I in keyof Calls]: Calls[I] extends Call<infer T> ? T : never
}

export interface BatchOptions extends Omit<SendOptions, 'params'> {
  /** Runs all calls and returns their results, then rolls the transaction back. */
  readonly dryRun?: boolean
  /** Repeating the same calls with the same key within a day returns the stored results instead of running them again. */
  readonly idempotencyKey?: string
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

interface Answer {
  readonly value?: unknown
}

/** Returns the function that sends batches to `path`; `root` is the path in the client's URL. */
export function batchOf(send: Transport, root: string, path: string): Batch {
  return (calls, { dryRun, idempotencyKey, headers, signal: given } = {}) => {
    const request: CallRequest = {
      id: '',
      method: 'POST',
      path,
      query: '',
      body: {
        operations: calls.map(({ request: { id, method, path, query, body, headers } }) => ({
          id,
          method,
          url: `${root}${path}${query && `?${query}`}`,
          headers,
          body,
        })),
        dry_run: dryRun,
      },
      headers: {
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
    }
    return callOf(request, async (signal = given) => {
      const result = await send(request, signal)
      if (!result.ok) return result
      const answers = (result.value ?? []) as readonly Answer[]
      try {
        const value = answers.map((answer, i) => {
          const { read } = calls[i]?.request ?? {}
          return read ? read(answer.value) : answer.value
        })
        return { ...result, value } as Result<never>
      } catch (error) {
        return { ok: false, status: result.status, error: error as ClientError }
      }
    })
  }
}
