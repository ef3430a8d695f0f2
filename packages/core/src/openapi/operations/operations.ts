// Operations: turns the drafts of the two tables (`resource-table.ts`, `service-table.ts`) into OpenAPI operations, and adds what settings and
// rights add to those of resources: security, roles, headers, error responses.

import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  ResponsesObject,
  SecurityRequirementObject,
} from 'openapi3-ts/oas31'
import { checksOf } from '../../access/authorize.ts'
import { needsRight } from '../../model/registry/caller-registry.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Route } from '../../model/route.ts'
import type { RoleRule } from '../../model/settings/access/access-types.ts'
import type { MethodName } from '../../model/settings/config.ts'
import { ownRoutes } from '../../model/settings/endpoints/own-routes.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { type CodeSample, codeSamples } from '../code-samples.ts'
import { codesOf } from '../declared-codes.ts'
import type { Occasion } from '../error-catalogue.ts'
import { failuresByStatus, failuresOf } from '../error-responses.ts'
import { type ServiceTag, tagOf } from '../info.ts'
import { sharedParameter } from '../parameters/query-parameters.ts'
import { successSchema } from '../schemas/envelope-schemas.ts'
import { type Schema, shapedByCallback } from '../schemas/schema.ts'
import { failureShape, shareEnvelope, successRef } from '../schemas/success-responses.ts'
import {
  credentialOccasions,
  csrfParameters,
  hasCookie,
  isRestricted,
  type Protection,
  roleRules,
  rolesText,
  securityOf,
} from '../security.ts'
import type { DocumentBuilder, HeaderSent, ResourceDraft, ServiceDraft } from './operation-draft.ts'
import {
  acceptsPosition,
  positionInRequest,
  positionInResponse,
  prefer,
  preferenceApplied,
  rateLimitHeaders,
  respondsWithPosition,
} from './operation-headers.ts'
import { draftOf } from './resource-table.ts'
import { serviceTable } from './service-table.ts'

/** Returns the paths that belong to no resource and are served, with their operations. */
export function servicePaths(builder: DocumentBuilder): Record<string, PathItemObject> {
  const items: Record<string, PathItemObject> = {}
  for (const { route, below = '', method, tag, draft } of serviceTable) {
    // Null or undefined: the settings do not enable the endpoint.
    const path = ownRoutes[route].path(builder.settings) ?? undefined
    if (path === undefined) continue
    const served = `${path}${below}`
    items[served] = { ...items[served], [method]: serviceOperation(builder, tag, draft(builder)) }
  }
  return items
}

/** Returns the tags of the paths that belong to no resource and are served. */
export const servedTags = (settings: ApiSettings): ReadonlySet<ServiceTag> =>
  new Set(
    serviceTable.flatMap(({ route, tag }) =>
      typeof ownRoutes[route].path(settings) === 'string' ? [tag] : [],
    ),
  )

/** Returns the operation of an endpoint that belongs to no resource. */
function serviceOperation(
  builder: DocumentBuilder,
  { name }: ServiceTag,
  draft: ServiceDraft,
): OperationObject {
  const { id, kind, summary, description, samples, security, parameters, body, value } = draft
  const { status = 200 } = draft
  return operationObject({
    operationId: builder.operationId(id),
    summary,
    description,
    samples,
    tag: name,
    security,
    parameters,
    requestBody: body && { ...jsonBody(body), required: draft.bodyIsOptional !== true },
    responses: {
      [status]: success(builder, value, status),
      ...failuresOf(builder, kind, ['always', ...draft.occasions], draft.codes),
    },
  })
}

/** Returns the success response of an operation that belongs to no resource. */
const success = (
  builder: DocumentBuilder,
  value: Schema | ReferenceObject,
  status: number,
): ResponseObject => ({
  description: status === 201 ? 'Created.' : 'OK.',
  content: {
    'application/json': {
      schema: {
        ...successSchema(
          { value, list: false, status },
          builder.settings.dump,
          shareEnvelope(builder, ''),
        ),
        ...(builder.settings.hooks.final === undefined ? {} : { [shapedByCallback]: true }),
      },
    },
  },
})

/** The parts of an OpenAPI operation. */
interface OperationParts {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly samples: readonly CodeSample[] | undefined
  readonly tag: string
  readonly security: SecurityRequirementObject[] | undefined
  readonly parameters: readonly (ParameterObject | ReferenceObject)[]
  readonly requestBody: RequestBodyObject | undefined
  readonly responses: ResponsesObject
}

const operationObject = ({
  operationId,
  summary,
  description,
  samples,
  tag,
  security,
  parameters,
  requestBody,
  responses,
}: OperationParts): OperationObject => ({
  operationId,
  summary,
  description,
  ...(samples === undefined ? {} : { 'x-codeSamples': samples }),
  tags: [tag],
  ...(security === undefined ? {} : { security }),
  ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
  ...(requestBody === undefined ? {} : { requestBody }),
  responses,
})

