// The documentation endpoints: the page, its script and the OpenAPI document. They are sent without the envelope.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type { Runtime } from '../call.ts'
import type { DocsSettings } from '../config/settings.ts'
import { methodNotAllowed, unknownPath } from '../errors.ts'
import type { ApiRequest, Asset } from '../http/request.ts'
import { serversOf } from '../openapi/info.ts'
import { plainPage } from '../openapi/plain-page.ts'
import { plainPolicy, redocPage, redocPolicy } from '../openapi/redoc-page.ts'
import { admit } from './admit.ts'

export type DocsPart = 'page' | 'script' | 'document'

/** A response without the envelope; the document is still an object. */
export interface DocsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | OpenAPIObject | undefined
}

/** The document is also served here, where many tools look for it. */
const defaultSpecPath = '/openapi.json'

const script = '/redoc.js'
const scriptPath = ({ page }: DocsSettings): string => `${page}${script}`

/** The part of the documentation at a path, or undefined. */
export function docsPartAt(docs: DocsSettings | null, path: string): DocsPart | undefined {
  if (docs === null) return undefined
  if (path === docs.spec || path === defaultSpecPath) return 'document'
  if (path === docs.page) return 'page'
  // Runs on every request; comparing the end first avoids building the script's path for most of them.
  return path.endsWith(script) && path === scriptPath(docs) ? 'script' : undefined
}

const allowed = ['GET', 'HEAD', 'OPTIONS']

/** `GET /docs` → the page: Redoc if the host has that package installed, else a plain page. */
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
  // Shared caches must not store documentation that needs authentication.
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
  const spec = `${mount}${docs.spec}`
  if (redoc === undefined) {
    const headers = { 'content-security-policy': plainPolicy(document) }
    return { type, body: plainPage(document, spec), headers }
  }
  const script = `${mount}${scriptPath(docs)}`
  const places = { script, module: redoc.module, document: spec }
  const headers = { 'content-security-policy': redocPolicy(document) }
  return { type, body: redocPage(document, places), headers }
}

/** The document, with the mount path of the API in `servers`. */
function mounted({ document, settings }: Runtime, mount: string): OpenAPIObject {
  return mount === '' ? document() : { ...document(), servers: serversOf(settings, mount) }
}
