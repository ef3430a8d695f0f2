// Resolves the authentication settings at start-up: strategies, routes, and the settings each strategy requires; a missing one is reported as a
// problem. The room `auth` works by the result.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { AnyModel } from '../../define-model.ts'
import type { StrategyName } from '../access/access-types.ts'
import type { ApiConfig } from '../config.ts'
import type { Problems } from '../setting-problems.ts'
import { settingReader } from '../setting-reader.ts'
import { resolveAuthRoutes } from './auth-routes.ts'
import type { AuthSettings, Environment } from './auth-settings.ts'
import { resolveRefreshCookie } from './cookies/resolve-refresh-cookie.ts'
import { readRateWindows } from './rate-windows.ts'
import { resolveJwt } from './resolve-jwt.ts'
import { conditionProblem } from './user-active-problem.ts'

/** Resolves the settings of authentication, from a checked configuration and the strategies that models add (`ofModels`). */
export function resolveAuth(
  config: ApiConfig,
  env: Environment,
  ofModels: readonly StrategyName[],
  problems: Problems,
): AuthSettings {
  const { get, find } = settingReader(config)
  const strategies = [...new Set([...(find('API_AUTHENTICATE_METHOD') ?? []), ...ofModels])]
  const issuers = find('API_JWT_ISSUERS') ?? []
  const issuesTokens = strategies.includes('jwt') && !hasOnlyIssuers(config, env)
  checkRequiredSettings(config, strategies, issuesTokens, problems)
  checkIssuers(config, strategies, problems)
  checkCustomStrategy(config, strategies, problems)
  checkUnusedStrategies(config, strategies, problems)
  checkKeys(config, strategies, problems)
  checkUserModel(config, problems)
  const routes = resolveAuthRoutes(config, strategies, issuesTokens)
  return {
    strategies,
    userModel: find('API_USER_MODEL'),
    lookupField: find('API_USER_LOOKUP_FIELD'),
    checkMethod: find('API_CREDENTIAL_CHECK_METHOD'),
    userActive: find('API_USER_ACTIVE'),
    passwordCost: get('API_PASSWORD_COST'),
    hashField: find('API_CREDENTIAL_HASH_FIELD'),
    keyLookup: find('API_KEY_AUTH_AND_RETURN_METHOD'),
    customAuth: find('API_CUSTOM_AUTH'),
    customPerBatch: get('API_CUSTOM_AUTH_PER_BATCH'),
    customScheme: find('API_CUSTOM_AUTH_SCHEME'),
    issuers,
    leeway: get('API_JWT_LEEWAY'),
    jwt: issuesTokens ? resolveJwt(config, env, routes.login !== null, problems) : null,
    providers: get('API_AUTH_TOKEN_PROVIDERS'),
    cookieName: get('API_AUTH_COOKIE_NAME'),
    refreshCookie: resolveRefreshCookie(config, routes, problems),
    trustedOrigins: get('API_TRUSTED_ORIGINS'),
    routes,
    loginWindows: readRateWindows(get('API_LOGIN_RATE_LIMIT')) ?? [],
  }
}

/** Checks that each strategy has the settings that it cannot work without. */
function checkRequiredSettings(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  issuesTokens: boolean,
  problems: Problems,
): void {
  const need = (strategy: StrategyName, keys: readonly (keyof ApiConfig)[]): void => {
    for (const key of keys) {
      if (config[key] !== undefined) continue
      problems.add(`config.${key}`, `is required by the strategy "${strategy}".`)
    }
  }
  for (const strategy of strategies) {
    if (strategy === 'jwt' && !issuesTokens) continue
    if (strategy === 'jwt' || strategy === 'basic') {
      need(strategy, ['API_USER_MODEL', 'API_USER_LOOKUP_FIELD', 'API_CREDENTIAL_CHECK_METHOD'])
    } else if (strategy === 'custom') {
      need(strategy, ['API_CUSTOM_AUTH'])
    } else if (config.API_KEY_AUTH_AND_RETURN_METHOD === undefined) {
      if (config.API_CREDENTIAL_HASH_FIELD === undefined) {
        if (config.API_KEYS === true) continue
        problems.add(
          'config.API_KEY_AUTH_AND_RETURN_METHOD',
          'is required by the strategy "api_key", or API_KEYS: true, or API_CREDENTIAL_HASH_FIELD with API_CREDENTIAL_CHECK_METHOD.',
        )
      } else need(strategy, ['API_USER_MODEL', 'API_CREDENTIAL_CHECK_METHOD'])
    }
  }
}

