// Content-Security-Policy headers of the pages: everything is forbidden except what the page lists.

/**
 * Returns the value of the Content-Security-Policy header.
 *
 * ```ts
 * contentPolicy({ 'img-src': 'data:' })
 * // "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
 * ```
 */
export const contentPolicy = (allowed: Readonly<Record<string, string>>): string =>
  Object.entries({
    'default-src': "'none'",
    ...allowed,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
