// The mount of an API: the prefix that a host has removed from the URL of a request.

/** Removes the origin of a URL; a request line may have one (RFC 9112 §3.2.2). */
export const withoutOrigin = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')

/**
 * Returns the prefix that a host has removed from a URL; empty if it has removed none.
 *
 * `removedPrefix('/v1/api/books', '/api/books')` → `/v1`
 */
export function removedPrefix(originalUrl: string, url: string): string {
  const whole = withoutOrigin(originalUrl)
  const rest = withoutOrigin(url)
  return whole.endsWith(rest) ? whole.slice(0, whole.length - rest.length) : ''
}