/** Whether all tokens come from other issuers: there are such, and no key of an own token. */
function hasOnlyIssuers(config: ApiConfig, env: Environment): boolean {
  const keys = ['SECRET_KEY', 'PRIVATE_KEY', 'PUBLIC_KEY'] as const
  const names = keys.flatMap((key) => [`ACCESS_${key}`, `REFRESH_${key}`] as const)
  const hasOwn = names.some((name) => config[name] !== undefined || (env[name] ?? '') !== '')
  return (config.API_JWT_ISSUERS ?? []).length > 0 && !hasOwn
}

/** Checks that a token names one issuer, and that something reads tokens of issuers. */
function checkIssuers(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  problems: Problems,
): void {
  const issuers = config.API_JWT_ISSUERS ?? []
  const at = 'config.API_JWT_ISSUERS'
  if (issuers.length > 0 && !strategies.includes('jwt')) {
    problems.add(
      at,
      'belongs to the strategy "jwt", which is not enabled: add it to API_AUTHENTICATE_METHOD.',
    )
  }
  const known = new Set(config.API_JWT_ISSUER === undefined ? [] : [config.API_JWT_ISSUER])
  for (const { issuer } of issuers) {
    if (known.has(issuer)) problems.add(at, `"${issuer}" is named twice, or is API_JWT_ISSUER.`)
    known.add(issuer)
  }
}

/** Reports settings of the custom strategy if it is not enabled. */
function checkCustomStrategy(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  problems: Problems,
): void {
  if (strategies.includes('custom')) return
  for (const key of ['API_CUSTOM_AUTH_SCHEME', 'API_CUSTOM_AUTH_PER_BATCH'] as const) {
    if (config[key] === undefined || config[key] === false) continue
    problems.add(
      `config.${key}`,
      'belongs to the strategy "custom", which is not enabled: set API_AUTHENTICATE_METHOD.',
    )
  }
}

/** Reports the function of a strategy that nothing enables, if API_AUTHENTICATE_METHOD is unset: the API would be public by mistake. */
function checkUnusedStrategies(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  problems: Problems,
): void {
  if (config.API_AUTHENTICATE_METHOD !== undefined) return
  const functions = [
    ['API_CUSTOM_AUTH', 'custom'],
    ['API_KEY_AUTH_AND_RETURN_METHOD', 'api_key'],
  ] as const
  for (const [key, strategy] of functions) {
    if (config[key] === undefined || strategies.includes(strategy)) continue
    problems.add(
      `config.${key}`,
      `belongs to the strategy "${strategy}", which is not enabled: set API_AUTHENTICATE_METHOD: ['${strategy}'], or [] for an API without authentication.`,
    )
  }
}

/** Checks what API_KEYS needs: the strategy that reads keys, and the model of the users to whom they belong. */
function checkKeys(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  problems: Problems,
): void {
  if (config.API_KEYS !== true) return
  if (!strategies.includes('api_key')) {
    problems.add(
      'config.API_KEYS',
      'belongs to the strategy "api_key", which is not enabled: add it to API_AUTHENTICATE_METHOD.',
    )
  }
  if (config.API_USER_MODEL === undefined) {
    problems.add('config.API_USER_MODEL', 'is required by API_KEYS.')
  }
}

/** Checks that the user model has the configured fields and method. */
function checkUserModel(config: ApiConfig, problems: Problems): void {
  const model = config.API_USER_MODEL as AnyModel | undefined
  const active = config.API_USER_ACTIVE
  if (model === undefined) {
    if (active !== undefined) problems.add('config.API_USER_ACTIVE', 'needs API_USER_MODEL.')
    return
  }
  if (typeof model.name !== 'string' || typeof model.columns !== 'object') {
    problems.add('config.API_USER_MODEL', 'expected what defineModel returns.')
    return
  }
  if (!Object.values(model.columns).some((column) => column.primaryKey)) {
    problems.add('config.API_USER_MODEL', `${model.name} has no primary key.`)
  }
  for (const key of ['API_USER_LOOKUP_FIELD', 'API_CREDENTIAL_HASH_FIELD'] as const) {
    const field = config[key]
    if (field === undefined || Object.hasOwn(model.columns, field)) continue
    const hint = didYouMean(field, Object.keys(model.columns))
    problems.add(`config.${key}`, `${model.name} has no column "${field}".${hint}`)
  }
  const wrong = active === undefined ? undefined : conditionProblem(active, model)
  if (wrong !== undefined) problems.add('config.API_USER_ACTIVE', wrong)
  const method = config.API_CREDENTIAL_CHECK_METHOD
  const methods = model.methods ?? {}
  if (method !== undefined && !Object.hasOwn(methods, method)) {
    const hint = didYouMean(method, Object.keys(methods))
    problems.add(
      'config.API_CREDENTIAL_CHECK_METHOD',
      `${model.name} has no method "${method}".${hint}`,
    )
  }
}
