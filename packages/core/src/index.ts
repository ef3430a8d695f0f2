// The entry `@model-api/core`, its public surface: re-exports only.

export type { ModelsFor } from './access/hooks/models-for.ts'
export { modelsFor } from './access/hooks/models-for.ts'
export type { ExactPolicy } from './access/policies/policy-for.ts'
export { policyFor } from './access/policies/policy-for.ts'
export type { Api, ApiOptions } from './api.ts'
export { createApi } from './api.ts'
export type { ApiKeyOptions, ApiKeys } from './auth/keys/key-functions.ts'
export type { ListedApiKey, NewApiKey } from './auth/keys/own-keys.ts'
export type { PasswordCheck } from './auth/passwords/passwords.ts'
export { hashPassword, passwordCheck } from './auth/passwords/passwords.ts'
export { hashApiKey } from './auth/tokens/digest.ts'
export type { PublicKey, PublicKeys } from './auth/tokens/public-keys.ts'
export type { RefreshTokens } from './auth/tokens/revocation.ts'
export type { SchemaDifference } from './catalogue/check/describe-difference.ts'
export type {
  Aggregate,
  Capabilities,
  ComparisonOperator,
  DatabaseFailure,
  Dialect,
  OrderTerm,
  PlanValue,
  StoreTypes,
  TextTest,
} from './dialect/dialect.ts'
export type { DatabaseOf, DriverName } from './dialect/driver-types.ts'
export { genericDialect } from './dialect/generic/generic-dialect.ts'
export {
  ApiError,
  type ApiErrorOptions,
  apiError,
  bodyTooLarge,
  incompleteBody,
  unreadBody,
} from './errors.ts'
export type { FetchOptions } from './http/call/fetch.ts'
export type { HostRule } from './http/endpoints/routing/host-route.ts'
export type { AccessExplanation, AccessStep } from './http/endpoints/service/explain-access.ts'
export type { Envelope } from './http/envelope.ts'
export type { ApiResponse, TextResponse } from './http/response.ts'
export { responseText } from './http/response-text.ts'
export type { Clock } from './lib/clock.ts'
export type { ErrorBody } from './lib/error-body.ts'
export type { JsonValue } from './lib/json/json-value.ts'
export { stringify } from './lib/json/stringify.ts'
export type {
  CodedProblem,
  FieldProblem,
  ProblemCode,
  ProblemParams,
} from './lib/problems/problem-codes.ts'
export type { OnDatabase } from './lib/sql/on-database.ts'
export type { Param } from './lib/sql/param.ts'
export type {
  AggregateOptions,
  AggregateWhere,
  DeclaredAggregate,
  DeclaredAggregates,
} from './model/aggregates/declared-aggregate.ts'
export { avg, count, max, min, sum } from './model/aggregates/declared-aggregate.ts'
export type { Column, ColumnRight, ColumnType } from './model/column.ts'
export type {
  AnyModel,
  BaseModel,
  Columns,
  ComputedShape,
  Model,
  ModelDefinition,
  Relations,
} from './model/define-model.ts'
export { defineBase, defineModel } from './model/define-model.ts'
export type {
  DialectColumn,
  DialectExclusion,
  DialectTable,
  DialectTableColumn,
} from './model/dialect-column.ts'
export type { DeclaredRule, ExclusionRule } from './model/exclusions/exclusion-rule.ts'
export type { NewRowOf, PatchOf, RecordOf, RowOf } from './model/infer.ts'
export type { AggregateFunction } from './model/query-words/operators.ts'
export type { Refusal } from './model/refusal-report.ts'
export type {
  NamedColumn,
  Registry,
  ResolvedRelation,
  Resource,
} from './model/registry/resource.ts'
export type { BelongsTo, HasMany, HasOne, ManyToMany, Relation } from './model/relation.ts'
export { belongsTo, hasMany, hasOne, manyToMany } from './model/relation.ts'
export type { ApiRequest, Asset } from './model/request.ts'
export type {
  AccessPolicy,
  RateCount,
  RateLimitStore,
  RoleRule,
} from './model/settings/access/access-types.ts'
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
  HookClient,
  HookClients,
  HookRecord,
  HookTables,
  HookUser,
  LinkChanges,
  LockedKey,
  RequestArgs,
  ReturnCallback,
  SetupCallback,
  SoftDeleteValues,
  WriteCallback,
} from './model/settings/access/hook-types.ts'
export type { PolicyFor } from './model/settings/access/policy-of-model.ts'
export type {
  RecordFrom,
  RowFrom,
  SqlValue,
  SqlValues,
} from './model/settings/access/sql-value-types.ts'
export type { RefreshCookieOptions } from './model/settings/auth/cookies/refresh-cookie.ts'
export type { CustomAuthScheme } from './model/settings/auth/custom-auth-scheme.ts'
export type { IssuerClaims, JwtIssuer } from './model/settings/auth/jwt-issuers.ts'
export type { ApiConfig } from './model/settings/config.ts'
export type { ErrorCode, ErrorCodes } from './model/settings/error-codes.ts'
export type { Meta } from './model/settings/meta.ts'
export type { ResourceSettings } from './model/settings/settings.ts'
