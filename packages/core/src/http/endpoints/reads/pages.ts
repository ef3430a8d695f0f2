// The HTML pages for browsers, made from the JSON bodies of responses. `page-choice.ts` decides which responses have one.

import { anonymous, type Caller } from '../../../access/roles/roles.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { pagePolicy } from '../../pages/content-policy.ts'
import { errorPage } from '../../pages/error-page.ts'
import type { PageFrame } from '../../pages/frame.ts'
import { indexPage, isServiceIndex } from '../../pages/index-page.ts'
import { jsonPage } from '../../pages/json-section.ts'
import { type PageContent, recordsPage } from '../../pages/records-page.ts'

/** A page as HTML, and its headers. */
export interface HtmlPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** Makes the page of a list, relation or record. */
export function pageOfRecords(
  call: Call,
  body: JsonValue,
  result: Result,
  isFinal: boolean,
): Promise<HtmlPage> {
  const { runtime, request, caller, resource, base, origin, path, query } = call
  const url = `${origin}${path}${query === '' ? '' : `?${query}`}`
  const frame = frameOf(runtime.settings, request, caller)
  return page(recordsPage({ frame, resource, base, url }, pageContent(body, result, isFinal)))
}

/** Makes the page of the index. */
export function pageOfIndex(
  settings: ApiSettings,
  request: ApiRequest,
  body: JsonValue,
  result: Result,
  isFinal: boolean,
): Promise<HtmlPage> {
  const { value } = pageContent(body, result, isFinal)
  const frame = frameOf(settings, request, anonymous)
  // The final callback may have replaced the index by something else.
  if (!isServiceIndex(value)) return page(jsonPage(frame, body))
  const { documentation } = value
  return page(indexPage({ ...frame, documentation }, value, settings.description, body))
}

/** Makes the page of an error. */
export const pageOfError = (
  settings: ApiSettings,
  request: ApiRequest,
  status: number,
  body: JsonValue,
): Promise<HtmlPage> => page(errorPage(frameOf(settings, request, anonymous), status, body))

/** Returns the links in the header of a page; that of the documentation only if the caller may read it. */
function frameOf(
  { title, baseUrl, prefix, docs }: ApiSettings,
  request: ApiRequest,
  { authenticated }: Pick<Caller, 'authenticated'>,
): PageFrame {
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const readable = docs !== null && (!docs.requireAuth || authenticated)
  return {
    title,
    index: `${origin}${prefix}`,
    documentation: readable ? `${origin}${docs.page}` : null,
  }
}

/** Returns the content of a page: from the result, or from the body if there is a final callback, which may have changed it. */
function pageContent(body: JsonValue, result: Result, isFinal: boolean): PageContent {
  const { value, total, next = null, previous = null } = result
  if (!isFinal) return { body, value, total, next, previous }
  const none = { total: undefined, next: null, previous: null }
  if (typeof body !== 'object' || body === null || !('value' in body)) {
    return { body, value: body, ...none }
  }
  const made = body as Readonly<Record<string, JsonValue>>
  return {
    body,
    value: made.value ?? null,
    total: typeof made.total_count === 'number' ? made.total_count : undefined,
    next: linkIn(made.next_url, next),
    previous: linkIn(made.previous_url, previous),
  }
}

/** Returns the result's link if the final callback kept it, otherwise null: a page shows no link that a callback made. */
const linkIn = (made: JsonValue | undefined, own: string | null): string | null =>
  made === own ? own : null

/** Adds the headers of a page. Browsers revalidate it each time. It has no ETag, because the ETag of a record identifies its JSON. */
const page = async (html: string): Promise<HtmlPage> => ({
  html,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': await pagePolicy(),
  },
})
