// Resolves settings once, at start-up: meta takes precedence over config, config over the default. Later stages see no configuration keys.

import type { AnyModel } from '../define-model.ts'
import { resolveRequirements } from './access/requirements.ts'
import { resolveApiHooks, resolveResourceHooks } from './access/resolve-hooks.ts'
import {
  ignoredRoleLists,
  replacedRoleMaps,
  resolvePolicy,
  resolveRoleMaps,
} from './access/role-maps.ts'
import type { Environment } from './auth/auth-settings.ts'
import { type IpRange, parseIpRange } from './auth/ip-range.ts'
import { resolveRates } from './auth/rate-settings.ts'
import { rateWindows } from './auth/rate-windows.ts'
import type { ApiConfig } from './config.ts'
import { bulkMethodsOf } from './endpoints/bulk-methods.ts'
import { resourceMethods } from './endpoints/resource-methods.ts'
import type { Meta } from './meta.ts'
import { type Reader, reader } from './reader.ts'
import { resolveErrorCodes } from './resolve-error-codes.ts'
import { lackedSoftDeleteColumn, resolveSoftDelete } from './resolve-soft-delete.ts'
import type { Problems } from './setting-problems.ts'
import type { ApiSettings, DumpSettings, LimitSettings, ResourceSettings } from './settings.ts'

const dumpSettings = ({ get }: Reader): DumpSettings => ({
  envelope: get('API_DUMP_ENVELOPE'),
  datetime: get('API_DUMP_DATETIME'),
  version: get('API_DUMP_VERSION'),
  statusCode: get('API_DUMP_STATUS_CODE'),
  responseMs: get('API_DUMP_RESPONSE_MS'),
  totalCount: get('API_DUMP_TOTAL_COUNT'),
  nullNextUrl: get('API_DUMP_NULL_NEXT_URL'),
  nullPreviousUrl: get('API_DUMP_NULL_PREVIOUS_URL'),
  nullErrors: get('API_DUMP_NULL_ERRORS'),
  requestId: get('API_DUMP_REQUEST_ID'),
})

const limitSettings = ({ get }: Reader): LimitSettings => ({
  urlLength: get('API_MAX_URL_LENGTH'),
  conditions: get('API_MAX_CONDITIONS'),
  list: get('API_MAX_LIST'),
  relationFilters: get('API_MAX_RELATION_FILTERS'),
  joins: get('API_MAX_JOINS'),
  depth: get('API_MAX_DEPTH'),
  embeddedRows: get('API_MAX_EMBEDDED_ROWS'),
  bulk: get('API_MAX_BULK'),
})

/** Resolves the settings of the whole API, from a checked configuration. */
export function resolveApiSettings(
  config: ApiConfig,
  env: Environment | undefined,
): Omit<ApiSettings, 'auth' | 'disabledEndpoints'> {
  const read = reader(config)
  return {
    title: read.get('API_TITLE'),
    version: read.get('API_VERSION'),
    prefix: read.get('API_PREFIX'),
    baseUrl: read.get('API_BASE_URL'),
    endpointCase: read.get('API_ENDPOINT_CASE'),
    statementTimeout: read.get('API_STATEMENT_TIMEOUT'),
    hookTimeout: read.get('API_HOOK_TIMEOUT'),
    bodyLimit: read.get('API_BODY_LIMIT'),
    readYourWrites: read.get('API_READ_YOUR_WRITES'),
    usersFromReplicas: read.get('API_USERS_FROM_REPLICAS'),
    serverTiming: read.get('API_SERVER_TIMING'),
    errorCodes: resolveErrorCodes(config),
    hooks: resolveApiHooks(config),
    dump: dumpSettings(read),
    limits: limitSettings(read),
    additionalQueryParams: read.get('API_ADDITIONAL_QUERY_PARAMS'),
    rateWindows: rateWindows(config.API_RATE_LIMIT ?? '') ?? [],
    rateStore: config.API_RATE_LIMIT_STORE,
    trustedProxies: trustedProxies(config.API_TRUSTED_PROXIES ?? []),
    // Without environment variables, whether this is production is unknown.
    htmlPages: read.find('API_HTML_PAGES') ?? (env !== undefined && env.NODE_ENV !== 'production'),
    healthRoute: read.find('API_HEALTH_ROUTE') ?? null,
    batch: read.get('API_ALLOW_BATCH')
      ? {
          path: `${read.get('API_PREFIX')}${read.get('API_BATCH_ROUTE')}`,
          max: read.get('API_MAX_BATCH'),
          maxResponse: read.get('API_MAX_BATCH_RESPONSE'),
          timeout: read.get('API_BATCH_TIMEOUT'),
        }
      : null,
    docs: read.get('API_CREATE_DOCS')
      ? {
          page: read.get('API_DOCUMENTATION_URL'),
          script: `${read.get('API_DOCUMENTATION_URL')}/redoc.js`,
          spec: read.get('API_DOCS_SPEC_ROUTE'),
          commonSpec: '/openapi.json',
          requireAuth: read.get('API_DOCUMENTATION_REQUIRE_AUTH'),
        }
      : null,
    openApiCallback: config.API_OPENAPI_CALLBACK,
    info: {
      description: read.find('API_DESCRIPTION'),
      contactName: read.find('API_CONTACT_NAME'),
      contactEmail: read.find('API_CONTACT_EMAIL'),
      contactUrl: read.find('API_CONTACT_URL'),
      licenceName: read.find('API_LICENCE_NAME'),
      licenceUrl: read.find('API_LICENCE_URL'),
      serverUrls: [read.find('API_SERVER_URLS') ?? []].flat(),
      logoUrl: read.find('API_LOGO_URL'),
    },
  }
}

