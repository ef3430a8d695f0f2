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
import { readRateWindows } from './auth/rate-windows.ts'
import type { ApiConfig, ConfigKey } from './config.ts'
import { bulkMethodsOf } from './endpoints/bulk-methods.ts'
import { resourceMethods } from './endpoints/resource-methods.ts'
import { type ApiKey, type FieldsOf, fieldOf, type ModelKey } from './field-names.ts'
import type { Meta } from './meta.ts'
import { resolveErrorCodes } from './resolve-error-codes.ts'
import { lackedSoftDeleteColumn, resolveSoftDelete } from './resolve-soft-delete.ts'
import type { Problems } from './setting-problems.ts'
import { type SettingReader, settingReader } from './setting-reader.ts'
import { allSettings } from './setting-table.ts'
import type { ApiSettings, DumpSettings, LimitSettings, ResourceSettings } from './settings.ts'

/** The keys at a level whose value is a field as it is. */
const plainKeys = (...levels: readonly string[]): readonly string[] =>
  allSettings.flatMap(([key, { level, isPart }]) =>
    levels.includes(level) && !isPart ? [key] : [],
  )

const isDump = (key: string): boolean => key.startsWith('API_DUMP_')
const isLimit = (key: string): boolean => key.startsWith('API_MAX_')
const isOther = (key: string): boolean => !isDump(key) && !isLimit(key)

const dumpKeys = plainKeys('both').filter(isDump)
const limitKeys = plainKeys('api', 'both').filter(isLimit)
const apiKeys = plainKeys('api').filter(isOther)
const modelKeys = plainKeys('both').filter(isOther)

/** Reads keys into the fields that are named after them. */
const fieldsOf = <Fields>(
  { find }: SettingReader,
  keys: readonly string[],
  prefix?: string,
): Fields =>
  Object.fromEntries(keys.map((key) => [fieldOf(key, prefix), find(key as ConfigKey)])) as Fields

const dumpSettings = (read: SettingReader): DumpSettings => fieldsOf(read, dumpKeys, 'API_DUMP_')

const limitSettings = (read: SettingReader): LimitSettings => fieldsOf(read, limitKeys, 'API_MAX_')

/** Resolves the settings of the whole API, from a checked configuration. */
export function resolveApiSettings(
  config: ApiConfig,
  env: Environment | undefined,
): Omit<ApiSettings, 'auth' | 'ownRoutePaths' | 'disabledEndpoints'> {
  const read = settingReader(config)
  return {
    ...fieldsOf<FieldsOf<ApiKey>>(read, apiKeys),
    errorCodes: resolveErrorCodes(config),
    hooks: resolveApiHooks(config),
    dump: dumpSettings(read),
    limits: limitSettings(read),
    additionalQueryParams: read.get('API_ADDITIONAL_QUERY_PARAMS'),
    rateWindows: readRateWindows(config.API_RATE_LIMIT ?? '') ?? [],
    trustedProxies: trustedProxies(config.API_TRUSTED_PROXIES ?? []),
    // If the host passes no environment variables, this may be production, so that browsers get no pages.
    htmlPages: read.find('API_HTML_PAGES') ?? (env !== undefined && env.NODE_ENV !== 'production'),
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
    serverUrls: [read.find('API_SERVER_URLS') ?? []].flat(),
  }
}

/** Parses address ranges; a number of hops stays. */
const trustedProxies = (setting: readonly string[] | number): readonly IpRange[] | number =>
  typeof setting === 'number' ? setting : setting.flatMap((text) => parseIpRange(text) ?? [])

/** Resolves the settings of one published model, from its checked meta and the checked configuration. */
export function resolveResourceSettings(
  model: AnyModel,
  meta: Meta,
  config: ApiConfig,
  problems: Problems,
): ResourceSettings {
  const read = settingReader(config, meta, model.name)
  const { get } = read
  const blocked = get('API_BLOCK_METHODS')
  return {
    ...fieldsOf<FieldsOf<ModelKey>>(read, modelKeys),
    hooks: resolveResourceHooks(meta, config),
    methods: resourceMethods(
      model,
      meta,
      get('API_ALLOWED_METHODS').filter((method) => !blocked.includes(method)),
      problems,
    ),
    bulkMethods: bulkMethodsOf(get('API_ALLOW_BULK')),
    serializationDepth: depth(read, problems),
    pageSizeDefault: pageSize(read, problems),
    pageSizeMax: get('API_PAGINATION_SIZE_MAX'),
    softDelete: resolveSoftDelete(model, meta, read, problems),
    lackedSoftDeleteColumn: lackedSoftDeleteColumn(model, read),
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
    size: meta.size,
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
function pageSize(read: SettingReader, problems: Problems): number {
  checkOrder(read, 'API_PAGINATION_SIZE_DEFAULT', 'API_PAGINATION_SIZE_MAX', problems)
  return Math.min(read.get('API_PAGINATION_SIZE_DEFAULT'), read.get('API_PAGINATION_SIZE_MAX'))
}

/** Resolves the depth of embedding, if it is set. */
function depth(read: SettingReader, problems: Problems): number | undefined {
  checkOrder(read, 'API_SERIALIZATION_DEPTH', 'API_MAX_DEPTH', problems)
  return read.find('API_SERIALIZATION_DEPTH')
}

type NumberKey =
  | 'API_PAGINATION_SIZE_DEFAULT'
  | 'API_PAGINATION_SIZE_MAX'
  | 'API_SERIALIZATION_DEPTH'
  | 'API_MAX_DEPTH'

/** Reports an explicit setting above its maximum. If only the maximum is set in meta, the problem names the maximum. */
function checkOrder(
  read: SettingReader,
  key: NumberKey,
  mostKey: NumberKey,
  problems: Problems,
): void {
  const value = read.find(key)
  const most = read.get(mostKey)
  const at = read.at(key)
  if (value === undefined || at === undefined || value <= most) return
  const atMost = read.at(mostKey)
  if (at.startsWith('config') && atMost?.startsWith('models')) {
    problems.add(atMost, `${most} is less than ${key}, ${value}.`)
  } else problems.add(at, `${value} is more than ${mostKey}, ${most}.`)
}
