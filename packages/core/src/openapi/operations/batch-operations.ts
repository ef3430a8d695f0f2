// The batch endpoint as an operation.

import type { OperationObject, PathItemObject } from 'openapi3-ts/oas31'
import { codesOfAll } from '../declared-codes.ts'
import type { Occasion } from '../error-catalogue.ts'
import { failuresOf } from '../error-responses.ts'
import { batchTag } from '../info.ts'
import { serviceParameters } from '../parameters/query-parameters.ts'
import type { Schema } from '../schemas/schema.ts'
import { csrfParameters, securityOf } from '../security.ts'
import { ok } from './auth-operations.ts'
import { jsonBody, type Writer } from './operations.ts'

/** Returns the path of the batch endpoint with its operation; nothing if it is not served. */
export function batchPaths(writer: Writer): Record<string, PathItemObject> {
  const { batch } = writer.settings
  return batch === null ? {} : { [batch.path]: { post: operation(writer, batch.max) } }
}

/** The occasions of errors in a batch: an operation can fail in every way in which the same request can fail on its own. */
const occasions: readonly Occasion[] = [
  'always',
  'batch',
  'limited',
  'protected',
  'cookie',
  'password',
  'restricted',
  'ruled',
  'record',
  'query',
  'list',
  'join',
  'reach',
  'value',
  'database',
  'body',
  'written',
  'stored',
  'removed',
  'restored',
  'precondition',
  'bulk',
  'idempotent',
]

function occasionsIn({ registry }: Writer): readonly Occasion[] {
  const settings = registry.resources.map((resource) => resource.settings)
  return [
    ...occasions,
    ...(settings.some((one) => one.allowUpsert) ? (['upsert'] as const) : []),
    ...(settings.some((one) => one.requireIfMatch) ? (['requiredVersion'] as const) : []),
    ...(settings.some((one) => one.requireIfMatchEverywhere)
      ? (['requiredVersions'] as const)
      : []),
  ]
}

function operation(writer: Writer, max: number): OperationObject {
  const { components, settings } = writer
  const protection = { strategies: settings.auth.strategies, required: false }
  const { parameters: hosts = [] } = serviceParameters(components, settings)
  const parameters = [...hosts, ...csrfParameters(settings.auth, protection)]
  const body = components.schema('batch', 'Batch', () => batchSchema(max))
  const result = components.schema('operation result', 'OperationResult', () => resultSchema)
  return {
    operationId: writer.operationId('runBatch'),
    summary: 'Run several requests in one transaction',
    description: [
      'The requests run in their order, each with the rights, the validation and the response of a request of its own.',
      'If one of them fails, the response is its status and its error, `at` is its place, such as `operations[3]`, and nothing is stored.',
    ].join(' '),
    tags: [batchTag],
    security: securityOf(settings.auth, protection),
    ...(parameters.length === 0 ? {} : { parameters }),
    requestBody: jsonBody(body),
    responses: {
      200: ok(writer, { type: 'array', items: result }),
      ...failuresOf(writer, 'Batch', occasionsIn(writer), codesOfAll(writer.registry, 'Batch')),
    },
  }
}

const text: Schema = { type: 'string' }

const batchSchema = (max: number): Schema => ({
  type: 'object',
  properties: {
    operations: { type: 'array', items: operationSchema, minItems: 1, maxItems: max },
    dry_run: {
      type: 'boolean',
      default: false,
      description: 'Responds as it would otherwise, and stores nothing.',
    },
  },
  required: ['operations'],
  additionalProperties: false,
  // The example has no `$ref` in a body: tools would resolve it as a reference of the document.
  examples: [
    {
      operations: [
        { id: 'a', method: 'POST', url: '/api/authors', body: { name: 'Ann Archer' } },
        { id: 'b', method: 'GET', url: '/api/authors/{a.id}/books' },
      ],
    },
  ],
})

const operationSchema: Schema = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$',
      description:
        'A name for its result, unique in the batch. Default: the position of the operation, from `0`, which no reference can name.',
    },
    method: { type: 'string', examples: ['POST'] },
    url: {
      type: 'string',
      description:
        'Path and query. `{a.id}`, as a segment of the path or a value of the query, is the member `id` of the value of the earlier operation `a`.',
    },
    headers: {
      type: 'object',
      properties: {
        accept: text,
        'content-type': text,
        'if-match': text,
        'if-none-match': text,
        prefer: text,
        'x-http-method-override': text,
      },
      description: 'By names in any case. All other headers are those of the batch.',
    },
    body: {
      description:
        'The body. `{ "$ref": "a.id" }` in it is the member `id` of the value of the earlier operation `a`, as in `{ "title": "Arrows", "author_id": { "$ref": "a.id" } }`.',
    },
  },
  required: ['method', 'url'],
  additionalProperties: false,
}

const resultSchema: Schema = {
  type: 'object',
  properties: {
    id: text,
    status: { type: 'integer', minimum: 200 },
    headers: {
      type: 'object',
      additionalProperties: text,
      description:
        'By names in lower case; of a list also `x-total-count` and `link`, of a write of many records `x-total-count`.',
    },
    value: { description: 'The `value` of the response to the operation; null without a body.' },
  },
  required: ['id', 'status', 'headers', 'value'],
  additionalProperties: false,
}