const trustedProxies = (given: readonly string[] | number): readonly IpRange[] | number =>
  typeof given === 'number' ? given : given.flatMap((text) => parseIpRange(text) ?? [])

/** Resolves the settings of one published model, from its checked meta and the checked configuration. */
export function resolveResourceSettings(
  model: AnyModel,
  meta: Meta,
  config: ApiConfig,
  problems: Problems,
): ResourceSettings {
  const read = reader(config, meta, model.name)
  const { get } = read
  const blocked = get('API_BLOCK_METHODS')
  return {
    hooks: resolveResourceHooks(meta, config),
    methods: resourceMethods(
      model,
      meta,
      get('API_ALLOWED_METHODS').filter((method) => !blocked.includes(method)),
      problems,
    ),
    allowJoin: get('API_ALLOW_JOIN'),
    allowFilters: get('API_ALLOW_FILTERS'),
    allowOrderBy: get('API_ALLOW_ORDER_BY'),
    allowSelectFields: get('API_ALLOW_SELECT_FIELDS'),
    allowGroupby: get('API_ALLOW_GROUPBY'),
    listEtags: get('API_LIST_ETAGS'),
    allowAggregation: get('API_ALLOW_AGGREGATION'),
    allowNestedWrites: get('API_ALLOW_NESTED_WRITES'),
    bulkMethods: bulkMethodsOf(get('API_ALLOW_BULK')),
    allowUpsert: get('API_ALLOW_UPSERT'),
    showTriggerMessages: get('API_SHOW_TRIGGER_MESSAGES'),
    schemaCheck: get('API_SCHEMA_CHECK'),
    requireIfMatch: get('API_REQUIRE_IF_MATCH') !== false,
    requireIfMatchEverywhere: get('API_REQUIRE_IF_MATCH') === true,
    allowCascadeDelete: get('API_ALLOW_CASCADE_DELETE'),
    serializationType: get('API_SERIALIZATION_TYPE'),
    serializationDepth: depth(read, problems),
    addRelations: get('API_ADD_RELATIONS'),
    pageSizeDefault: pageSize(read, problems),
    pageSizeMax: get('API_PAGINATION_SIZE_MAX'),
    count: get('API_COUNT'),
    softDelete: resolveSoftDelete(model, meta, read, problems),
    lackedSoftDeleteColumn: lackedSoftDeleteColumn(model, read),
    additionalQueryParams: get('API_ADDITIONAL_QUERY_PARAMS'),
    errorCodes: resolveErrorCodes(config, meta, model.name),
    dump: dumpSettings(read),
    limits: limitSettings(read),
    roleMaps: resolveRoleMaps(model.name, meta, config),
    replacedRoleMaps: replacedRoleMaps(model.name, meta, config),
    ignoredRoleLists: ignoredRoleLists(model.name, meta, config),
    policy: resolvePolicy(model.name, meta, config),
    ...resolveRequirements(model.name, meta, config, problems),
    rates: resolveRates(meta, config),
    description: meta.description ?? model.description,
    tag: meta.tag,
    tagGroup: meta.tag_group,
    summaries: {
      getMany: meta.get_many_summary,
      getSingle: meta.get_single_summary,
      post: meta.post_summary,
      patch: meta.patch_summary,
      delete: meta.delete_summary,
    },
  }
}

/** Resolves the default page size. The built-in default is lowered to a smaller maximum; an explicit one above the maximum is a problem. */
function pageSize(read: Reader, problems: Problems): number {
  checkOrder(read, 'API_PAGINATION_SIZE_DEFAULT', 'API_PAGINATION_SIZE_MAX', problems)
  return Math.min(read.get('API_PAGINATION_SIZE_DEFAULT'), read.get('API_PAGINATION_SIZE_MAX'))
}

/** Resolves the depth of embedding, if it is set. */
function depth(read: Reader, problems: Problems): number | undefined {
  checkOrder(read, 'API_SERIALIZATION_DEPTH', 'API_MAX_DEPTH', problems)
  return read.find('API_SERIALIZATION_DEPTH')
}

type NumberKey =
  | 'API_PAGINATION_SIZE_DEFAULT'
  | 'API_PAGINATION_SIZE_MAX'
  | 'API_SERIALIZATION_DEPTH'
  | 'API_MAX_DEPTH'

/** Reports an explicit setting above its maximum. If only the maximum is set in meta, the problem names the maximum. */
function checkOrder(read: Reader, key: NumberKey, mostKey: NumberKey, problems: Problems): void {
  const value = read.find(key)
  const most = read.get(mostKey)
  const at = read.at(key)
  if (value === undefined || at === undefined || value <= most) return
  const atMost = read.at(mostKey)
  if (at.startsWith('config') && atMost?.startsWith('models')) {
    problems.add(atMost, `${most} is less than ${key}, ${value}.`)
  } else problems.add(at, `${value} is more than ${mostKey}, ${most}.`)
}
