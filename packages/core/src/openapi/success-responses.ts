// Success responses as components: the page, the record or the outcome of a write, one of each kind per resource.

import type {
  HeaderObject,
  HeadersObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { MethodName } from '../config/config.ts'
import type { ApiSettings } from '../config/settings.ts'
import type { Resource } from '../registry/resource.ts'
import { type Answer, type Share, successSchema } from './envelope-schemas.ts'
import { type FailureShape, phrases } from './problems.ts'
import type { Records } from './record-schemas.ts'
import { type Schema, shapedByCallback } from './schema.ts'

/** A success response before it is turned into a component. */
export interface Success {
  /** The resource of the records in it. */
  readonly target: Resource
  readonly method: MethodName
  readonly answer: Answer
  readonly headers: HeadersObject
  /** The suffix of its name: `List` in `BookList`. */
  readonly outcome: string
}

/** The context in which responses are built. */
interface Context extends Records {
  readonly settings: ApiSettings
}

/**
 * The response, shared by the collection and the relations to the resource. All resources share a response without records,
 * unless a callback changes it.
 */
export function successRef(context: Context, success: Success): ReferenceObject {
  const { target, method, answer, outcome } = success
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const isEmpty = 'type' in answer.value && answer.value.type === 'null'
  const isShared = isEmpty && hooks.return === undefined && hooks.final === undefined
  const owner = isShared ? ownerOf(context.settings, target) : target.name
  const { components } = context
  if (components.isBrief && hooks.return === undefined && hooks.final === undefined) {
    return briefRef(context, success, owner)
  }
  const name = `${owner}${outcome}`
  // The callbacks belong to the method.
  return components.response(`${method} ${answer.status} ${name}`, name, () =>
    successResponse(context, success),
  )
}

/** One response for all writes that return the record, whatever their status, with the headers of all of them. */
function briefRef(context: Context, success: Success, owner: string): ReferenceObject {
  const { method, answer, outcome } = success
  const isRead = method === 'GET'
  const of = isRead || /^(Bulk|Deleted)/.test(outcome) ? outcome : 'Written'
  const name = `${owner}${of}`
  const headers = context.components.once<HeadersObject>(`headers of ${name}`, () => ({}))
  Object.assign(headers, success.headers)
  return context.components.response(`brief ${name}`, name, () =>
    successResponse(context, { ...success, answer: { ...answer, status: undefined }, headers }),
  )
}

function successResponse(
  context: Context,
  { target, method, answer, headers }: Success,
): ResponseObject {
  const { dump } = target.settings
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const value = hooks.return === undefined ? answer.value : shaped(answer.value)
  const owner = ownerOf(context.settings, target)
  const schema = successSchema({ ...answer, value }, dump, shareEnvelope(context, owner))
  const all: HeadersObject = {
    ...headers,
    ...(dump.envelope ? {} : { 'X-Total-Count': header('Matching records.') }),
  }
  return {
    description: `${phrases[answer.status ?? 200]}.`,
    ...headerRefs(context, all),
    content: {
      'application/json': { schema: hooks.final === undefined ? schema : shaped(schema) },
    },
  }
}

/** The headers of a response, each as a component; nothing without headers. */
export const headerRefs = (
  { components }: Pick<Records, 'components'>,
  all: HeadersObject,
): { readonly headers?: HeadersObject } => {
  const headers = Object.entries(all).map(([name, one]) => [
    name,
    '$ref' in one ? one : components.header(`${name} ${one.description}`, name, () => one),
  ])
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}

/** Shares envelopes by name. The name begins with the resource if its envelope differs from that of the API. */
export const shareEnvelope =
  ({ components }: Pick<Records, 'components'>, owner: string): Share =>
  (name, schema) =>
    components.schema(`envelope ${owner}${name}`, `${owner}${name}`, () => schema)

/** The shape of the error bodies of a resource. */
export function failureShape(
  { settings }: Context,
  target: Resource,
  final: boolean,
): FailureShape {
  const same = final === (settings.hooks.final !== undefined)
  return {
    version: settings.version,
    dump: target.settings.dump,
    final,
    listsProblems: settings.problemTypePrefix !== null,
    owner: same ? ownerOf(settings, target) : target.name,
  }
}

/** The name of a resource whose envelope is not that of the API; otherwise empty. */
const ownerOf = ({ dump }: ApiSettings, { name, settings }: Resource): string =>
  JSON.stringify(settings.dump) === JSON.stringify(dump) ? '' : name

const shaped = (schema: Schema | ReferenceObject): Schema => ({
  ...schema,
  [shapedByCallback]: true,
})

/** A response header. */
export const header = (description: string, format?: string): HeaderObject => ({
  description,
  schema: { type: 'string', ...(format === undefined ? {} : { format }) },
})
