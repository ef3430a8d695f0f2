// The HTML page of a list, a relation or a record: the rows as a table, with links to records and relations.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyUrl } from '../../query/serialize/links.ts'
import { framedPage, type PageFrame } from './frame.ts'
import { escaped, prose } from './html.ts'
import { jsonSection } from './json-section.ts'

/** The JSON body of a response, and its parts. */
export interface PageContent {
  readonly body: JsonValue
  readonly value: JsonValue
  /** The number of matching records; undefined if they were not counted. */
  readonly total: number | undefined
  readonly next: string | null
  readonly previous: string | null
}

/** The request and resource that the page shows. */
export interface RecordsView {
  readonly frame: PageFrame
  /** The resource of the records, as the caller sees it. */
  readonly resource: Resource
  /** The beginning of URLs: origin, mount prefix and API prefix. */
  readonly base: string
  /** Path and query of the request. */
  readonly url: string
}

type JsonObject = { readonly [key: string]: JsonValue }

/** Returns the page as HTML. If a callback made `value` anything but an object or a list of objects, the page shows only the JSON. */
export function recordsPage(view: RecordsView, content: PageContent): string {
  const { resource, frame, url } = view
  const { value } = content
  const rows = rowsOf(value)
  const isList = Array.isArray(value)
  const description = isList ? resource.settings.description : undefined
  return framedPage(
    frame,
    resource.name,
    `<h1>${escaped(resource.name)} <small>${isList ? countOf(content) : ''}</small></h1>
${description === undefined ? '' : prose(description)}
<p class="meta"><code>GET ${escaped(url)}</code></p>
${rows === undefined ? '' : isList ? listTable(view, rows) : recordTable(view, rows[0] ?? {})}
${pageLinks(content)}
${jsonSection(content.body)}`,
  )
}

/** Returns the objects of a list, or a single object as a list; undefined for any other value. */
function rowsOf(value: JsonValue): readonly JsonObject[] | undefined {
  const rows = Array.isArray(value) ? value : [value]
  return rows.every(isObject) ? (rows as readonly JsonObject[]) : undefined
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function countOf({ total, value }: PageContent): string {
  if (total === undefined) return ''
  const shown = Array.isArray(value) ? value.length : 1
  return shown === total ? String(total) : `${shown} of ${total}`
}

function listTable(view: RecordsView, rows: readonly JsonObject[]): string {
  if (rows.length === 0) return '<p class="meta">There are no records.</p>'
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const alignments = new Map(names.map((name) => [name, alignment(view, name, rows)]))
  const head = names.map((name) => `<th${alignments.get(name)}>${escaped(name)}</th>`)
  const lines = rows.map((row) => {
    const record = recordUrl(view, row)
    const cells = names.map(
      (name) =>
        `<td${alignments.get(name)}><div>${cellOf(view, name, row[name], record, shortenedText)}</div></td>`,
    )
    return `<tr>${cells.join('')}</tr>`
  })
  return `<div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>
${lines.join('\n')}
</tbody></table></div>`
}

function recordTable(view: RecordsView, row: JsonObject): string {
  const record = recordUrl(view, row)
  const lines = Object.keys(row).map(
    (name) =>
      `<tr><th>${escaped(name)}</th><td><div>${cellOf(view, name, row[name], record, escaped)}</div></td></tr>`,
  )
  return `<div class="wide one"><table><tbody>\n${lines.join('\n')}\n</tbody></table></div>`
}

/** Numbers are aligned to the right: columns by their type, aggregates by their values. */
function alignment({ resource }: RecordsView, name: string, rows: readonly JsonObject[]): string {
  const column = resource.columns.get(name) ?? resource.aggregates.get(name)
  const isNumber =
    column === undefined
      ? rows.some((row) => isNumeric(row[name])) && rows.every((row) => isNumeric(row[name] ?? 0))
      : columnTypes[column.type].number !== false
  return isNumber ? ' class="number"' : ''
}

/** Whether a value is a number, or a string of digits, as decimals are in JSON. */
const isNumeric = (value: JsonValue | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))

/** Returns the URL of a record; undefined if the row lacks a column of the primary key, or the record has no URL. */
function recordUrl(view: RecordsView, row: JsonObject): string | undefined {
  const { resource, base } = view
  const { primaryKey, paths } = resource
  if (primaryKey.length === 0 || paths.length === 0 || !resource.settings.methods.has('GET')) {
    return undefined
  }
  const key = primaryKey.map(({ name }) => row[name])
  const isWhole = key.every((value) => typeof value === 'string' || typeof value === 'number')
  if (!isWhole) return undefined
  const url = keyUrl(resource, key as (string | number)[], base)
  return isOwnUrl(view, url) ? url : undefined
}

/** Returns the content of a cell as HTML. `record` is the URL of the row's record; `written` escapes a text, and may shorten it. */
function cellOf(
  view: RecordsView,
  name: string,
  value: JsonValue | undefined,
  record: string | undefined,
  written: (text: string) => string,
): string {
  if (value === undefined) return ''
  if (value === null) return '<span class="null">null</span>'
  if (typeof value === 'object') return `<code>${written(stringify(value))}</code>`
  const { resource } = view
  if (typeof value === 'string' && resource.relations.has(name) && isOwnUrl(view, value)) {
    return linkTo(value, value.slice(view.base.length))
  }
  return record !== undefined && resource.primaryKey.some((column) => column.name === name)
    ? linkTo(record, String(value))
    : written(String(value))
}

/** The most characters of a text that a cell of a list shows; the page of the record shows all of it. */
const mostCharacters = 160

/** Returns the first three lines of a text, with at most 160 characters, as HTML; if they are not all, says how long the text is. */
function shortenedText(text: string): string {
  const shown = text.split('\n', 3).join('\n').slice(0, mostCharacters)
  if (shown.length === text.length) return escaped(text)
  // A character of two units is not cut in the middle.
  const whole = shown.replace(/[\uD800-\uDBFF]$/, '')
  let length = 0
  for (const _ of text) length += 1
  return `${escaped(whole)}… <small>(${length} characters)</small>`
}

/** Segments that no URL of the API has: a record whose only key column contains one of them is served in lists alone. */
const unaddressed: ReadonlySet<string> = new Set(['', '.', '..'])

/** Whether a string is a URL of this API. A dump or return callback can put any other string into a relation's member. */
const isOwnUrl = ({ base }: RecordsView, text: string): boolean =>
  text.startsWith(`${base}/`) &&
  !text
    .slice(base.length + 1)
    .split('/')
    .some((segment) => unaddressed.has(segment))

const linkTo = (url: string, text: string): string =>
  `<a href="${escaped(url)}">${escaped(text)}</a>`

function pageLinks({ next, previous }: PageContent): string {
  const links = [
    ...(previous === null ? [] : [`<a rel="prev" href="${escaped(previous)}">← Previous page</a>`]),
    ...(next === null ? [] : [`<a rel="next" href="${escaped(next)}">Next page →</a>`]),
  ]
  return links.length === 0 ? '' : `<p class="pages">${links.join('\n')}</p>`
}
