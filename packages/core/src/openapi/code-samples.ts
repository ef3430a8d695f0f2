// `x-codeSamples` of the OpenAPI document: an operation, or the index, as a curl command, which documentation pages such as Redoc show; and the
// sentence that explains `$API` in these commands (`serverVariable`).

import type { JsonValue } from '../lib/json/json-value.ts'
import { stringify } from '../lib/json/stringify.ts'
import { isRequired, unwritable, type WriteMode } from '../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../model/registry/resource.ts'
import type { Route } from '../model/route.ts'
import type { AuthSettings } from '../model/settings/auth/auth-settings.ts'
import type { MethodName } from '../model/settings/config.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import { exampleOf } from './schemas/value-schemas.ts'
import { csrfHeader, type Protection } from './security.ts'

/** A sample as Redoc, Scalar and other pages read it. */
export interface CodeSample {
  readonly lang: string
  readonly source: string
}

/** The parts of an operation from which its sample is made. */
export interface SampledOperation {
  readonly route: Route
  readonly method: MethodName
  readonly settings: Pick<ApiSettings, 'auth' | 'baseUrl' | 'serverUrls' | 'prefix'>
  readonly protection: Protection
}

/**
 * Returns the command; `$API` stands for the address of the server if none is configured (`serverVariable`).
 *
 * ```sh
 * curl "$API/api/books?limit=5"
 * ```
 */
export function codeSamples(operation: SampledOperation): readonly CodeSample[] {
  const { settings, method } = operation
  const server = addressOf(settings)
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${server}${settings.prefix}/${pathOf(operation)}`)}`,
    ...credentialOf(settings.auth, operation.protection),
    ...(method === 'GET' ? [] : csrfOf(settings.auth, operation.protection)),
    ...bodyOf(operation),
  ]
  return [{ lang: 'curl', source: parts.join(' \\\n  ') }]
}

/** Returns the command of the index: `curl $API/api`. */
export const indexSample = (settings: SampledOperation['settings']): readonly CodeSample[] => [
  {
    lang: 'curl',
    source: `curl ${quoted(`${addressOf(settings)}${settings.prefix}`)}`,
  },
]

/** Returns the configured address of the API; undefined if none is configured: the API is then where the document is served. */
const serverOf = ({ serverUrls, baseUrl }: SampledOperation['settings']): string | undefined =>
  [...serverUrls, baseUrl].find((url) => url !== '')

const addressOf = (settings: SampledOperation['settings']): string =>
  serverOf(settings)?.replace(/\/$/, '') ?? '$API'

/** Returns a sentence about the variable `$API`; empty if the samples contain the configured address instead. */
export const serverVariable = (settings: SampledOperation['settings']): string =>
  serverOf(settings) === undefined
    ? ' In the examples, `$API` stands for the address of the server, such as `http://127.0.0.1:3000`.'
    : ''

function pathOf({ route, method }: SampledOperation): string {
  const { kind, resource } = route
  const list = resource.paths[0] ?? resource.endpoint
  switch (kind) {
    case 'collection':
      return method === 'GET' ? `${list}?limit=5` : `${list}${filterOf(resource, method)}`
    case 'item':
      return `${list}/${keyOf(resource)}`
    case 'restore':
      return `${list}/${keyOf(resource)}/restore`
    case 'related':
      return `${list}/${keyOf(resource)}/${route.relation.segment}`
  }
}

/** Puts a URL in double quotes if a shell would interpret its characters, such as `?` and `&`. */
const quoted = (url: string): string => (/^[\w$:/.,%~-]+$/.test(url) ? url : `"${url}"`)

/** Returns the filter that a bulk PATCH or DELETE requires; empty for POST, and for a resource without a primary key. */
function filterOf(resource: Resource, method: MethodName): string {
  const [column] = resource.primaryKey
  return method === 'POST' || column === undefined
    ? ''
    : `?${column.name}__eq=${encoded(sampleOf(column))}&max_affected=1`
}

const keyOf = ({ primaryKey }: Resource): string =>
  primaryKey.map((column) => encoded(sampleOf(column))).join(',')

/** Percent-encodes a value for a URL inside double quotes of a shell. */
const encoded = (value: JsonValue): string =>
  encodeURIComponent(String(value)).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sampleOf = (column: NamedColumn): JsonValue => {
  const { minLength = 0, maxLength } = column.definition
  return (exampleOf(column) ?? 'text'.padEnd(minLength, 'text').slice(0, maxLength)) as JsonValue
}

/** Returns the credential of the first accepted strategy, if the operation requires authentication. */
function credentialOf(
  { customScheme }: Pick<AuthSettings, 'customScheme'>,
  { strategies, required }: Protection,
): readonly string[] {
  if (!required) return []
  switch (strategies[0]) {
    case 'jwt':
      return ['-H "Authorization: Bearer $TOKEN"']
    case 'basic':
      return ['-u "$USER:$PASSWORD"']
    case 'api_key':
      return ['-H "Authorization: Api-Key $KEY"']
    case 'custom':
      if (customScheme?.in === 'bearer') return ['-H "Authorization: Bearer $TOKEN"']
      if (customScheme?.in === 'cookie') return [`-b "${customScheme.name}=$COOKIE"`]
      return customScheme === undefined ? [] : [`-H "${customScheme.name}: $KEY"`]
    default:
      return []
  }
}

/** Returns the CSRF header if the sample authenticates with the cookie of the custom strategy. */
function csrfOf(auth: AuthSettings, protection: Protection): readonly string[] {
  const name = csrfHeader(auth, protection)
  const hasCookie = protection.required && protection.strategies[0] === 'custom'
  return name === undefined || !hasCookie ? [] : [`-H "${name}: $CSRF_TOKEN"`]
}

const modes: Partial<Readonly<Record<MethodName, WriteMode>>> = {
  POST: 'create',
  PATCH: 'update',
  PUT: 'replace',
}

/** Returns a body with the fields that a new record requires, or with one field that can be changed. */
function bodyOf({ route, method }: SampledOperation): readonly string[] {
  const mode = modes[method]
  if (mode === undefined || route.kind === 'restore') return []
  const { resource } = route
  const writable = [...resource.bodyColumns.values()].filter(
    (column) => unwritable(resource, column, mode) === undefined,
  )
  const required = writable.filter((column) => isRequired(resource, column, mode))
  const shown = required.length > 0 ? required : writable.slice(0, 1)
  const body = Object.fromEntries(shown.map((column) => [column.name, sampleOf(column)]))
  return [`--json '${stringify(body).replaceAll("'", "'\\''")}'`]
}
