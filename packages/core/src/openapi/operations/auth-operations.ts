// The authentication endpoints as operations (specification: Authentication endpoints).

import type {
  OperationObject,
  PathItemObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { Occasion } from '../error-catalogue.ts'
import { failuresOf } from '../error-responses.ts'
import type { OperationKind } from '../form.ts'
import { authTag } from '../info.ts'
import { oneParameters, serviceParameters } from '../parameters/query-parameters.ts'
import { successSchema } from '../schemas/envelope-schemas.ts'
import { answeredRecord } from '../schemas/record-schemas.ts'
import { type Schema, shapedByCallback } from '../schemas/schema.ts'
import { shareEnvelope } from '../schemas/success-responses.ts'
import { readSchema } from '../schemas/value-schemas.ts'
import { securityOf } from '../security.ts'
import { jsonBody, type Writer } from './operations.ts'

/** Returns the authentication paths that are served, with their operations. */
export function authPaths(writer: Writer): Record<string, PathItemObject> {
  const { login, refresh, logout, me } = writer.settings.auth.routes
  return {
    ...(login === null ? {} : { [login]: { post: loginOperation(writer) } }),
    ...(refresh === null ? {} : { [refresh]: { post: refreshOperation(writer) } }),
    ...(logout === null ? {} : { [logout]: { post: logoutOperation(writer) } }),
    ...(me === null ? {} : { [me]: { get: meOperation(writer) } }),
  }
}

const text: Schema = { type: 'string' }

function loginOperation(writer: Writer): OperationObject {
  const { auth } = writer.settings
  const byHeader = auth.strategies.filter((name) => name === 'basic' || name === 'api_key')
  const tokens = auth.strategies.includes('jwt')
  const answers = [
    ...(tokens ? [pairSchema(writer)] : []),
    ...(byHeader.length > 0 ? [basicSchema(writer)] : []),
  ]
  const [only] = answers
  const body: Schema = {
    type: 'object',
    properties: { username: text, password: { type: 'string', format: 'password' } },
    required: ['username', 'password'],
  }
  return {
    ...head(writer, 'login', 'Sign in'),
    description: [
      ...(tokens ? ['A login name and a password as JSON give a pair of tokens.'] : []),
      ...(byHeader.length > 0
        ? ['A credential in the Authorization header gives basic information of its user.']
        : []),
    ].join(' '),
    security: [
      ...(tokens ? [{}] : []),
      ...securityOf(auth, { strategies: byHeader, required: true }),
    ],
    ...(tokens ? { requestBody: { ...jsonBody(body), required: byHeader.length === 0 } } : {}),
    responses: {
      200: ok(writer, answers.length === 1 && only ? only : { anyOf: answers }),
      ...fails(writer, 'Login', [
        'parameters',
        'signIn',
        'protected',
        'password',
        'limited',
        ...(tokens ? (['body'] as const) : []),
      ]),
    },
  }
}

function refreshOperation(writer: Writer): OperationObject {
  const body: Schema = {
    type: 'object',
    properties: {
      refresh_token: { type: 'string', description: 'A leading `Bearer ` is dropped.' },
    },
    required: ['refresh_token'],
  }
  return {
    ...head(writer, 'refreshTokens', 'Exchange a refresh token for a new pair'),
    description: 'A refresh token can be used once.',
    security: [],
    requestBody: jsonBody(body),
    responses: {
      200: ok(writer, pairSchema(writer)),
      ...fails(writer, 'Refresh', ['parameters', 'signIn', 'refresh', 'limited', 'body']),
    },
  }
}

function logoutOperation(writer: Writer): OperationObject {
  const { rateWindows } = writer.settings
  const limited: readonly Occasion[] = rateWindows.length > 0 ? ['limited'] : []
  return {
    ...head(writer, 'logout', 'Sign out'),
    description: 'Clears the cookie, where there is one. Tokens stay valid until they expire.',
    security: [],
    responses: {
      200: ok(writer, { type: 'null' }),
      ...fails(writer, 'Logout', ['parameters', 'signIn', ...limited]),
    },
  }
}

function meOperation(writer: Writer): OperationObject {
  const { registry, settings, components } = writer
  const { strategies } = settings.auth
  const { users } = registry
  return {
    ...head(writer, 'getCurrentUser', 'Get the current user'),
    description: 'The user whose credential is sent.',
    security: securityOf(settings.auth, { strategies, required: true }),
    ...(users === undefined ? {} : { parameters: oneParameters(components, users) }),
    responses: {
      200: ok(writer, users === undefined ? {} : answeredRecord(writer, users)),
      ...fails(writer, 'CurrentUser', [
        'protected',
        'restricted',
        'record',
        'query',
        'limited',
        ...(strategies.some((name) => name === 'basic' || name === 'api_key')
          ? (['password'] as const)
          : []),
      ]),
    },
  }
}

const head = (writer: Writer, id: string, summary: string) => ({
  operationId: writer.operationId(id),
  summary,
  tags: [authTag],
  ...serviceParameters(writer.components, writer.settings),
})

/** Returns the success response of an operation that belongs to no resource. */
export const ok = (writer: Writer, value: Schema | ReferenceObject): ResponseObject => ({
  description: 'OK.',
  content: {
    'application/json': {
      schema: {
        ...successSchema(
          { value, list: false, status: 200 },
          writer.settings.dump,
          shareEnvelope(writer, ''),
        ),
        ...(writer.settings.hooks.final === undefined ? {} : { [shapedByCallback]: true }),
      },
    },
  },
})

const fails = (writer: Writer, kind: OperationKind, occasions: readonly Occasion[]) =>
  failuresOf(writer, kind, ['always', 'database', ...occasions])

const pairSchema = (writer: Writer) =>
  writer.components.schema('token pair', 'TokenPair', () => ({
    type: 'object',
    properties: {
      access_token: { type: 'string', description: 'Goes into `Authorization: Bearer …`.' },
      refresh_token: { type: 'string', description: 'Gives the next pair, once.' },
      user_pk: userKey(writer),
    },
    required: ['access_token', 'refresh_token', 'user_pk'],
    additionalProperties: false,
  }))

const basicSchema = (writer: Writer) =>
  writer.components.schema('basic user', 'BasicUser', () => {
    const { lookupField } = writer.settings.auth
    return {
      type: 'object',
      properties: {
        user_pk: userKey(writer),
        ...(lookupField === undefined ? {} : { [lookupField]: { description: 'The login name.' } }),
      },
      required: ['user_pk', ...(lookupField === undefined ? [] : [lookupField])],
      additionalProperties: false,
    }
  })

/** Returns the schema of the user's key; for a composite key, that of the string used in paths. */
function userKey({ registry }: Writer): Schema {
  const [column, ...others] = registry.users?.primaryKey ?? []
  if (column === undefined) return { description: 'Key of the user.' }
  const schema = others.length > 0 ? text : readSchema(column)
  return { ...schema, description: 'Key of the user.' }
}
