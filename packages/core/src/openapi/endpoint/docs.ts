// The documentation endpoints: the page, its script and the OpenAPI document. They are sent without the envelope.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { unknownPath } from '../../errors.ts'
import type { Runtime } from '../../http/call/call.ts'
import type { Documentation } from '../../http/call/documents.ts'
import {
  createRepresentation,
  type Representation,
} from '../../http/endpoints/reads/representation.ts'
import { admit } from '../../http/endpoints/routing/admit.ts'
import type { DocsPart } from '../../http/endpoints/routing/docs-part.ts'
import { optionsResult, readMethods } from '../../http/endpoints/routing/own-methods.ts'
import { refuseParameters } from '../../http/endpoints/routing/refuse-parameters.ts'
import { matchesIfNoneMatch } from '../../http/etag.ts'
import { pagePolicy } from '../../http/pages/content-policy.ts'
import { splitUrl } from '../../http/route-table.ts'
import { type ApiRequest, type Asset, wholeHeader } from '../../model/request.ts'
import type { ApiSettings, DocsSettings } from '../../model/settings/settings.ts'
import { documentTextSteps } from '../document-text.ts'
import { operationListSteps } from '../pages/operation-list.ts'
import { redocPage, redocPolicy } from '../pages/redoc-page.ts'

/** A response without the envelope. */
export interface DocsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The document as an object, unless `wantsText`; undefined for OPTIONS and 304. */
  readonly body: string | OpenAPIObject | undefined
  /** The compressed body. */
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/**
 * `GET /docs` → the page: Redoc if the host has that package installed, else a list of the operations. `wantsText`: the body is needed as
 * text. Calls `identified` if the documentation needs authentication and the caller has it.
 */
export async function serveDocs(
  { settings, signIn, documentation }: Pick<Runtime, 'settings' | 'signIn' | 'documentation'>,
  request: ApiRequest,
  part: DocsPart,
  wantsText: boolean,
  identified: () => void,
): Promise<DocsAnswer> {
  const options = optionsResult(request, readMethods)
  if (options !== undefined) {
    return { status: options.status, headers: options.headers, body: undefined }
  }
  const { docs, auth, rateWindows } = settings
  if (docs === null) throw unknownPath(request.url)
  if (docs.requireAuth) {
    const { strategies } = auth
    const admission = { route: 'docs', windows: rateWindows, strategies, required: true }
    await admit(signIn, request, admission)
    identified()
  }
  const { type, representation, object, headers } = await partOf(
    documentation,
    settings,
    request,
    docs,
    part,
  )
  const bytes = wantsText ? await compressedFor(request, representation) : undefined
  const { text, tag, compressedTag } = representation
  const common = {
    ...headers,
    'cache-control': headers['cache-control'] ?? 'no-cache',
    etag: bytes === undefined ? tag : compressedTag,
    vary: 'accept-encoding',
  }
  if (matchesIfNoneMatch(request, common.etag)) {
    return { status: 304, headers: common, body: undefined }
  }
  return {
    status: 200,
    headers: {
      'content-type': type,
      ...common,
      ...(bytes === undefined ? {} : { 'content-encoding': 'gzip' }),
    },
    body: wantsText ? text : (object ?? text),
    ...(bytes === undefined ? {} : { bytes }),
  }
}

/** Returns the compressed text if both client and adapter accept it. */
const compressedFor = async (
  request: ApiRequest,
  representation: Representation,
): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  request.takesBytes === true && takesGzip(request) ? representation.compressed() : undefined

/** Whether `Accept-Encoding` lists gzip, or anything, with a weight above 0. */
function takesGzip(request: ApiRequest): boolean {
  // `gzip;q=0.8, br`
  const listed = (wholeHeader(request, 'accept-encoding') ?? '').toLowerCase().split(',')
  const weights = listed.map((coding) => /^\s*([^\s;]+)(?:\s*;\s*q=([\d.]+))?\s*$/.exec(coding))
  const named = weights.find((weight) => weight?.[1] === 'gzip' || weight?.[1] === 'x-gzip')
  const found = named ?? weights.find((weight) => weight?.[1] === '*')
  return found !== undefined && found !== null && Number(found[2] ?? 1) > 0
}

/** The body of a documentation endpoint, before the client's Accept-Encoding and If-None-Match are considered. */
interface Part {
  /** The media type. */
  readonly type: string
  readonly representation: Representation
  /** The document as an object; absent for the page and the script. */
  readonly object?: OpenAPIObject
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the page, the script or the document; throws 404 for the script if the host has not installed Redoc. */
async function partOf(
  documentation: Documentation,
  settings: ApiSettings,
  request: ApiRequest,
  docs: DocsSettings,
  part: DocsPart,
): Promise<Part> {
  const redoc = part === 'document' ? undefined : await request.asset?.('redoc.js')
  if (part === 'script') {
    if (redoc === undefined) throw unknownPath(request.url)
    return {
      type: 'text/javascript; charset=utf-8',
      representation: documentation.script(redoc.text),
      headers: { 'cache-control': 'public, max-age=3600' },
    }
  }
  if (part === 'page') return pageOf(documentation, docs, redoc)
  // The page and its script ignore parameters: links to pages often carry some that are not for the server, such as `utm_source`.
  refuseParameters(request, settings.additionalQueryParams, ' The document has no parameters.')
  const document = await documentation.built()
  // Relative to the document, so that it has the same text at every mount.
  const server = isElsewhere(request, settings)
    ? relativeUrl(splitUrl(request.url).path, '/')
    : undefined
  const served = server === undefined ? document : { ...document, servers: [{ url: server }] }
  return {
    type: 'application/json; charset=utf-8',
    representation: await documentation.text(`document ${server ?? ''}`, () =>
      documentTextSteps(served),
    ),
    object: served,
    headers: {},
  }
}

/** Whether the API is mounted at a path that the servers of the document lack. Configured servers hold for every mount. */
const isElsewhere = ({ baseUrl = '' }: ApiRequest, { serverUrls }: ApiSettings): boolean =>
  baseUrl !== '' && serverUrls.length === 0

/** Returns the URL of a path of the API, relative to another one: `../docs/api.json`, as seen from `/help/page`. */
function relativeUrl(from: string, to: string): string {
  const folders = from.split('/').slice(1, -1)
  const parts = to.split('/').slice(1)
  const differs = folders.findIndex((name, i) => i === parts.length - 1 || name !== parts[i])
  const shared = differs === -1 ? folders.length : differs
  return `${'../'.repeat(folders.length - shared) || './'}${parts.slice(shared).join('/')}`
}

/** Returns the page: Redoc if the host has its script (`redoc`), else the list of operations. */
async function pageOf(
  documentation: Documentation,
  docs: DocsSettings,
  redoc: Asset | undefined,
): Promise<Part> {
  const type = 'text/html; charset=utf-8'
  const document = await documentation.built()
  const spec = relativeUrl(docs.page, docs.spec)
  if (redoc === undefined) {
    return {
      type,
      representation: await documentation.text('page', () => operationListSteps(document, spec)),
      headers: { 'content-security-policy': await pagePolicy() },
    }
  }
  const script = relativeUrl(docs.page, docs.script)
  const places = { script, module: redoc.module, document: spec }
  return {
    type,
    representation: createRepresentation(redocPage(document, places)),
    headers: { 'content-security-policy': redocPolicy(document) },
  }
}
