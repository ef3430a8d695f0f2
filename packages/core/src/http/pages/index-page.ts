// The HTML page of the index: example requests as links, the resources with a search box if they are many, and the documentation.
// Its types describe the JSON body.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { framedPage, type PageFrame } from './frame.ts'
import { escaped, prose } from './html.ts'
import { jsonSection } from './json-section.ts'
import { pageScript } from './page-script.ts'

/** The JSON body of the index. */
export interface ServiceIndex {
  readonly title: string
  readonly version: string
  /** URL of the documentation page; null if there is none, or the caller may not read it. */
  readonly documentation: string | null
  /** URL of the OpenAPI document; null if there is none, or the caller may not read it. */
  readonly openapi: string | null
  readonly resources: readonly ListedResource[]
  readonly examples: readonly ExampleRequest[]
}

/** A resource that the caller may list. */
export interface ListedResource {
  readonly name: string
  /** URL of the list. */
  readonly url: string
  readonly description: string | null
  /** How many records there are, in words, if the model says so. */
  readonly size: string | null
  /** The methods that the caller may use on the list or its records. */
  readonly methods: readonly string[]
}

/** A request that the page offers as a link. */
export interface ExampleRequest {
  readonly description: string
  readonly url: string
}

/** Whether a value has the lists of a `ServiceIndex`; a callback may have replaced the index. */
export const isServiceIndex = (value: unknown): value is ServiceIndex =>
  isList(value, 'resources') && isList(value, 'examples')

const isList = (value: unknown, member: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Readonly<Record<string, unknown>>)[member])

/** Returns the page as HTML; `description` is API_DESCRIPTION. */
export function indexPage(
  frame: PageFrame,
  index: ServiceIndex,
  description: string | undefined,
  body: JsonValue,
): string {
  const { title, version, openapi, resources, examples } = index
  return framedPage(
    frame,
    title,
    `<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
${description === undefined ? '' : prose(description)}
${openapi === null ? '' : `<p class="meta"><a href="${escaped(openapi)}">OpenAPI document</a></p>`}
${examples.length === 0 ? '' : `<h2>Worth trying</h2>\n<ol>\n${examples.map(exampleLine).join('\n')}\n</ol>`}
<h2>What is served</h2>
${resources.length === 0 ? nothing : resourceTable(resources)}
${jsonSection(body)}`,
  )
}

const nothing =
  '<p class="meta">Nothing that a request with these credentials may list. A browser sends none unless they are in a cookie or asked for.</p>'

function resourceTable(resources: readonly ListedResource[]): string {
  const hasSizes = resources.some(({ size }) => size !== null)
  const lines = resources.map(
    ({ name, url, description, size, methods }) =>
      `<tr><th><a href="${escaped(url)}">${escaped(name)}</a></th><td><div>${escaped(description ?? '')}</div></td>${hasSizes ? `<td class="meta">${escaped(size ?? '')}</td>` : ''}<td>${methods
        .map((method) => `<span class="method">${escaped(method)}</span>`)
        .join('')}</td></tr>`,
  )
  const table = `<div class="wide"><table><tbody>\n${lines.join('\n')}\n</tbody></table></div>`
  return resources.length < searchedFrom
    ? table
    : `<input type="search" placeholder="Search ${resources.length} resources" aria-label="Search" hidden>
${table}
<script>${pageScript}</script>`
}

/** Number of resources from which the page has a search box. */
const searchedFrom = 15

const exampleLine = ({ description, url }: ExampleRequest): string =>
  `<li>${escaped(description)}<br><code><a href="${escaped(url)}">${escaped(url)}</a></code></li>`
