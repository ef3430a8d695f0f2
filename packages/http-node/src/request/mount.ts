// The mount of an API: the prefix that a host has removed from the URL of a request, and the URL that the API then answers. The listener
// and the adapters ask for both before they ask whether the API owns the URL.

/** The URL of a request, and the prefix of the mount that links start with. */
export interface Place {
  /** Path and query as the API answers them. */
  readonly url: string
  /** The prefix of the mount; empty without one. */
  readonly baseUrl: string
}

/** Removes the origin of a URL; a request line may have one (RFC 9112 §3.2.2). */
export const withoutOrigin = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')

/**
 * Returns the prefix that a host has removed from a URL; empty if it has removed none.
 *
 * `removedPrefix('/v1/api/books', '/api/books')` → `/v1`
 */
export function removedPrefix(originalUrl: string, url: string): string {
  const original = withoutOrigin(originalUrl)
  const remaining = withoutOrigin(url)
  if (original.endsWith(remaining)) return original.slice(0, original.length - remaining.length)
  // A host that removes the whole path leaves a slash: `/v1?limit=1` becomes `/?limit=1`.
  const query = /^\/(?=\?|$)/.test(remaining) ? remaining.slice(1) : undefined
  return query !== undefined && original.endsWith(query)
    ? original.slice(0, original.length - query.length)
    : ''
}

/**
 * Returns the URL that the API answers. `prefix` is API_PREFIX; undefined if it is not known, and the URL then stays as it is. The prefix
 * of the mount is removed from it, except from where it repeats API_PREFIX: `app.use('/api', modelApi(api))` serves `/api/books`, and below
 * a router at `/v2` it serves `/v2/api/books`.
 *
 * `placeOf({ url: '/books', baseUrl: '/v2/api' }, '/api')` → `{ url: '/api/books', baseUrl: '/v2' }`
 *
 * The mount alone decides, not the rest of the URL. Otherwise `/api/api/books` would be a second URL of `/api/books`, which guards
 * of the host on `/api/books` do not see.
 */
export function placeOf(
  { url, baseUrl, originalUrl }: Place & { readonly originalUrl?: unknown },
  prefix: string | undefined,
): Place {
  if (baseUrl === '' || prefix === undefined) return { url, baseUrl }
  const at = repetitionOf(prefix, baseUrl)
  if (at === -1) return { url, baseUrl }
  const remaining = withoutOrigin(url)
  const original = typeof originalUrl === 'string' ? withoutOrigin(originalUrl) : ''
  const mounted = `${baseUrl}${remaining}`
  // Express 4 removes a second slash: guards on `/api/books` do not see `/api//books`, so it is no URL of the API either.
  if (original !== mounted && oneSlash(original) === oneSlash(mounted))
    return { url: original, baseUrl: '' }
  // The host added the slash if the path was that of the mount.
  const isMount = original === `${baseUrl}${remaining.slice(1)}`
  return { url: (isMount ? original : mounted).slice(at), baseUrl: baseUrl.slice(0, at) }
}

const oneSlash = (path: string): string => path.replace(/\/{2,}/g, '/')

/** Returns the place of a Node request; hosts such as Connect keep in `originalUrl` what they have removed from `url`. */
export function mountedPlace(
  { url = '/', originalUrl }: { readonly url?: string | undefined; readonly originalUrl?: unknown },
  prefix: string | undefined,
): Place {
  const baseUrl = typeof originalUrl === 'string' ? removedPrefix(originalUrl, url) : ''
  return placeOf({ url, baseUrl, originalUrl }, prefix)
}

/**
 * Returns where the end of a mount begins that is the prefix or leads to it; -1 if there is none. Ignores case as Express and Connect do,
 * so that `/API` is no other mount than `/api`.
 */
function repetitionOf(prefix: string, baseUrl: string): number {
  const [wanted, mount] = [prefix.toLowerCase(), baseUrl.toLowerCase()]
  let at = 0
  while (at !== -1) {
    const remaining = mount.slice(at)
    if (isBelow(wanted, remaining)) return at
    at = mount.indexOf('/', at + 1)
  }
  return -1
}

const isBelow = (path: string, start: string): boolean => `${path}/`.startsWith(`${start}/`)
