// The entry `@model-api/core/client`, the typed client: re-exports only.

export type { Batch, BatchOptions } from './client/batch.ts'
export type { Call, CallRequest, Failure, Result, Success } from './client/client-call.ts'
export type { Collection, ConditionalRead } from './client/client-collection.ts'
export { ClientError } from './client/client-error.ts'
export type { Client, ClientOptions } from './client/create-client.ts'
export { createClient } from './client/create-client.ts'
export type { Group } from './client/query/group-types.ts'
export type {
  Dump,
  FieldPath,
  Form,
  Include,
  Order,
  Paging,
  Selection,
} from './client/query/query.ts'
export type {
  InfiniteQueryOptions,
  MutationOptions,
  QueryOptions,
} from './client/query/query-options.ts'
export {
  infiniteQueryOptions,
  mutationOptions,
  queryOptions,
} from './client/query/query-options.ts'
export type { Aggregating } from './client/query/related-types.ts'
export { reference } from './client/reference.ts'
export type { Row } from './client/row.ts'
export type { FieldProblem, ProblemCode, ProblemParams } from './lib/problems/problem-codes.ts'
