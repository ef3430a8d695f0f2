// Options for TanStack Query (`useQuery` and the like) from calls of a client, as plain objects, without importing it.

import { type Call, type Success, unwrapped } from '../client-call.ts'

/** What TanStack Query passes to `queryFn`. */
interface Context {
  readonly signal?: AbortSignal
}

/** The options of `useQuery`. */
export interface QueryOptions<T> {
  readonly queryKey: Call<T>['key']
  readonly queryFn: (context?: Context) => Promise<T>
}

/**
 * Makes the options of `useQuery` for a read: the data is the value, the error a `ClientError`. The key begins with the name of
 * the collection in URLs, so that `invalidateQueries({ queryKey: ['books'] })` invalidates all reads of the collection.
 *
 * ```ts
 * const { data } = useQuery(queryOptions(client.books.list({ limit: 10 })))
 * ```
 */
export function queryOptions<T>(call: Call<T>): QueryOptions<T> {
  return {
    queryKey: call.key,
    queryFn: (context) => call.send(context?.signal).then(unwrapped),
  }
}

/** The options of `useInfiniteQuery`; a page is a result with `value` and `total`. */
export interface InfiniteQueryOptions<T> {
  readonly queryKey: readonly [...Call<T>['key'], 'pages']
  readonly initialPageParam: string | undefined
  readonly queryFn: (
    context: Context & { readonly pageParam: string | undefined },
  ) => Promise<Success<T>>
  readonly getNextPageParam: (last: Success<T>) => string | undefined
}

/**
 * Makes the options of `useInfiniteQuery` for a list, paged by cursor.
 *
 * ```ts
 * useInfiniteQuery(infiniteQueryOptions((page) => client.books.list({ ...page, orderBy: ['title'] })))
 * ```
 *
 * @param make Makes the call of a page from its paging parameters.
 */
export function infiniteQueryOptions<T>(
  make: (page: { readonly paging: 'cursor'; readonly after?: string }) => Call<T>,
): InfiniteQueryOptions<T> {
  return {
    queryKey: [...make({ paging: 'cursor' }).key, 'pages'],
    initialPageParam: undefined,
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === undefined ? {} : { after: pageParam }
      const result = await make({ paging: 'cursor', ...page }).send(signal)
      if (result.ok) return result
      throw result.error
    },
    getNextPageParam: ({ after }) => after ?? undefined,
  }
}

/** The options of `useMutation`. */
export interface MutationOptions<V, T> {
  readonly mutationFn: (variables: V) => Promise<T>
}

/**
 * Makes the options of `useMutation` for a write.
 *
 * ```ts
 * useMutation(mutationOptions((price: string) => client.books.update(1, { price })))
 * ```
 */
export function mutationOptions<V, T>(make: (variables: V) => Call<T>): MutationOptions<V, T> {
  return { mutationFn: (variables) => make(variables).unwrap() }
}
