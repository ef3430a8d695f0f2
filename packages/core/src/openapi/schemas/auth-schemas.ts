// The bodies of the authentication endpoints as schemas: what login, refresh and the endpoints of API keys receive, and what they respond with.

import type { ReferenceObject } from 'openapi3-ts/oas31'
import type { Registry } from '../../model/registry/resource.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { Records } from './record-schemas.ts'
import type { Schema } from './schema.ts'
import { responseSchema } from './value-schemas.ts'

interface AuthContext extends Pick<Records, 'components'> {
  readonly settings: ApiSettings
  readonly registry: Registry
}

const text: Schema = { type: 'string' }

/** The schema of the body of a login. */
export const loginBody: Schema = {
  type: 'object',
  properties: { username: text, password: { type: 'string', format: 'password' } },
  required: ['username', 'password'],
}

/** Returns the schema of the body of a refresh. */
export const refreshBody = ({ settings }: AuthContext): Schema => ({
  type: 'object',
  properties: {
    refresh_token: { type: 'string', description: 'A leading `Bearer ` is dropped.' },
  },
  ...(settings.auth.refreshCookie === null ? { required: ['refresh_token'] } : {}),
})

/** Returns the schema of an access token with its refresh token. */
export const tokenPairSchema = (context: AuthContext): ReferenceObject =>
  context.components.schema('token pair', 'TokenPair', () => ({
    type: 'object',
    properties: {
      access_token: { type: 'string', description: 'Goes into `Authorization: Bearer …`.' },
      refresh_token:
        context.settings.auth.refreshCookie === null
          ? { type: 'string', description: 'Gives the next pair, once.' }
          : { type: 'null', description: 'The refresh token is in a cookie.' },
      user_pk: userKey(context),
    },
    required: ['access_token', 'refresh_token', 'user_pk'],
    additionalProperties: false,
  }))

/**
 * Returns the schema of the response to a login by the Authorization header, Basic or API key, which gives no tokens: the key and the login
 * name of the user (`BasicUser`: basic information).
 */
export const headerLoginUser = (context: AuthContext): ReferenceObject =>
  context.components.schema('basic user', 'BasicUser', () => {
    const { lookupField } = context.settings.auth
    return {
      type: 'object',
      properties: {
        user_pk: userKey(context),
        ...(lookupField === undefined ? {} : { [lookupField]: { description: 'The login name.' } }),
      },
      required: ['user_pk', ...(lookupField === undefined ? [] : [lookupField])],
      additionalProperties: false,
    }
  })

const moment: Schema = { type: 'string', format: 'date-time' }
const scopes: Schema = { type: 'array', items: text }

/** The schema of the body that makes an API key. */
export const keyBody: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 80 },
    scopes: {
      ...scopes,
      description: 'Roles to which the key is limited. Default: all roles of the user.',
    },
    expires_at: { ...moment, description: 'Default: never.' },
  },
  required: ['name'],
  additionalProperties: false,
}

const keyMembers = {
  id: text,
  prefix: { type: 'string', description: 'What the key begins with.' },
  name: text,
  scopes: {
    ...scopes,
    type: ['array', 'null'],
    description: 'Roles to which the key is limited; null: all roles of the user.',
  },
  created_at: moment,
  expires_at: { ...moment, type: ['string', 'null'] },
  last_used_at: { ...moment, type: ['string', 'null'], description: 'To the minute.' },
} as const satisfies Readonly<Record<string, Schema>>

/** Returns the schema of an API key without its secret. */
export const keySchema = (context: AuthContext): ReferenceObject =>
  context.components.schema('API key', 'ApiKey', () => ({
    type: 'object',
    properties: keyMembers,
    required: Object.keys(keyMembers),
    additionalProperties: false,
  }))

/** Returns the schema of a new API key, the only one that has the key itself. */
export const newKeySchema = (context: AuthContext): ReferenceObject =>
  context.components.schema('new API key', 'NewApiKey', () => ({
    type: 'object',
    properties: {
      ...keyMembers,
      key: { type: 'string', description: 'Goes into `Authorization: Api-Key …`.' },
    },
    required: [...Object.keys(keyMembers), 'key'],
    additionalProperties: false,
  }))

/** Returns the schema of the user's key; for a composite key, that of the string used in paths. */
function userKey({ registry }: AuthContext): Schema {
  const [column, ...others] = registry.users?.primaryKey ?? []
  if (column === undefined) return { description: 'Key of the user.' }
  const schema = others.length > 0 ? text : responseSchema(column)
  return { ...schema, description: 'Key of the user.' }
}
