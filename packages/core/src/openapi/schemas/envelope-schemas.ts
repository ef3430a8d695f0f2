// The JSON Schema of response bodies: the envelope of `http/envelope.ts`, without the members that API_DUMP_* settings omit, around a value.

import type { ReferenceObject } from 'openapi3-ts/oas31'
import type { DumpSettings } from '../../model/settings/settings.ts'
import type { Schema } from './schema.ts'

/** A success response of an operation. */
export interface SuccessSchema {
  readonly value: Schema | ReferenceObject
  /** Whether the value is a page of a list, with a count that may be absent and links to other pages. */
  readonly list: boolean
  readonly status: number
}

const instant: Schema = {
  type: 'string',
  format: 'date-time',
  examples: ['2026-01-02T03:04:05.678+00:00'],
}
const version: Schema = { type: 'string', description: 'Version of the API.' }
const duration: Schema = { type: 'number', description: 'Processing time in milliseconds.' }
const requestId: Schema = { type: 'string', description: 'As in the X-Request-ID header.' }
const nothing: Schema = { type: 'null' }

/** Shares an envelope schema between operations; `name` identifies it. */
export type ShareEnvelope = (name: string, schema: Schema) => ReferenceObject

/**
 * Returns the schema of a success body: the value in its envelope, or the bare value. Operations whose envelopes have the same
 * members share one schema.
 */
export function successSchema(
  { value, list, status }: SuccessSchema,
  dump: DumpSettings,
  share: ShareEnvelope,
): Schema | ReferenceObject {
  if (!dump.envelope) return value
  const always: Record<string, Schema> = {
    ...leadingMembers(status, dump),
    ...(dump.nullErrors ? { errors: nothing } : {}),
    ...(dump.requestId ? { request_id: requestId } : {}),
    ...(dump.totalCount && !list ? { total_count: count(list) } : {}),
    ...(dump.nullNextUrl ? { next_url: neighbour(list, 'next') } : {}),
    ...(dump.nullPreviousUrl ? { previous_url: neighbour(list, 'previous') } : {}),
  }
  const sometimes: Record<string, Schema> = {
    ...(dump.totalCount && list ? { total_count: count(list) } : {}),
    ...(list && !dump.nullNextUrl ? { next_url: link } : {}),
    ...(list && !dump.nullPreviousUrl ? { previous_url: link } : {}),
  }
  const required = Object.keys(always)
  const members = { ...always, ...sometimes }
  // If `value` would be the only member, the body is the bare value.
  if (Object.keys(members).length === 0) return value
  const envelope: Schema = {
    type: 'object',
    allOf: [
      share(envelopeName(list, status), {
        type: 'object',
        properties: members,
        ...(required.length === 0 ? {} : { required }),
      }),
    ],
    properties: { value },
    required: ['value'],
    unevaluatedProperties: false,
  }
  // If all other members of a response are absent, its body is the bare value.
  return required.length > 0 ? envelope : { anyOf: [value, envelope] }
}

const envelopeName = (list: boolean, status: number): string =>
  list ? 'ListEnvelope' : status === 201 ? 'CreatedEnvelope' : 'Envelope'

/** Returns the schema of an error body, which always has the envelope; without `status`, of the errors of several statuses. */
export function failureSchema(errors: Schema, dump: DumpSettings, status?: number): Schema {
  const properties: Record<string, Schema | ReferenceObject> = {
    ...leadingMembers(status, dump),
    ...(dump.totalCount ? { total_count: { type: 'integer', const: 0 } } : {}),
    ...(dump.nullNextUrl ? { next_url: nothing } : {}),
    ...(dump.nullPreviousUrl ? { previous_url: nothing } : {}),
    errors,
    ...(dump.requestId ? { request_id: requestId } : {}),
    value: nothing,
  }
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

function leadingMembers(status: number | undefined, dump: DumpSettings): Record<string, Schema> {
  const code: Schema = { type: 'integer', ...(status === undefined ? {} : { const: status }) }
  return {
    ...(dump.datetime ? { datetime: instant } : {}),
    ...(dump.version ? { api_version: version } : {}),
    ...(dump.statusCode ? { status_code: code } : {}),
    ...(dump.responseMs ? { response_ms: duration } : {}),
  }
}

const count = (list: boolean): Schema => ({
  type: 'integer',
  minimum: 0,
  description: list
    ? 'Matching records; absent with `count=none`.'
    : 'Number of records in the response, or written.',
})

const link: Schema = { type: 'string', format: 'uri-reference' }

const neighbour = (list: boolean, which: string): Schema =>
  list
    ? { type: ['string', 'null'], format: 'uri-reference', description: `The ${which} page.` }
    : nothing
