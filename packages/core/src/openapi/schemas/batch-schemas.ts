// The body of a batch and the results of its operations as JSON Schemas of the OpenAPI document.

import type { ReferenceObject } from 'openapi3-ts/oas31'
import type { Records } from './record-schemas.ts'
import type { Schema } from './schema.ts'

/** Returns the schema of the body of a batch; `max` is the most operations that it may have. */
export const batchBody = (
  { components }: Pick<Records, 'components'>,
  max: number,
): ReferenceObject => components.schema('batch', 'Batch', () => batchSchema(max))

/** Returns the schema of the results: one for each operation, in their order. */
export const batchResults = ({ components }: Pick<Records, 'components'>): Schema => ({
  type: 'array',
  items: components.schema('operation result', 'OperationResult', () => resultSchema),
})

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
