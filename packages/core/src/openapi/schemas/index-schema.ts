// The response of the index, `GET /api`, as a schema.

import type { Schema } from './schema.ts'

const text: Schema = { type: 'string' }
const link: Schema = { type: 'string', format: 'uri-reference' }
const optional = (schema: Schema): Schema => ({ ...schema, type: ['string', 'null'] })

/** Returns the schema of an object with exactly these members. */
const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: { ...properties },
  required: Object.keys(properties),
  additionalProperties: false,
})

/** The schema of `ServiceIndex` (`http/pages/index-page.ts`). */
export const indexSchema: Schema = closed({
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
      size: optional(text),
      methods: { type: 'array', items: text },
    }),
  },
  examples: { type: 'array', items: closed({ description: text, url: link }) },
})
