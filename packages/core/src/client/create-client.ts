// createClient: a typed client of an API over HTTP; clientOver: the same over any transport. At run time it knows no models: `client.books`
// is a proxy's member, made of the name alone. Only the types know which collections and fields exist.

import type { LetterCase } from '../lib/naming/case.ts'
import type { AnyModel } from '../model/define-model.ts'
import { type Batch, batchOf } from './batch.ts'
import {
  type Call,
  type CallRequest,
  callOf,
  type Success,
  type Transport,
  unwrapped,
} from './client-call.ts'
import type { Collection } from './client-collection.ts'
import { type CollectionName, segmentOf } from './collection-name.ts'
import type { GivenOptions, GivenOptionsOf, ModelsOf } from './model-fields.ts'
import { type LooseQuery, type LooseRow, picked, queryText } from './query/query-text.ts'
import { encoded } from './reference.ts'
import { type HeaderOptions, headersOf } from './request-headers.ts'
import { type TransportOptions, transportTo } from './transport.ts'

/** The options of a client: its transport, and settings in which the API differs from the defaults. */
export interface ClientOptions<Names extends string = string> extends TransportOptions {
  /** The API's letter case of endpoint names (`API_ENDPOINT_CASE`). Default `kebab`. */
  readonly endpointCase?: LetterCase | undefined
  /** The API's path of batches (`API_BATCH_ROUTE`). Default `/batch`. */
  readonly batchPath?: string | undefined
  /** Paths of the collections whose models set `endpoint` in meta: `{ books: 'shop/books' }`. */
  readonly paths?: { readonly [N in Names]?: string } | undefined
}

/** The collections of an API by name, and `batch`. */
export type Client<A> = Collections<GivenOptionsOf<A>> & { readonly batch: Batch }

/** `{ books: Collection<typeof Book>; authors: … }` */
type Collections<G extends GivenOptions> = {
  readonly [N in keyof ModelsOf<G> & string as CollectionName<N>]: ModelsOf<G>[N] extends AnyModel
    ? Collection<ModelsOf<G>[N], G>
    : never
}

/** The key of a record; a list for a composite key. */
type Key = string | number | boolean | readonly (string | number | boolean)[]

/** The options of all methods, with types that accept every model. */
interface LooseOptions extends LooseQuery, HeaderOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates a client of the API at a URL, with a collection for each model. It uses only the types of the models, not their code.
 *
 * ```ts
 * import type { api } from './server.ts'
 *
 * const client = createClient<typeof api>('https://example.org/api')
 * const { value } = await client.books.list({ where: { author: { name: { ilike: 'austen' } } }, fields: ['title'] })
 * ```
 *
 * @param url The base URL of the collections: the origin of the server with the prefix of the API. `/api` is added to an origin
 * without a path.
 */
export function createClient<A>(
  url: string,
  options: ClientOptions<keyof Client<A> & string> = {},
): Client<A> {
  // `https://example.org/` → `https://example.org/api`
  const base = url.replace(/\/$/, '').replace(/^\w+:\/\/[^/]+$/, '$&/api')
  const { endpointCase = 'kebab', batchPath = '/batch', paths } = options as ClientOptions
  return clientOver(transportTo(base, options), {
    // `/api`
    root: base.replace(/^\w+:\/\/[^/]+/, ''),
    endpointCase,
    batchPath,
    pathOf: (name) => paths?.[name],
  })
}

/** The paths of an API. */
export interface ClientPaths {
  /** The path before those of collections: `/api`. */
  readonly root: string
  readonly endpointCase: LetterCase
  readonly batchPath: string
  /** The path of a collection that does not have the usual one. */
  readonly pathOf: (name: string) => string | undefined
}

/** Creates a client that sends its requests by `send`: over HTTP, or in the same process (`client-in-process.ts`). */
export function clientOver<A>(
  send: Transport,
  { root, endpointCase, batchPath, pathOf }: ClientPaths,
): Client<A> {
  let count = 0
  /** Makes the call of one request. `many`: the response is a list. */
  const callTo = (
    method: string,
    path: string,
    options: LooseOptions = {},
    body?: unknown,
    many = false,
  ): Call<unknown> => {
    const read = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(read) : value && picked(value as LooseRow, options)
    const request: CallRequest = {
      id: `${++count}`,
      method,
      path,
      query: queryText(options, method === 'DELETE'),
      headers: headersOf(options),
      many,
      body,
      // Without `include`, the server itself selects the fields.
      read: options.include && read,
    }
    return callOf(send, request, options.signal)
  }

  const collection = (name: string) => {
    const path = `/${pathOf(name) ?? segmentOf(name, endpointCase)}`
    const at = (key: Key): string => {
      const segment = `${[key].flat().map(encoded)}`
      // `fetch` removes such segments, so that the path would be that of another endpoint.
      if (/^\.{0,2}$/.test(segment)) throw new TypeError(`"${segment}" is no key.`)
      return `${path}/${segment}`
    }
    // `true`, here and in `related`: the response is a list.
    const list = (query?: LooseOptions) => callTo('GET', path, query, undefined, true)
    const post = (body: unknown, options?: LooseOptions) => callTo('POST', path, options, body)
    return {
      list,
      groups: ({ aggregate: grouped = {}, ...query }: LooseOptions) => list({ ...query, grouped }),
      get: (key: Key, query?: LooseOptions) => callTo('GET', at(key), query),
      related: (key: Key, relation: string, query?: LooseOptions) =>
        callTo('GET', `${at(key)}/${segmentOf(relation, endpointCase)}`, query, undefined, true),
      async *iterate(query?: LooseOptions) {
        let after: string | null | undefined
        do {
          // Nobody reads the totals of the pages, so the server need not count.
          const page = await list({ count: 'none', ...query, paging: 'cursor', after })
          yield* unwrapped(page) as unknown[]
          after = (page as Success<unknown>).after
        } while (after)
      },
      create: post,
      createMany: post,
      update: (key: Key, body: unknown, options?: LooseOptions) =>
        callTo('PATCH', at(key), options, body),
      updateEach: (body: unknown, options?: LooseOptions) => callTo('PATCH', path, options, body),
      replace: (key: Key, body: unknown, options?: LooseOptions) =>
        callTo('PUT', at(key), options, body),
      updateMany: (where: LooseQuery['where'], body: unknown, options?: LooseOptions) =>
        callTo('PATCH', path, { ...options, where }, body),
      remove: (key: Key, options?: LooseOptions) => callTo('DELETE', at(key), options),
      removeMany: (where: LooseQuery['where'], options?: LooseOptions) =>
        callTo('DELETE', path, { ...options, where }),
      restore: (key: Key, options?: LooseOptions) => callTo('POST', `${at(key)}/restore`, options),
    }
  }

  // Without a prototype, whose members would otherwise take the place of collections.
  const known: Record<string, unknown> = {
    __proto__: null,
    batch: batchOf(send, root, batchPath),
  }
  return new Proxy({} as never, {
    get(_, name) {
      if (typeof name === 'symbol') return undefined
      known[name] ??= collection(name)
      return known[name]
    },
  })
}
