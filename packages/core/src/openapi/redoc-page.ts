// The documentation page by Redoc: its script and the document, both from this very host, and a policy that allows nothing else.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { escaped, htmlPage } from './html.ts'

/** Where the page finds what it shows. */
export interface RedocPlaces {
  readonly script: string
  /** Redoc 3 is a module, earlier ones are not. */
  readonly module: boolean
  readonly document: string
}

/** A page whose whole content is made by Redoc. */
export function redocPage({ info }: OpenAPIObject, places: RedocPlaces): string {
  const kind = places.module ? 'type="module"' : 'defer'
  return htmlPage(
    info.title,
    '<style>body { margin: 0 }</style>\n',
    `<redoc spec-url="${escaped(places.document)}" disable-telemetry="true"></redoc>
<noscript>This page needs JavaScript. The document itself is at <a href="${escaped(places.document)}">${escaped(places.document)}</a>.</noscript>
<script ${kind} src="${escaped(places.script)}"></script>`,
  )
}

/** What the page may load: itself, and the author's logo. Redoc writes its styles into the page, and searches in a worker. */
export const redocPolicy = (document: OpenAPIObject): string =>
  policy({
    'script-src': "'self'",
    'style-src': "'unsafe-inline'",
    'img-src': `'self' data:${logoOrigin(document)}`,
    'font-src': "'self' data:",
    'connect-src': "'self'",
    'worker-src': 'blob:',
  })

/** What the plain page may load: nothing but the author's logo. */
export const plainPolicy = (document: OpenAPIObject): string =>
  policy({ 'style-src': "'unsafe-inline'", 'img-src': `data:${logoOrigin(document)}` })

const policy = (allowed: Readonly<Record<string, string>>): string =>
  Object.entries({
    'default-src': "'none'",
    ...allowed,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

function logoOrigin({ info }: OpenAPIObject): string {
  const logo: { readonly url: string } | undefined = info['x-logo']
  return logo === undefined ? '' : ` ${new URL(logo.url).origin}`
}
