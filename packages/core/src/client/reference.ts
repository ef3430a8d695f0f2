// References of a batch: use a member of an earlier call's value in bodies, keys and conditions of later calls. A reference to the call
// with the id 7 is `{ "$ref": "7.id" }` in a body and `{7.id}` in a URL; `batch.ts` writes the position of the call in place of its id,
// `c0.id`, and the server puts the value there. `encoded` writes keys, references among them, into paths.

import type { Call } from './client-call.ts'

/** What a reference can name in a value: an item of a list by its index, or a member of a record. */
type MemberOf<T> =
  NonNullable<T> extends readonly unknown[] ? number : keyof NonNullable<T> & string

/** The type of the member K of a value. */
type ValueAt<T, K> = K extends keyof NonNullable<T> ? NonNullable<T>[K] : never

/**
 * Refers to the value of an earlier call in the same batch: to a member of a record, an item of a list, or a member of an item.
 *
 * ```ts
 * const author = client.authors.create({ name: 'Mary Shelley' })
 * const tags = client.tags.createMany([{ name: 'gothic' }, { name: 'plague' }], { onConflict: ['name'] })
 * const book = client.books.create({
 *   title: 'The Last Man',
 *   author_id: reference(author, 'id'),
 *   tags: [reference(tags, 0), reference(tags, 1)],
 * })
 * const links = client.tags.related(reference(tags, 0, 'id'), 'books')
 * await client.batch([author, tags, book, links])
 * ```
 */
export function reference<T, const K extends MemberOf<T>>(call: Call<T>, member: K): ValueAt<T, K>
export function reference<T, const K extends MemberOf<T>, const L extends MemberOf<ValueAt<T, K>>>(
  call: Call<T>,
  member: K,
  inner: L,
): ValueAt<ValueAt<T, K>, L>
export function reference(
  { request }: Call<unknown>,
  ...members: readonly (string | number)[]
): unknown {
  const path = [request.id, ...members].join('.')
  // A reference is a function, which distinguishes it from objects with conditions. `encoded` writes it unchanged.
  return Object.assign(() => path, {
    toJSON: () => ({ $ref: path }),
    toString: () => `{${path}}`,
  })
}

/** Percent-encodes a value for a URL; a reference keeps its braces. */
export const encoded = (value: unknown): string =>
  typeof value === 'function' ? `${value}` : encodeURIComponent(`${value}`)
