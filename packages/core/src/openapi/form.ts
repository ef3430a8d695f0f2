// Form: what differs between the documents for OpenAPI 3.1 and 3.2. Components: collects the shared parts of a document. Types only.

import type {
  ComponentsObject,
  HeaderObject,
  HeadersObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SecurityRequirementObject,
} from 'openapi3-ts/oas31'
import type { WriteMode } from '../model/registry/checks/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../model/registry/resource.ts'
import type { RoleRule } from '../model/settings/access/access-types.ts'
import type { MethodName } from '../model/settings/config.ts'
import type { DeclaredCode } from '../model/settings/error-codes.ts'
import type { ApiSettings, DumpSettings } from '../model/settings/settings.ts'
import type { Occasion } from './error-catalogue.ts'
import type { Answer } from './schemas/envelope-schemas.ts'
import type { Schema } from './schemas/schema.ts'

/** How one of the two documents describes the API (`forms.ts`). */
export interface Form {
  /** Whether operations list optional headers, and the statuses that only these headers cause. */
  readonly listsHeaders: boolean
  /** Whether operations have example requests. */
  readonly hasExamples: boolean
  /** Whether schemas of envelopes state the status and forbid further members; if not, all success responses share one. */
  readonly hasExactEnvelopes: boolean
  texts(texts: OperationTexts): Partial<OperationObject>
  readonly security: Requirements
  readonly success: SuccessRef
  readonly failures: Failures
  readonly filters: FilterForm
  readonly names: NameParameter
  readonly conflicts: ConflictParameter
  readonly records: RecordForm
}

export interface OperationTexts {
  /** A verb and its object: `List books`. */
  readonly summary: string
  /** The summary that the model sets. */
  readonly ownSummary?: string | undefined
  readonly description: string
  /** A sentence about the roles that an operation needs, or that it needs no credential. */
  readonly access: string | undefined
  samples(): unknown
}

/** A parameter whose value is a list of names of columns or relations. */
export interface NameList {
  readonly name: string
  readonly description: string
  /** Returns the schema of the names in this resource. */
  names(): Schema | ReferenceObject
  /** Further names that the parameter takes, in a schema that all resources share; undefined if there are none. */
  readonly others: (() => ReferenceObject) | undefined
}

/** Describes a parameter whose value is a list of names. */
export type NameParameter = (
  components: Components,
  resource: Resource,
  list: NameList,
) => ReferenceObject

/** Describes the parameter whose value is the columns of a unique key. */
export type ConflictParameter = (components: Components, keys: readonly string[]) => ReferenceObject

/** How a form describes filters. */
export interface FilterForm {
  /** Returns the schema of the filters of all columns. */
  columns(components: Components, resource: Resource): Schema
  /** Returns the schema of all other conditions, with a description of the operators. */
  conditions(components: Components, on: ConditionsOn): Schema
}

/** What conditions can refer to besides the columns of the resource: related records, columns of joined relations. */
export interface ConditionsOn {
  readonly relations: boolean
  readonly joined: boolean
}

/** How a form describes records. */
export interface RecordForm {
  /** Returns a description that would be the same in all records, or nothing. */
  described(text: string): { readonly description?: string }
  /** Returns the schema of a record: whole, or with the members that the query selects. */
  selected(records: Records, resource: Resource, whole: ReferenceObject): Schema | ReferenceObject
  /** The address of related records that are not embedded. */
  readonly url: Schema
  /** Returns the schema of a request body. */
  body(records: Records, resource: Resource, mode: WriteMode): Schema
  /** Returns the schema of a record inside the body of another one: a new record, or the key of an existing one. */
  nested(records: Records, target: Resource): Schema | ReferenceObject
  /** Returns the schema of an object in a list of children of a stored record: a new child, or the key of one and the fields to change. */
  child(records: Records, relation: ResolvedRelation): Schema | ReferenceObject
  /** Returns the schema of a column in a request body. */
  written(column: NamedColumn, mode: WriteMode): Schema
}

/** The context in which record schemas are built. */
export interface Records {
  readonly components: Components
  /** Column names that have the same type in every resource. */
  readonly alike: ReadonlySet<string>
}

/** A success response before it is turned into a component. */
export interface Success {
  /** The resource of the records in it. */
  readonly target: Resource
  readonly method: MethodName
  readonly answer: Answer
  readonly headers: HeadersObject
  /** The suffix of the component's name: `List` in `BookList`. */
  readonly outcome: string
}

/** The context in which responses are built. */
export interface SuccessContext extends Records {
  readonly settings: ApiSettings
}

/** The component of a success response. */
export type SuccessRef = (context: SuccessContext, success: Success) => ReferenceObject

/** The settings that shape error bodies: those of the resource, or of the API if there is no resource. */
export interface FailureShape {
  readonly version: string
  readonly dump: DumpSettings
  /** Whether a final callback changes the body. */
  readonly final: boolean
  /** The prefix of component names: the resource, if its shape differs from that of the API. */
  readonly owner: string
}

/** The kind of operation in the names of error responses, such as `BadRequestOnList`. */
export type OperationKind =
  | 'List'
  | 'Get'
  | 'Create'
  | 'Update'
  | 'Delete'
  | 'Restore'
  | 'BulkUpdate'
  | 'BulkDelete'
  | 'Login'
  | 'Refresh'
  | 'Logout'
  | 'CurrentUser'
  | 'Health'
  | 'Index'
  | 'Batch'

/** The codes that the host declares for an operation. */
export interface OperationCodes {
  readonly codes: readonly DeclaredCode[]
  /** The kind of operation in the names of responses that have such codes. */
  readonly kind: string
  /** Returns the prefix of the name of the response for a status: the resource, if other resources have other codes. */
  ownerOf(status: number): string
}

/** The error responses of an operation. */
export type Failures = (
  components: Components,
  shape: FailureShape,
  kind: OperationKind,
  occasions: ReadonlySet<Occasion>,
  declared: OperationCodes,
) => Record<string, ReferenceObject>

/** What an operation requires: one of the strategies, and perhaps roles. */
export type Requirements = (
  alternatives: readonly SecurityRequirementObject[],
  rules: readonly RoleRule[],
) => SecurityRequirementObject[]

/**
 * Collects shared parts while the document is built. `key` identifies a part, `wanted` is its preferred name; two parts with
 * the same preferred name get different names.
 */
export interface Components {
  readonly form: Form
  schema(key: string, wanted: string, make: () => Schema): ReferenceObject
  parameter(key: string, wanted: string, make: () => ParameterObject): ReferenceObject
  response(key: string, wanted: string, make: () => ResponseObject): ReferenceObject
  header(key: string, wanted: string, make: () => HeaderObject): ReferenceObject
  /** Memoises a value that several operations share but that is not a component. */
  once<T>(key: string, make: () => T): T
  /** Builds the referenced parts, one in each step, and the parts to which these refer. */
  steps(): Generator<
    void,
    Pick<ComponentsObject, 'schemas' | 'parameters' | 'responses' | 'headers'>
  >
}
