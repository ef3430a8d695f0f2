// Setting names for error messages: the configuration key of each setting; other folders never spell out a key.

import type { LimitSettings } from './settings.ts'

/** The settings that error messages mention. */
export const settingNames = {
  allowJoin: 'API_ALLOW_JOIN',
  allowFilters: 'API_ALLOW_FILTERS',
  allowOrderBy: 'API_ALLOW_ORDER_BY',
  allowSelectFields: 'API_ALLOW_SELECT_FIELDS',
  allowGroupby: 'API_ALLOW_GROUPBY',
  allowAggregation: 'API_ALLOW_AGGREGATION',
  allowNestedWrites: 'API_ALLOW_NESTED_WRITES',
  allowBulk: 'API_ALLOW_BULK',
  allowUpsert: 'API_ALLOW_UPSERT',
  requireIfMatch: 'API_REQUIRE_IF_MATCH',
  allowCascadeDelete: 'API_ALLOW_CASCADE_DELETE',
  softDelete: 'API_SOFT_DELETE',
  softDeleteAttribute: 'API_SOFT_DELETE_ATTRIBUTE',
  count: 'API_COUNT',
  baseModel: 'API_BASE_MODEL',
  sessionGetter: 'API_SESSION_GETTER',
  passwordCost: 'API_PASSWORD_COST',
  hookTimeout: 'API_HOOK_TIMEOUT',
  schemaCheck: 'API_SCHEMA_CHECK',
  addCallback: 'API_ADD_CALLBACK',
  beforeCommitCallback: 'API_BEFORE_COMMIT_CALLBACK',
  openApiCallback: 'API_OPENAPI_CALLBACK',
  readYourWrites: 'API_READ_YOUR_WRITES',
  rateLimitStore: 'API_RATE_LIMIT_STORE',
  bodyLimit: 'API_BODY_LIMIT',
  maxUrlLength: 'API_MAX_URL_LENGTH',
  maxConditions: 'API_MAX_CONDITIONS',
  maxList: 'API_MAX_LIST',
  maxRelationFilters: 'API_MAX_RELATION_FILTERS',
  maxJoins: 'API_MAX_JOINS',
  maxDepth: 'API_MAX_DEPTH',
  maxEmbeddedRows: 'API_MAX_EMBEDDED_ROWS',
  maxBulk: 'API_MAX_BULK',
  allowBatch: 'API_ALLOW_BATCH',
  batchRoute: 'API_BATCH_ROUTE',
  maxBatch: 'API_MAX_BATCH',
  maxBatchResponse: 'API_MAX_BATCH_RESPONSE',
  batchTimeout: 'API_BATCH_TIMEOUT',
} as const

/** The limit of records of one write, which the meta of a model may set. */
export const maxBulkNames: string = `${settingNames.maxBulk} or max_bulk`

/** The setting behind each member of LimitSettings. */
export const limitSettingNames: { readonly [K in keyof LimitSettings]: string } = {
  urlLength: settingNames.maxUrlLength,
  conditions: settingNames.maxConditions,
  list: settingNames.maxList,
  relationFilters: settingNames.maxRelationFilters,
  joins: settingNames.maxJoins,
  depth: settingNames.maxDepth,
  embeddedRows: settingNames.maxEmbeddedRows,
  bulk: settingNames.maxBulk,
}
