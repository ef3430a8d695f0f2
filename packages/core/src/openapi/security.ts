// Security in the OpenAPI document: the strategies as `securitySchemes`, which of them an operation accepts, the roles and the CSRF header that
// it requires, and the occasions of errors that follow from them.

import type {
  ParameterObject,
  SecurityRequirementObject,
  SecuritySchemeObject,
} from 'openapi3-ts/oas31'
import type { ActionCheck } from '../access/authorize.ts'
import { decidingRules, rolesOf, ruleText } from '../access/roles/roles.ts'
import type { RoleRule, StrategyName } from '../model/settings/access/access-types.ts'
import type { AuthSettings } from '../model/settings/auth/auth-settings.ts'
import type { Occasion } from './error-catalogue.ts'

/** The authentication that an operation requires. */
export interface Protection {
  /** The accepted strategies; empty if credentials are ignored. */
  readonly strategies: readonly StrategyName[]
  /** Whether a request without credentials is refused with 401. */
  readonly required: boolean
}

const cookieScheme = 'cookie'

/** Returns one scheme per strategy, and one for an access token in a cookie. */
export function securitySchemes(auth: AuthSettings): Record<string, SecuritySchemeObject> {
  const schemes = Object.fromEntries(
    auth.strategies.map((name) => [name, name === 'custom' ? customScheme(auth) : schemeOf[name]]),
  )
  if (!hasCookie(auth)) return schemes
  return {
    ...schemes,
    [cookieScheme]: {
      type: 'apiKey',
      in: 'cookie',
      name: auth.cookieName,
      description: 'An access token in a cookie.',
    },
  }
}

const schemeOf: Readonly<Record<Exclude<StrategyName, 'custom'>, SecuritySchemeObject>> = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token: `Authorization: Bearer <token>`.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'Login name and password.' },
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An API key: `Authorization: Api-Key <key>`.',
  },
}

const installation = 'What this installation itself reads of a request.'

/** Returns the scheme of the custom strategy, as API_CUSTOM_AUTH_SCHEME describes it. */
function customScheme({ customScheme: scheme }: AuthSettings): SecuritySchemeObject {
  if (scheme?.in === 'bearer') {
    const { format, description = installation } = scheme
    const form = format === undefined ? {} : { bearerFormat: format }
    return { type: 'http', scheme: 'bearer', ...form, description }
  }
  const place = scheme ?? { in: 'header', name: 'Authorization' }
  return {
    type: 'apiKey',
    in: place.in,
    name: place.name,
    description: scheme?.description ?? installation,
  }
}

/** Returns the alternatives of an operation: each of the strategies, and `{}` if authentication is optional. */
export function securityOf(
  auth: AuthSettings,
  { strategies, required }: Protection,
): SecurityRequirementObject[] {
  const names = strategies.flatMap((name) =>
    name === 'jwt' && hasCookie(auth) ? [name, cookieScheme] : [name],
  )
  const alternatives = names.map((name) => ({ [name]: [] }))
  return required || alternatives.length === 0 ? alternatives : [{}, ...alternatives]
}

/** Returns the occasions of errors that reading a credential adds to an operation. */
export function credentialOccasions({ strategies, required }: Protection): readonly Occasion[] {
  const passwords = strategies.includes('basic') || strategies.includes('api_key')
  return [
    ...(required || strategies.length > 0 ? (['protected'] as const) : []),
    ...(passwords ? (['password', 'limited'] as const) : []),
  ]
}

/** Whether an access token may be sent as a cookie. */
export const hasCookie = ({ strategies, providers }: AuthSettings): boolean =>
  strategies.includes('jwt') && providers.includes('cookie')

/** Returns the name of the header that a write needs in addition to the cookie of the custom strategy; undefined if it needs none. */
export const csrfHeader = (
  { customScheme }: Pick<AuthSettings, 'customScheme'>,
  { strategies }: Protection,
): string | undefined =>
  customScheme?.in === 'cookie' && strategies.includes('custom') ? customScheme.csrf : undefined

/** Returns the CSRF header as a parameter, required if no other credential is accepted. */
export function csrfParameters(
  auth: AuthSettings,
  protection: Protection,
): readonly ParameterObject[] {
  const name = csrfHeader(auth, protection)
  if (name === undefined) return []
  const required = protection.required && protection.strategies.length === 1
  const description = 'The token of the session against forged requests from other sites.'
  return [{ name, in: 'header', required, description, schema: { type: 'string' } }]
}

/** Returns the role rules of an operation that name roles; a rule that requires authentication alone (`true`) is left out. */
export const roleRules = (checks: readonly ActionCheck[]): readonly RoleRule[] =>
  checks
    .flatMap(({ resource, action }) => decidingRules(resource.settings.roleMaps, action))
    .flatMap(({ rule }) => (rolesOf(rule).length === 0 ? [] : [rule]))

/** Returns the roles that an operation requires, as a sentence; undefined if it requires none. */
export function rolesText(rules: readonly RoleRule[]): string | undefined {
  const roles = [...new Set(rules.map(ruleText))]
  return roles.length === 0 ? undefined : `Roles: ${roles.join('; ')}.`
}

/** Whether the operation can respond with 403 to an authenticated caller. */
export const isRestricted = (checks: readonly ActionCheck[]): boolean =>
  checks.some(
    ({ resource: { settings }, action }) =>
      settings.policy !== null || decidingRules(settings.roleMaps, action).length > 0,
  )
