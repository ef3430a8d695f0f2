// Drafts of operations: what the two tables (`resource-table.ts`, `service-table.ts`) say of an operation, before it becomes an OpenAPI
// object, and the context in which drafts are built. Types only.

import type {
  HeadersObject,
  ParameterObject,
  ReferenceObject,
  SecurityRequirementObject,
} from 'openapi3-ts/oas31'
import type { Registry } from '../../model/registry/resource.ts'
import type { Route } from '../../model/route.ts'
import type { OwnRouteName } from '../../model/settings/endpoints/own-routes.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { CodeSample } from '../code-samples.ts'
import type { OperationCodes, OperationKind } from '../declared-codes.ts'
import type { Occasion } from '../error-catalogue.ts'
import type { ServiceTag } from '../info.ts'
import type { SuccessSchema } from '../schemas/envelope-schemas.ts'
import type { Records } from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import type { Protection } from '../security.ts'

/** The OpenAPI document while it is built: what the drafts of operations are made from. */
export interface DocumentBuilder extends Records {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** Returns the authentication that an operation requires. */
  protection(route: Route, method: string): Protection
  /** Whether API_SESSION_GETTER gives each request its connection, on which the database may hide rows. */
  readonly hasSessions: boolean
  /** Whether there are resources that not every caller may list; a query that names one can then be refused. */
  readonly restrictsLists: boolean
  /** Makes an operationId unique. */
  operationId(wanted: string): string
}

/** A request header, and the name of its OpenAPI component if it is not the header's name. */
export type HeaderSent = readonly [header: ParameterObject, component?: string]

/** What a draft says of every operation. */
interface OperationDraft {
  readonly id: string
  readonly kind: OperationKind
  readonly summary: string
  readonly description: string
  readonly parameters: readonly (ParameterObject | ReferenceObject)[]
  /** The schema of the request body. */
  readonly body?: Schema | ReferenceObject
  /** The occasions of errors, in addition to `always`. */
  readonly occasions: readonly Occasion[]
}

/** An endpoint that belongs to no resource. */
export interface ServiceEntry {
  /** Whose path it has. */
  readonly route: OwnRouteName
  /** What follows that path, such as `/{id}`. */
  readonly below?: string
  readonly method: 'get' | 'post' | 'delete'
  readonly tag: ServiceTag
  readonly draft: (builder: DocumentBuilder) => ServiceDraft
}

/** The operation of an endpoint that belongs to no resource. */
export interface ServiceDraft extends OperationDraft {
  readonly samples?: readonly CodeSample[]
  /** The accepted credentials; undefined if the API has no strategy: the document as a whole says so. */
  readonly security: SecurityRequirementObject[] | undefined
  /** Whether the request may have no body. Default: false. */
  readonly bodyIsOptional?: boolean
  /** The status of a success. Default: 200. */
  readonly status?: number
  /** The schema of `value` in the response. */
  readonly value: Schema | ReferenceObject
  /** The codes that the host declares for it. Default: none. */
  readonly codes?: OperationCodes
}

/** The operation of a resource. What rights and settings add to all of them is not in the draft. */
export interface ResourceDraft extends OperationDraft {
  /** The kind of response, which is part of the name of its component. */
  readonly outcome: string
  /** The summary that the model sets in place of `summary`, if it sets one. */
  readonly ownSummary?: string | undefined
  /** Headers that the client may send, in addition to those of all operations. */
  readonly sends?: readonly HeaderSent[]
  /** Whether the body may also be a JSON Merge Patch, which merges values of json columns instead of replacing them. */
  readonly isMergeable?: boolean
  readonly answer: SuccessSchema & { readonly status: number }
  /** A second success status with the same body. */
  readonly also?: number
  readonly headers?: HeadersObject
  /** Whether the operation responds with 304 if the client's copy of the record is current. */
  readonly notModified?: boolean
}
