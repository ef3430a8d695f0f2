// References of a batch: use a member of an earlier call's value in bodies, keys and conditions of later calls.

import type { Call } from './call.ts'

/**
 * Refers to a member of the value of an earlier call in the same batch.
 *
 * ```ts
 * const author = client.authors.create({ name: 'Mary Shelley' })
 * const book = client.books.create({ title: 'The Last Man', author_id: reference(author, 'id') })
 * await client.batch([author, book])
 * ```
 */
export function reference<T, K extends keyof NonNullable<T> & string>(
  call: Call<T>,
  member: K,
): NonNullable<T>[K] {
  const path = `${call.request.id}.${member}`
  // A reference is a function, which distinguishes it from objects with conditions. `encoded` writes it unchanged.
  const value = Object.assign(() => path, {
    toJSON: () => ({ $ref: path }),
    toString: () => `{${path}}`,
  })
  return value as never
}

/** Percent-encodes a value for a URL; a reference keeps its braces. */
export const encoded = (value: unknown): string =>
  typeof value === 'function' ? String(value) : encodeURIComponent(String(value))
