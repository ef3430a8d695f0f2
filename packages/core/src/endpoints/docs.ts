// The documentation: the page, the script it needs, and the OpenAPI document; answered as they are, without the envelope.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type { Runtime } from '../call.ts'
import type { DocsSettings } from '../config/settings.ts'
import { methodNotAllowed, unknownPath } from '../errors.ts'
import type { ApiRequest, Asset } from '../http/request.ts'
import { serversOf } from '../openapi/info.ts'
import { plainPage } from '../openapi/plain-page.ts'
import { plainPolicy, redocPage, redocPolicy } from '../openapi/redoc-page.ts'
import { admit } from './admit.ts'

/** What of the documentation a path leads to. */
export type DocsPart = 'page' | 'script' | 'document'

/** An answer that is no envelope: a text with its media type, or the document. */
export interface DocsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | OpenAPIObject | undefined
}

/** Where the document is served besides its configured path: where tools look for it. */
const usualPlace = '/openapi.json'

const script = '/redoc.js'
const scriptPath = ({ page }: DocsSettings): string => `${page}${script}`

/** The part of the documentation at a path, or undefined. */
export function docsPartAt(docs: DocsSettings | null, path: string): DocsPart | undefined {
  if (docs === null) return undefined
  if (path === docs.spec || path === usualPlace) return 'document'
  if (path === docs.page) return 'page'
  // Asked at every request: most paths are told apart by their end, without putting one together.
  return path.endsWith(script) && path === scriptPath(docs) ? 'script' : undefined
}

const allowed = ['GET', 'HEAD', 'OPTIONS']

/** `GET /docs` → the page; by Redoc where the host has it, else a plain one from the same document. */
export async function serveDocs(
  runtime: Runtime,
  request: ApiRequest,
  part: DocsPart,
): Promise<DocsAnswer> {
  const method = request.method.toUpperCase()
  if (method === 'OPTIONS') {
    return { status: 204, headers: { allow: allowed.join(', ') }, body: undefined }
  }
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed)
  const { docs, auth, rateWindows } = runtime.settings
  if (docs === null) throw unknownPath(request.url)
  if (docs.requireAuth) {
    const { strategies } = auth
    const admission = { route: 'docs', windows: rateWindows, strategies, required: true }
    await admit(runtime, request, admission)
  }
  const { type, body, headers } = await partOf(runtime, request, docs, part)
  // What only some may see is kept by nobody else; the script is the same for everybody.
  const caching = docs.requireAuth ? 'private, no-cache' : (headers['cache-control'] ?? 'no-cache')
  return {
    status: 200,
    headers: { 'content-type': type, ...headers, 'cache-control': caching },
    body,
  }
}

interface Part {
  readonly type: string
  readonly body: string | OpenAPIObject
  readonly headers: Readonly<Record<string, string>>
}

async function partOf(
  runtime: Runtime,
  request: ApiRequest,
  docs: DocsSettings,
  part: DocsPart,
): Promise<Part> {
  const mount = request.baseUrl ?? ''
  const document = mounted(runtime, mount)
  const redoc = part === 'document' ? undefined : await request.asset?.('redoc.js')
  switch (part) {
    case 'document':
      return { type: 'application/json; charset=utf-8', body: document, headers: {} }
    case 'page':
      return pageOf(document, docs, mount, redoc)
    case 'script':
      if (redoc === undefined) throw unknownPath(request.url)
      return {
        type: 'text/javascript; charset=utf-8',
        body: redoc.text,
        headers: { 'cache-control': 'public, max-age=3600' },
      }
  }
}

function pageOf(
  document: OpenAPIObject,
  docs: DocsSettings,
  mount: string,
  redoc: Asset | undefined,
): Part {
  const type = 'text/html; charset=utf-8'
  const place = `${mount}${docs.spec}`
  if (redoc === undefined) {
    const headers = { 'content-security-policy': plainPolicy(document) }
    return { type, body: plainPage(document, place), headers }
  }
  const script = `${mount}${scriptPath(docs)}`
  const places = { script, module: redoc.module, document: place }
  const headers = { 'content-security-policy': redocPolicy(document) }
  return { type, body: redocPage(document, places), headers }
}

/** The document as it is true under the prefix the API is mounted at. */
function mounted({ document, settings }: Runtime, mount: string): OpenAPIObject {
  return mount === '' ? document() : { ...document(), servers: serversOf(settings, mount) }
}
