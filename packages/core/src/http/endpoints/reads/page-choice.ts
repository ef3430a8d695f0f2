// Which responses have an HTML page for browsers, by the header `Accept`. The functions that are returned make the page of the finished body.
// The code that makes pages is loaded with the first page.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { lazyModule } from '../../../lib/lazy-module.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import { prefersPage } from '../../accept.ts'
import type { Call, LatestCall } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import type { HtmlPage } from './pages.ts'

const pages = lazyModule(() => import('./pages.ts'))

/**
 * Makes the page of a successful response from its body. If there is a final callback (`isFinal`), the page shows what the body has,
 * because the callback may have changed it.
 */
export type MakePage = (body: JsonValue, result: Result, isFinal: boolean) => Promise<HtmlPage>

/** Makes the page of an error from its body. */
export type MakeErrorPage = (status: number, body: JsonValue) => Promise<HtmlPage>

/** Whether a request gets a page if `Accept` prefers HTML. Responses then vary by `Accept`. */
export const hasPages = ({ htmlPages }: ApiSettings, { method }: ApiRequest): boolean =>
  htmlPages && /^(?:get|head)$/i.test(method)

/**
 * Returns the function that makes the page of a list, relation or record; undefined if the client prefers JSON. The page has what the
 * caller of the latest call may see.
 */
export const recordsPageFor = (
  latest: LatestCall,
  { kind }: Route,
  request: ApiRequest,
): MakePage | undefined =>
  kind === 'restore' || !prefersPage(request)
    ? undefined
    : async (...response) => (await pages()).pageOfRecords(routedCall(latest), ...response)

function routedCall({ call }: LatestCall): Call {
  if (call === undefined) throw new Error('A page of records needs a call.')
  return call
}

/** Returns the function that makes the page of the index; undefined if the client prefers JSON. */
export const indexPageFor = (settings: ApiSettings, request: ApiRequest): MakePage | undefined =>
  prefersPage(request)
    ? async (...response) => (await pages()).pageOfIndex(settings, request, ...response)
    : undefined

/** Returns the function that makes an error page from the error's body; undefined if no pages are served or the client prefers JSON. */
export const errorPageFor = (
  settings: ApiSettings,
  request: ApiRequest,
): MakeErrorPage | undefined =>
  hasPages(settings, request) && prefersPage(request)
    ? async (...error) => (await pages()).pageOfError(settings, request, ...error)
    : undefined
