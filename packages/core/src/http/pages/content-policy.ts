// The Content-Security-Policy headers of HTML pages: everything is forbidden except what the page itself needs.

import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'

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

let own: Promise<string> | undefined

/** Returns the policy of all pages except Redoc's: their style and script are allowed by hashes. Computed once. */
export function pagePolicy(): Promise<string> {
  own ??= Promise.all([pageStyle, pageScript].map(hashOf)).then(([style = '', script = '']) =>
    contentPolicy({ 'style-src': style, 'script-src': script, 'img-src': 'data:' }),
  )
  return own
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
}