/** Returns the operation of a method that the route of a resource has. */
export function operationOf(
  builder: DocumentBuilder,
  route: Route,
  method: MethodName,
): OperationObject {
  const { settings } = builder
  const draft = draftOf(builder, route, method)
  const protection = builder.protection(route, method)
  const rules = roleRules(checksOf(route, method))
  return operationObject({
    operationId: builder.operationId(draft.id),
    summary: draft.ownSummary ?? draft.summary,
    description: [draft.description, accessText(settings, protection, rules)]
      .filter(Boolean)
      .join('\n\n'),
    samples: codeSamples({ route, method, settings, protection }),
    tag: tagOf(route.resource),
    security:
      settings.auth.strategies.length === 0 ? undefined : securityOf(settings.auth, protection),
    parameters: parametersOf(builder, draft, method, protection),
    requestBody: draft.body && jsonBody(draft.body, draft.isMergeable),
    responses: responsesOf(builder, route, method, draft),
  })
}

/**
 * Returns who may send the request. Documentation pages show the accepted schemes, but not that authentication is optional, so the
 * description states it. Undefined if there is nothing to say.
 */
function accessText(
  { auth }: ApiSettings,
  { required }: Protection,
  rules: readonly RoleRule[],
): string | undefined {
  const roles = rolesText(rules)
  const isOpen = auth.strategies.length > 0 && !required && roles === undefined
  return isOpen ? 'Public: no credential is needed.' : roles
}

/** Returns the parameters of a draft, and the headers that settings add. */
function parametersOf(
  { settings, components }: DocumentBuilder,
  draft: ResourceDraft,
  method: MethodName,
  protection: Protection,
): (ParameterObject | ReferenceObject)[] {
  const writes = method !== 'GET'
  const sent: readonly HeaderSent[] = [
    ...(draft.sends ?? []),
    ...(acceptsPosition(settings, method) ? [[positionInRequest] as const] : []),
    ...(writes ? [[prefer] as const] : []),
  ]
  return [
    ...draft.parameters,
    ...sent.map(([one, name]) => sharedParameter(components, one, name)),
    ...(writes ? csrfParameters(settings.auth, protection) : []),
  ]
}

/** Returns the successes of a draft and its errors by status. */
function responsesOf(
  builder: DocumentBuilder,
  route: Route,
  method: MethodName,
  draft: ResourceDraft,
): ResponsesObject {
  const { settings, components } = builder
  const target = targetOf(route)
  const writes = method !== 'GET'
  const headers = {
    ...draft.headers,
    ...(target.settings.rates[method].length > 0 ? rateLimitHeaders : {}),
    ...(respondsWithPosition(settings, method) ? positionInResponse : {}),
    ...(writes ? preferenceApplied : {}),
  }
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const successes = [draft.also ?? [], draft.answer.status].flat().map((status) => {
    const answer = { ...draft.answer, status }
    const outcome = status === draft.also ? 'Upserted' : draft.outcome
    return [status, successRef(builder, { target, method, answer, headers, outcome })] as const
  })
  return {
    ...Object.fromEntries(successes),
    ...(writes ? { 204: noContent(builder) } : {}),
    ...(draft.notModified ? { 304: notModified(builder) } : {}),
    ...failuresByStatus(
      components,
      failureShape(builder, target, hooks.final !== undefined),
      draft.kind,
      new Set(occasionsOf(builder, route, method, draft)),
      codesOf(settings, target, method, draft.kind),
    ),
  }
}

/** Returns the resource whose records the route returns. */
const targetOf = (route: Route): Resource =>
  route.kind === 'related' ? route.relation.target : route.resource

const notModified = ({ components }: DocumentBuilder): ReferenceObject =>
  components.response('not modified', 'NotModified', () => ({
    description: "The client's copy is up to date.",
  }))

const noContent = ({ components }: DocumentBuilder): ReferenceObject =>
  components.response('no content', 'NoContent', () => ({
    description: 'Written. The client prefers a response without a body.',
  }))

/** Whether a query on the resource can name relations to others. */
const leadsElsewhere = ({ relations, settings }: Resource): boolean =>
  relations.size > 0 && (settings.allowJoin || settings.allowFilters)

/** Returns the occasions of the operation, and those that settings add to every operation. */
function occasionsOf(
  builder: DocumentBuilder,
  route: Route,
  method: MethodName,
  { occasions }: ResourceDraft,
): Occasion[] {
  const { settings } = builder
  const { auth } = settings
  const target = targetOf(route)
  const writes = method !== 'GET'
  // A write without a rule of its own may nest records of other resources, whose rules may refuse it.
  const restricted = isRestricted(checksOf(route, method)) || writes
  return [
    ...occasions,
    'always',
    'database',
    ...(acceptsPosition(settings, method) ? (['position'] as const) : []),
    ...(route.kind === 'related' && needsRight(route.relation) ? (['relationRight'] as const) : []),
    ...(target.settings.allowJoin ? (['join'] as const) : []),
    ...(builder.restrictsLists && leadsElsewhere(target) ? (['otherResource'] as const) : []),
    ...credentialOccasions(builder.protection(route, method)),
    ...(writes && hasCookie(auth) ? (['cookie'] as const) : []),
    ...(restricted ? (['restricted'] as const) : []),
    ...(target.settings.rates[method].length > 0 ? (['limited'] as const) : []),
  ]
}

/** Returns a JSON request body, which may also be a merge patch. */
const jsonBody = (
  schema: Schema | ReferenceObject,
  isMergeable: boolean = false,
): RequestBodyObject => ({
  required: true,
  content: {
    'application/json': { schema },
    ...(isMergeable ? { 'application/merge-patch+json': { schema } } : {}),
  },
})
