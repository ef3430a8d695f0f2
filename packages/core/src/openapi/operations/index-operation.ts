// The index as an operation.

import type { PathItemObject } from 'openapi3-ts/oas31'
import { indexSample } from '../code-samples.ts'
import type { Occasion } from '../error-catalogue.ts'
import { failuresOf } from '../error-responses.ts'
import { indexTag } from '../info.ts'
import { serviceParameters } from '../parameters/query-parameters.ts'
import type { Schema } from '../schemas/schema.ts'
import { securityOf } from '../security.ts'
import { ok } from './auth-operations.ts'
import type { Writer } from './operations.ts'

/** Returns the path of the index, `GET /api`. */
export function indexPath(writer: Writer): Record<string, PathItemObject> {
  const { auth, prefix, rateWindows } = writer.settings
  const { strategies } = auth
  const passwords = strategies.includes('basic') || strategies.includes('api_key')
  const occasions: readonly Occasion[] = [
    'always',
    'parameters',
    ...(strategies.length > 0 ? (['protected'] as const) : []),
    ...(passwords ? (['password', 'limited'] as const) : []),
    ...(rateWindows.length > 0 ? (['limited'] as const) : []),
  ]
  const get = {
    operationId: writer.operationId('getIndex'),
    summary: 'What this API serves',
    description: 'What the caller may list, and requests to try.',
    tags: [indexTag],
    'x-codeSamples': indexSample(writer.settings),
    ...(strategies.length === 0
      ? {}
      : { security: securityOf(auth, { strategies, required: false }) }),
    ...serviceParameters(writer.components, writer.settings),
    responses: { 200: ok(writer, value), ...failuresOf(writer, 'Index', occasions) },
  }
  return { [prefix]: { get } }
}

const text: Schema = { type: 'string' }
const link: Schema = { type: 'string', format: 'uri-reference' }
const optional = (schema: Schema): Schema => ({ ...schema, type: ['string', 'null'] })

const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: { ...properties },
  required: Object.keys(properties),
  additionalProperties: false,
})

const value = closed({
  title: text,
  version: text,
  documentation: optional(link),
  openapi: optional(link),
  resources: {
    type: 'array',
    items: closed({
      name: text,
      url: link,
      description: optional(text),
      methods: { type: 'array', items: text },
    }),
  },
  examples: { type: 'array', items: closed({ description: text, url: link }) },
})
