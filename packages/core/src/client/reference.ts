// References of a batch: a member of the value of an earlier call, in bodies, keys and conditions of later ones.

import type { Call } from './call.ts'

/**
 * A member of what an earlier call of the same batch answers.
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
  // A function, so that it is told from the objects of conditions; `encoded` writes it as it is.
  const value = Object.assign(() => path, {
    toJSON: () => ({ $ref: path }),
    toString: () => `{${path}}`,
  })
  return value as never
}

/** A value as a part of a URL; a reference keeps its braces. */
export const encoded = (value: unknown): string =>
  typeof value === 'function' ? String(value) : encodeURIComponent(String(value))
