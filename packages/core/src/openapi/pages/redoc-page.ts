// The documentation page with Redoc, a viewer of OpenAPI documents that the host may install: loads script and document from the same host;
// its Content-Security-Policy allows nothing else.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { contentPolicy } from '../../http/pages/content-policy.ts'
import { escaped, htmlPage } from '../../http/pages/html.ts'

/** The URLs that the page loads. */
export interface RedocPlaces {
  readonly script: string
  /** Redoc 3 is an ECMAScript module, earlier versions are not. */
  readonly module: boolean
  readonly document: string
}

/** Returns a page that Redoc renders. */
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

/** Returns the Content-Security-Policy: the same host and the configured logo. Redoc needs inline styles, and a worker for its search. */
export const redocPolicy = (document: OpenAPIObject): string =>
  contentPolicy({
    'script-src': "'self'",
    'style-src': "'unsafe-inline'",
    'img-src': `'self' data:${logoOrigin(document)}`,
    'font-src': "'self' data:",
    'connect-src': "'self'",
    'worker-src': 'blob:',
  })

function logoOrigin({ info }: OpenAPIObject): string {
  const logo: { readonly url: string } | undefined = info['x-logo']
  return logo === undefined || !URL.canParse(logo.url) ? '' : ` ${new URL(logo.url).origin}`
}
