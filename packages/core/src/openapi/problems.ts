// Error responses of an operation: the errors of its occasions by status, with sample bodies (contract §10).

import type { ExampleObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
import type { ApiSettings, DumpSettings } from '../config/settings.ts'
import type { ApiError } from '../errors.ts'
import { failureBody } from '../http/envelope.ts'
import { catalogue, type Occasion } from './catalogue.ts'
import type { Components } from './components.ts'
import { failureSchema } from './envelope-schemas.ts'
import { type Schema, shapedByCallback } from './schema.ts'

type Responses = Record<string, ReferenceObject>

/** The settings that shape error bodies: those of the resource, else of the API. */
export interface FailureShape {
  readonly version: string
  readonly dump: DumpSettings
  /** Whether a final callback changes the body. */
  readonly final: boolean
}

/** The error responses of an operation; `default` is any other error, such as those of hooks. */
export function failures(
  components: Components,
  shape: FailureShape,
  occasions: ReadonlySet<Occasion>,
): Responses {
  const key = `failures ${[...occasions].sort()} ${shapeKey(shape)}`
  return components.once(key, () => gathered(components, shape, occasions))
}

/** The error responses of an operation outside of the resources. */
export const failuresOf = (
  { components, settings }: { readonly components: Components; readonly settings: ApiSettings },
  occasions: readonly Occasion[],
): Responses =>
  failures(
    components,
    {
      version: settings.version,
      dump: settings.dump,
      final: settings.hooks.final !== undefined,
    },
    new Set(occasions),
  )

function gathered(
  components: Components,
  shape: FailureShape,
  occasions: ReadonlySet<Occasion>,
): Responses {
  const errors = catalogue.filter(({ on }) => on.some((occasion) => occasions.has(occasion)))
  const statuses = [...new Set(errors.map(({ error }) => error.status))].sort((a, b) => a - b)
  return {
    ...Object.fromEntries(
      statuses.map((status) => {
        const those = errors.map(({ error }) => error).filter((error) => error.status === status)
        return [status, response(components, shape, status, those)]
      }),
    ),
    default: anyOther(components, shape),
  }
}

function response(
  components: Components,
  shape: FailureShape,
  status: number,
  errors: readonly ApiError[],
): ReferenceObject {
  const codes = [...new Set(errors.map(({ body }) => body.code ?? ''))]
  const phrase = phrases[status] ?? `Status ${status}`
  const name = phrase.replace(/[^A-Za-z]/g, '')
  return components.response(`${status} ${codes} ${shapeKey(shape)}`, name, () =>
    failureResponse(shape, phrase, errors, shapedSchema(shape, errorsSchema(codes), status)),
  )
}

const anyOther = (components: Components, shape: FailureShape): ReferenceObject =>
  components.response(`default ${shapeKey(shape)}`, 'Failure', () =>
    failureResponse(
      shape,
      'Any other failure',
      catalogue.flatMap(({ error, on }) => (on.includes('elsewhere') ? [error] : [])),
      failureRef(components, shape),
    ),
  )

function failureResponse(
  shape: FailureShape,
  phrase: string,
  errors: readonly ApiError[],
  schema: Schema | ReferenceObject,
): ResponseObject {
  const headers = [...new Set(errors.flatMap((error) => Object.keys(error.headers)))]
  return {
    description: `${phrase}.`,
    ...(headers.length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            headers.map((name) => [canonical(name), { schema: { type: 'string' } }]),
          ),
        }),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(
          errors.map((error) => [error.body.code ?? 'failure', example(shape, error)]),
        ),
      },
    },
  }
}

/** A sample body. */
function example({ version, dump }: FailureShape, { status, body }: ApiError): ExampleObject {
  const stamp = {
    version,
    requestId: '0b3c8a52-5a3e-4c55-9c0a-3d1f0a6f2b7e',
    now: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    elapsed: 1.25,
  }
  return {
    summary: typeof body.reason === 'string' ? body.reason : body.error,
    value: failureBody(status, body, stamp, dump),
  }
}

const failureRef = (components: Components, shape: FailureShape): ReferenceObject =>
  components.schema(`failure ${shapeKey(shape)}`, 'Failure', () =>
    shapedSchema(shape, errorsSchema()),
  )

/** The schema of the body, with a note if a final callback changes it. */
const shapedSchema = ({ dump, final }: FailureShape, errors: Schema, status?: number): Schema => ({
  ...failureSchema(errors, dump, status),
  ...(final ? { [shapedByCallback]: true } : {}),
})

/** Different shapes need different components. */
const shapeKey = ({ dump, final }: FailureShape): string => JSON.stringify([dump, final])

/** The schema of `errors`, with its possible codes if known. */
function errorsSchema(codes?: readonly string[]): Schema {
  return {
    type: 'object',
    description: 'What went wrong.',
    properties: {
      error: {
        type: 'string',
        description: 'The HTTP reason phrase, or a more specific text.',
      },
      reason: { description: 'What was expected; for a body, by path.' },
      code: {
        type: 'string',
        description: 'Stable identifier of the error.',
        ...(codes === undefined ? {} : { enum: [...codes] }),
      },
      at: { type: 'string', description: 'The part of the request that caused the error.' },
    },
    required: ['error'],
    additionalProperties: false,
  }
}

const canonical = (header: string): string =>
  header.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())

/** The phrase of a status. */
export const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}
