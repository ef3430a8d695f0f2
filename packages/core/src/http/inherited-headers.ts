// Which headers of a request the requests have that are made inside it: the operations of a batch, and the requests of hooks.

import { type ApiRequest, type RequestHeader, requestHeaders } from '../model/request.ts'
import type { AuthSettings } from '../model/settings/auth/auth-settings.ts'

type Headers = NonNullable<ApiRequest['headers']>

/**
 * Which requests inherit each header that the service reads: operations of a batch, or these and the requests of hooks (`both`). Nobody
 * inherits headers about one request alone: its body, conditions, repetition and the form of its response. Operations have the credentials
 * of their batch; the caller of a request of a hook is given.
 */
const inheritedBy: Readonly<Record<RequestHeader, 'nobody' | 'operations' | 'both'>> = {
  accept: 'nobody',
  'accept-encoding': 'operations',
  authorization: 'operations',
  'content-encoding': 'nobody',
  'content-length': 'nobody',
  'content-type': 'nobody',
  cookie: 'operations',
  host: 'both',
  'idempotency-key': 'nobody',
  'if-match': 'nobody',
  'if-none-match': 'nobody',
  origin: 'both',
  prefer: 'nobody',
  'sec-fetch-site': 'both',
  'x-forwarded-for': 'both',
  'x-http-method-override': 'nobody',
  'x-request-id': 'both',
  'x-write-position': 'operations',
}

/** Headers about one request alone that the service does not read, such as `if-modified-since`. */
const ofOneMessage = /^(?:content-|if-|range$|transfer-encoding$)/

/** Returns the headers of a request without those in `left`. */
const without = ({ headers }: Pick<ApiRequest, 'headers'>, left: ReadonlySet<string>): Headers =>
  Object.fromEntries(
    Object.entries(headers ?? {}).filter(([name]) => !left.has(name) && !ofOneMessage.test(name)),
  )

const ofBatchAlone = new Set<string>(
  requestHeaders.filter((name) => inheritedBy[name] === 'nobody'),
)

/** Returns the headers of a batch that apply to its operations. */
export const headersForOperations = (batch: ApiRequest): Headers => without(batch, ofBatchAlone)

const ofCallerAlone = new Set<string>(requestHeaders.filter((name) => inheritedBy[name] !== 'both'))

/** Returns the headers of a request that requests of its hooks have, without those of the custom strategy. */
export const headersForHooks = (request: ApiRequest, { customScheme }: AuthSettings): Headers => {
  const credential = credentialHeader(customScheme)
  const left =
    credential === undefined ? ofCallerAlone : new Set([...ofCallerAlone, credential.toLowerCase()])
  return without(request, left)
}

/** Returns the header that the custom strategy reads, also beside a cookie (`csrf`); undefined if API_CUSTOM_AUTH_SCHEME names none. */
function credentialHeader(scheme: AuthSettings['customScheme']): string | undefined {
  if (scheme?.in === 'cookie') return scheme.csrf
  return scheme?.in === 'header' ? scheme.name : undefined
}
