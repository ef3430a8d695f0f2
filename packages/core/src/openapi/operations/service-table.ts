// The table of operations that belong to no resource in the OpenAPI document: the index, authentication, batches and health. An entry says
// where an endpoint is served, and makes the draft of its operation.

import { hasExclusions } from '../../model/registry/resolve-exclusions.ts'
import { indexSample } from '../code-samples.ts'
import { codesOfAll } from '../declared-codes.ts'
import type { Occasion } from '../error-catalogue.ts'
import { serviceTags } from '../info.ts'
import { oneParameters, serviceParameters } from '../parameters/query-parameters.ts'
import {
  headerLoginUser,
  keyBody,
  keySchema,
  loginBody,
  newKeySchema,
  refreshBody,
  tokenPairSchema,
} from '../schemas/auth-schemas.ts'
import { batchBody, batchResults } from '../schemas/batch-schemas.ts'
import { indexSchema } from '../schemas/index-schema.ts'
import { answeredRecord } from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import {
  credentialOccasions,
  csrfParameters,
  hasCookie,
  type Protection,
  securityOf,
} from '../security.ts'
import type { DocumentBuilder, ServiceDraft, ServiceEntry } from './operation-draft.ts'

/** The operations, in the order of the document. */
export const serviceTable: readonly ServiceEntry[] = [
  {
    route: 'index',
    method: 'get',
    tag: serviceTags.index,
    draft(builder) {
      const { auth, rateWindows } = builder.settings
      const protection = { strategies: auth.strategies, required: false }
      return {
        id: 'getIndex',
        kind: 'Index',
        summary: 'What this API serves',
        description: 'What the caller may list, and requests to try.',
        samples: indexSample(builder.settings),
        security: auth.strategies.length === 0 ? undefined : securityOf(auth, protection),
        parameters: serviceParameters(builder.components, builder.settings),
        value: indexSchema,
        occasions: [
          'parameters',
          ...credentialOccasions(protection),
          ...(rateWindows.length > 0 ? (['limited'] as const) : []),
        ],
      }
    },
  },
  {
    route: 'login',
    method: 'post',
    tag: serviceTags.auth,
    draft: login,
  },
  {
    route: 'refresh',
    method: 'post',
    tag: serviceTags.auth,
    draft: (builder) => ({
      id: 'refreshTokens',
      kind: 'Refresh',
      summary: 'Exchange a refresh token for a new pair',
      description:
        builder.settings.auth.refreshCookie === null
          ? 'A refresh token can be used once.'
          : 'A refresh token can be used once. It is read from the body, or else from its cookie.',
      security: [],
      parameters: serviceParameters(builder.components, builder.settings),
      body: refreshBody(builder),
      bodyIsOptional: builder.settings.auth.refreshCookie !== null,
      value: tokenPairSchema(builder),
      occasions: [
        ...(['database', 'parameters', 'signIn', 'refresh', 'limited', 'body'] as const),
        ...(builder.settings.auth.refreshCookie === null ? [] : (['refreshCookie'] as const)),
      ],
    }),
  },
  {
    route: 'logout',
    method: 'post',
    tag: serviceTags.auth,
    draft: (builder) => ({
      id: 'logout',
      kind: 'Logout',
      summary: 'Sign out',
      description: 'Clears the cookies, where there are any. Tokens stay valid until they expire.',
      security: [],
      parameters: serviceParameters(builder.components, builder.settings),
      value: { type: 'null' },
      occasions: [
        ...(['database', 'parameters', 'signIn'] as const),
        ...(builder.settings.rateWindows.length > 0 ? (['limited'] as const) : []),
      ],
    }),
  },
  {
    route: 'me',
    method: 'get',
    tag: serviceTags.auth,
    draft(builder) {
      const { registry, settings, components } = builder
      const { users } = registry
      const protection = { strategies: settings.auth.strategies, required: true }
      return {
        id: 'getCurrentUser',
        kind: 'CurrentUser',
        summary: 'Get the current user',
        description: 'The user whose credential is sent.',
        security: securityOf(settings.auth, protection),
        parameters:
          users === undefined
            ? serviceParameters(components, settings)
            : oneParameters(components, users),
        value: users === undefined ? {} : answeredRecord(builder, users),
        occasions: [
          ...(['database', 'restricted', 'record', 'query', 'limited'] as const),
          ...credentialOccasions(protection),
        ],
      }
    },
  },
  {
    route: 'keys',
    method: 'get',
    tag: serviceTags.auth,
    draft: (builder) => ({
      ...aboutKeys(builder),
      id: 'listApiKeys',
      summary: 'List the own API keys',
      description: 'The newest first, without the keys themselves.',
      value: { type: 'array', items: keySchema(builder) },
    }),
  },
  {
    route: 'keys',
    method: 'post',
    tag: serviceTags.auth,
    draft(builder) {
      const common = aboutKeys(builder, [...ofWrites(builder), 'body', 'newKey'])
      return {
        ...common,
        id: 'createApiKey',
        summary: 'Make an API key',
        description:
          'Only this response has the key. A key cannot make one with more scopes, or one that expires later, than itself.',
        parameters: [
          ...common.parameters,
          ...csrfParameters(builder.settings.auth, ofKeys(builder)),
        ],
        body: keyBody,
        status: 201,
        value: newKeySchema(builder),
      }
    },
  },
  {
    route: 'keys',
    below: '/{id}',
    method: 'delete',
    tag: serviceTags.auth,
    draft(builder) {
      const common = aboutKeys(builder, [...ofWrites(builder), 'record'])
      const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } } as const
      return {
        ...common,
        id: 'deleteApiKey',
        summary: 'Delete one of the own API keys',
        description: 'The key is refused from now on.',
        parameters: [
          id,
          ...common.parameters,
          ...csrfParameters(builder.settings.auth, ofKeys(builder)),
        ],
        value: { type: 'null' },
      }
    },
  },
  {
    route: 'batch',
    method: 'post',
    tag: serviceTags.batch,
    draft(builder) {
      const { components, registry, settings } = builder
      const protection = { strategies: settings.auth.strategies, required: false }
      return {
        id: 'runBatch',
        kind: 'Batch',
        summary: 'Run several requests in one transaction',
        description: [
          'The requests run in their order, each with the rights, the validation and the response of a request of its own.',
          'If one of them fails, the response is its status and its error, `at` is its place, such as `operations[3]`, and nothing is stored.',
        ].join(' '),
        security: securityOf(settings.auth, protection),
        parameters: [
          ...serviceParameters(components, settings),
          ...csrfParameters(settings.auth, protection),
        ],
        body: batchBody(builder, settings.batch?.max ?? 0),
        value: batchResults(builder),
        occasions: batchOccasions(builder),
        codes: codesOfAll(registry, 'Batch'),
      }
    },
  },
  {
    route: 'health',
    method: 'get',
    tag: serviceTags.health,
    draft: () => health('getHealth', 'Whether the process lives', 'live'),
  },
  {
    route: 'readiness',
    method: 'get',
    tag: serviceTags.health,
    draft: () => health('getReadiness', 'Whether requests can be served', 'ready', ['health']),
  },
]

