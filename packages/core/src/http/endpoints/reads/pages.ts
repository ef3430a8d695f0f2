// The pages for browsers: which responses have one, and how it is built from the JSON body.

import type { Caller } from '../../../access/roles/roles.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import { prefersPage } from '../../accept.ts'
import type { Call, Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { pagePolicy } from '../../pages/content-policy.ts'
import { errorPage } from '../../pages/error-page.ts'
import type { PageFrame } from '../../pages/frame.ts'
import { indexPage, isServiceIndex } from '../../pages/index-page.ts'
import { jsonPage } from '../../pages/json-section.ts'
import { type PageContent, recordsPage } from '../../pages/records-page.ts'

/** Makes the page of a successful response. */
export type MakePage = (content: PageContent) => string

/** Whether a request gets a page if `Accept` prefers HTML. Responses then vary by `Accept`. */
export const hasPages = ({ htmlPages }: ApiSettings, { method }: ApiRequest): boolean =>
  htmlPages && /^(?:get|head)$/i.test(method)

/**
 * Returns the function that makes the page of a list, relation or record; undefined if the client prefers JSON. Call it once `call`
 * has its caller.
 */
export function recordsPageFor(call: Call, { kind }: Route): MakePage | undefined {
  if (kind === 'restore' || !prefersPage(call.request)) return undefined
  return (content) => {
    const { runtime, request, caller, resource, base, origin, path, query } = call
    const url = `${origin}${path}${query === '' ? '' : `?${query}`}`
    const frame = frameOf(runtime, request, caller.authenticated)
    return recordsPage({ frame, resource, base, url }, content)
  }
}

/** Returns the function that makes the page of the index; undefined if the client prefers JSON. */
export function indexPageFor(runtime: Runtime, request: ApiRequest): MakePage | undefined {
  if (!prefersPage(request)) return undefined
  const { info } = runtime.settings
  return ({ body, value }) => {
    // The final callback may have replaced the index by something else.
    if (!isServiceIndex(value)) return jsonPage(frameOf(runtime, request, false), body)
    const frame = { ...frameOf(runtime, request, false), documentation: value.documentation }
    return indexPage(frame, value, info.description, body)
  }
}

/** Returns the function that makes an error page from the error's body; undefined if no pages are served or the client prefers JSON. */
export const errorPageFor = (
  runtime: Runtime,
  request: ApiRequest,
): ((status: number, body: JsonValue) => string) | undefined =>
  hasPages(runtime.settings, request) && prefersPage(request)
    ? (status, body) => errorPage(frameOf(runtime, request, false), status, body)
    : undefined

function frameOf(
  { settings }: Runtime,
  request: ApiRequest,
  authenticated: Caller['authenticated'],
): PageFrame {
  const { title, baseUrl, prefix, docs } = settings
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const readable = docs !== null && (!docs.requireAuth || authenticated)
  return {
    title,
    index: `${origin}${prefix}`,
    documentation: readable ? `${origin}${docs.page}` : null,
  }
}

/** Returns the content of a page: from the result, or from the body if there is a final callback, which may have changed it. */
export function pageContent(body: JsonValue, result: Result, isFinal: boolean): PageContent {
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

/** Returns the headers of a page. Browsers revalidate it each time. It has no ETag, because the ETag of a record identifies its JSON. */
export const pageHeaders = async (): Promise<Readonly<Record<string, string>>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': await pagePolicy(),
})
