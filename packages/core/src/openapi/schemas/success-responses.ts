// Success responses as components of the OpenAPI document: a page, a record or the outcome of a write, one of each kind per resource
// (`BookList`, `BookCreated`). Also what they share with other responses: envelopes, headers, and the shape of a resource's errors.

import type {
  HeaderObject,
  HeadersObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { Resource } from '../../model/registry/resource.ts'
import type { MethodName } from '../../model/settings/config.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { type FailureShape, phrases } from '../error-responses.ts'
import { type ShareEnvelope, type SuccessSchema, successSchema } from './envelope-schemas.ts'
import type { Records } from './record-schemas.ts'
import { type Schema, shapedByCallback } from './schema.ts'

/** A success response before it is turned into a component. */
export interface Success {
  /** The resource of the records in it. */
  readonly target: Resource
  readonly method: MethodName
  readonly answer: SuccessSchema
  readonly headers: HeadersObject
  /** The suffix of the component's name: `List` in `BookList`. */
  readonly outcome: string
}

/** The context in which responses are built. */
export interface SuccessContext extends Records {
  readonly settings: ApiSettings
}

/**
 * Returns the response for a status and method, shared by the collection and the relations to the resource. All resources share
 * a response without records, unless a callback changes it.
 */
export function successRef(context: SuccessContext, success: Success): ReferenceObject {
  const { method, answer, outcome } = success
  const name = `${ownerOfSuccess(context, success)}${outcome}`
  // The callbacks belong to the method.
  return context.components.response(`${method} ${answer.status} ${name}`, name, () =>
    successResponse(context, success),
  )
}

function ownerOfSuccess(context: SuccessContext, { target, method, answer }: Success): string {
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const isEmpty = 'type' in answer.value && answer.value.type === 'null'
  const isShared = isEmpty && hooks.return === undefined && hooks.final === undefined
  return isShared ? ownerOf(context.settings, target) : target.name
}

function successResponse(
  context: SuccessContext,
  { target, method, answer, headers }: Success,
): ResponseObject {
  const { dump } = target.settings
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const value = hooks.return === undefined ? answer.value : shaped(answer.value)
  const owner = ownerOf(context.settings, target)
  const schema = successSchema({ ...answer, value }, dump, shareEnvelope(context, owner))
  const all: HeadersObject = {
    ...headers,
    ...(dump.envelope ? {} : { 'X-Total-Count': headerObject('Matching records.') }),
  }
  return {
    description: `${phrases[answer.status]}.`,
    ...headerRefs(context, all),
    content: {
      'application/json': { schema: hooks.final === undefined ? schema : shaped(schema) },
    },
  }
}

/** Returns the headers of a response, each as a component; nothing without headers. */
const headerRefs = (
  { components }: Pick<Records, 'components'>,
  all: HeadersObject,
): { readonly headers?: HeadersObject } => {
  const headers = Object.entries(all).map(([name, one]) => [
    name,
    '$ref' in one ? one : components.header(`${name} ${one.description}`, name, () => one),
  ])
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}

/** Shares envelopes by name. The name begins with `owner`: the resource if its envelope differs from that of the API, else empty. */
export const shareEnvelope =
  ({ components }: Pick<Records, 'components'>, owner: string): ShareEnvelope =>
  (name, schema) =>
    components.schema(`envelope ${owner}${name}`, `${owner}${name}`, () => schema)

/** Returns the shape of the error bodies of a resource. */
export function failureShape(
  { settings }: SuccessContext,
  target: Resource,
  final: boolean,
): FailureShape {
  const same = final === (settings.hooks.final !== undefined)
  return {
    version: settings.version,
    dump: target.settings.dump,
    final,
    owner: same ? ownerOf(settings, target) : target.name,
  }
}

/** Returns the name of a resource whose envelope differs from that of the API; otherwise an empty string. */
const ownerOf = ({ dump }: ApiSettings, { name, settings }: Resource): string =>
  JSON.stringify(settings.dump) === JSON.stringify(dump) ? '' : name

const shaped = (schema: Schema | ReferenceObject): Schema => ({
  ...schema,
  [shapedByCallback]: true,
})

/** Creates a response header. */
export const headerObject = (description: string, format?: string): HeaderObject => ({
  description,
  schema: { type: 'string', ...(format === undefined ? {} : { format }) },
})