const ofKeys = ({ settings }: DocumentBuilder): Protection => ({
  strategies: settings.auth.strategies,
  required: true,
})

const ofWrites = ({ settings }: DocumentBuilder): readonly Occasion[] =>
  hasCookie(settings.auth) ? ['cookie'] : []

/** Returns what the operations of API keys have in common. */
const aboutKeys = (builder: DocumentBuilder, occasions: readonly Occasion[] = []) => ({
  kind: 'Keys' as const,
  security: securityOf(builder.settings.auth, ofKeys(builder)),
  parameters: serviceParameters(builder.components, builder.settings),
  occasions: [
    ...(['database', 'parameters', 'signIn', 'limited'] as const),
    ...credentialOccasions(ofKeys(builder)),
    ...occasions,
  ],
})

/** A login by JSON gives tokens, with the strategy jwt; a login by the Authorization header gives the user, with basic or api_key. */
function login(builder: DocumentBuilder): ServiceDraft {
  const { auth } = builder.settings
  const byHeader = auth.strategies.filter((name) => name === 'basic' || name === 'api_key')
  const tokens = auth.jwt !== null
  const answers = [
    ...(tokens ? [tokenPairSchema(builder)] : []),
    ...(byHeader.length > 0 ? [headerLoginUser(builder)] : []),
  ]
  const [only] = answers
  return {
    id: 'login',
    kind: 'Login',
    summary: 'Sign in',
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
    parameters: serviceParameters(builder.components, builder.settings),
    ...(tokens ? { body: loginBody, bodyIsOptional: byHeader.length > 0 } : {}),
    value: answers.length === 1 && only ? only : { anyOf: answers },
    occasions: [
      ...(['database', 'parameters', 'signIn', 'protected', 'password', 'limited'] as const),
      ...(tokens ? (['body'] as const) : []),
    ],
  }
}

/** The occasions of a batch: an operation can fail in every way in which the same request can fail on its own. */
const batchOccasions = ({ registry }: DocumentBuilder): readonly Occasion[] => [
  'batch',
  'limited',
  'protected',
  'cookie',
  'password',
  'restricted',
  'relationRight',
  'record',
  'query',
  'list',
  'join',
  'otherResource',
  'database',
  'body',
  'written',
  'stored',
  'removed',
  'restored',
  'precondition',
  'bulk',
  'idempotent',
  ...(hasExclusions(registry) ? (['exclusive'] as const) : []),
  ...(registry.resources.some(({ settings }) => settings.allowUpsert) ? (['upsert'] as const) : []),
]

/** The operation of one of the two health routes. */
function health(
  id: string,
  summary: string,
  status: 'live' | 'ready',
  occasions: readonly Occasion[] = [],
): ServiceDraft {
  const value: Schema = {
    type: 'object',
    properties: { status: { type: 'string', const: status } },
    required: ['status'],
    additionalProperties: false,
  }
  const description = 'For load balancers and orchestrators.'
  return {
    id,
    kind: 'Health',
    summary,
    description,
    security: [],
    parameters: [],
    value,
    occasions,
  }
}
