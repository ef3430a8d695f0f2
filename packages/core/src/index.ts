// The public surface of @model-api/core: re-exports only.

export { policyFor } from './access/policy-for.ts'
export type { Api, ApiOptions } from './api.ts'
export { createApi } from './api.ts'
export { hashApiKey } from './auth/digest.ts'
export type { PasswordCheck } from './auth/passwords.ts'
export { hashPassword, passwordCheck } from './auth/passwords.ts'
export type { RefreshTokens } from './auth/revocation.ts'
export type { Clock } from './call/clock.ts'
export type { AccessPolicy, RateCount, RateLimitStore, RoleRule } from './config/access-types.ts'
export type { ApiConfig } from './config/config.ts'
export type { CustomAuthScheme } from './config/custom-auth-scheme.ts'
export type { ErrorCode, ErrorCodes } from './config/error-codes.ts'
export type {
  AfterCommitArgs,
  AfterCommitCallback,
  BeforeCommitCallback,
  Change,
  DumpCallback,
  ErrorCallback,
  FilterCallback,
  FinalCallback,
  HookArgs,
  HookRecord,
  HookTables,
  LinkChanges,
  OpenApiCallback,
  RequestArgs,
  ReturnCallback,
  SetupCallback,
  SoftDeleteValues,
  WriteCallback,
} from './config/hook-types.ts'
export type { Meta } from './config/meta.ts'
export type {
  Aggregate,
  Capabilities,
  ComparisonOperator,
  DatabaseFailure,
  Dialect,
  DialectColumn,
  DialectTable,
  DialectTableColumn,
  OrderTerm,
  PlanValue,
  StoreTypes,
  TextTest,
} from './dialect/dialect.ts'
export { genericDialect } from './dialect/generic/dialect.ts'
export type { AccessExplanation, AccessStep } from './endpoints/explain-access.ts'
export type { HostRule } from './endpoints/host-route.ts'
export type { ErrorBody } from './error-body.ts'
export {
  ApiError,
  type ApiErrorOptions,
  apiError,
  bodyTooLarge,
  incompleteBody,
  unreadBody,
} from './errors.ts'
export type { FetchOptions } from './fetch.ts'
export { hooksFor } from './hooks/hooks-for.ts'
export type { ModelsFor } from './hooks/models-for.ts'
export { modelsFor } from './hooks/models-for.ts'
export type { Envelope } from './http/envelope.ts'
export type { Refusal } from './http/refusal.ts'
export type { ApiRequest, Asset } from './http/request.ts'
export type { ApiResponse, TextResponse } from './http/response.ts'
export { responseText } from './http/response-text.ts'
export type { JsonValue } from './json/json-value.ts'
export { stringify } from './json/stringify.ts'
export type { Column, ColumnRight, ColumnType } from './model/column.ts'
export type { AnyModel, Model } from './model/define-model.ts'
export { defineBase, defineModel } from './model/define-model.ts'
export type { DatabaseOf, NewRowOf, PatchOf, RecordOf, RowOf } from './model/infer.ts'
export { belongsTo, hasMany, hasOne, manyToMany } from './model/relation.ts'
export type { AggregateFunction } from './parse/operators.ts'
export type { Registry, ResolvedRelation, Resource } from './registry/resource.ts'
export type { SchemaDifference } from './schema-check/describe-difference.ts'
