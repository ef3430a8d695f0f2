// Error responses of an operation: the errors of its occasions by status, with sample bodies (docs/errors.md).

import type {
  ContentObject,
  ExampleObject,
  MediaTypeObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import type { ApiSettings } from '../config/settings.ts'
import type { ApiError } from '../errors.ts'
import { failureBody } from '../http/envelope.ts'
import { problemMediaType } from '../http/problem-details.ts'
import { catalogue, type Entry, type Occasion } from './catalogue.ts'
import { failureSchema } from './envelope-schemas.ts'
import type { Components, FailureShape, Failures, OperationKind } from './form.ts'
import { type Schema, shapedByCallback } from './schema.ts'

/** Returns a response for each status; `default` stands for the errors that every operation can have, and for those of hooks. */
export const failuresByStatus: Failures = (components, shape, kind, occasions) =>
  components.once(`failures ${kind} ${[...occasions].sort()} ${shapeKey(shape)}`, () =>
    gathered(components, shape, kind, occasions),
  )

/** Returns one response for all errors, with all codes and without examples. */
export const oneFailure: Failures = (components, shape) => ({
  default: components.response(`default ${shapeKey(shape)}`, `${shape.owner}Failure`, () => ({
    description: 'Any failure.',
    content: contentOf(components, shape, { schema: failureRef(components, shape, allCodes) }),
  })),
})

/** Returns the error responses of an operation that belongs to no resource. */
export const failuresOf = (
  { components, settings }: { readonly components: Components; readonly settings: ApiSettings },
  kind: OperationKind,
  occasions: readonly Occasion[],
): Record<string, ReferenceObject> =>
  components.form.failures(
    components,
    {
      version: settings.version,
      dump: settings.dump,
      final: settings.hooks.final !== undefined,
      listsProblems: settings.problemTypePrefix !== null,
      owner: '',
    },
    kind,
    new Set(occasions),
  )

/** The statuses of every operation; they are documented once, as `default`. */
const everywhere: readonly number[] = [414, 500, 503]

function gathered(
  components: Components,
  shape: FailureShape,
  kind: OperationKind,
  occasions: ReadonlySet<Occasion>,
): Record<string, ReferenceObject> {
  const errors = catalogue.filter(({ on }) => on.some((occasion) => occasions.has(occasion)))
  const statuses = [...new Set(errors.map(({ error }) => error.status))].sort((a, b) => a - b)
  return {
    ...Object.fromEntries(
      statuses
        .filter((status) => !everywhere.includes(status))
        .map((status) => {
          const those = errors.filter(({ error }) => error.status === status)
          return [status, response(components, shape, nameOf(status, kind, occasions), those)]
        }),
    ),
    default: anyOther(components, shape),
  }
}

function response(
  components: Components,
  shape: FailureShape,
  name: string,
  entries: readonly Entry[],
): ReferenceObject {
  const errors = entries.map(({ error }) => error)
  const codes = [...new Set(errors.map(({ body }) => body.code ?? ''))]
  const status = errors[0]?.status ?? 0
  return components.response(`${name} ${codes} ${shapeKey(shape)}`, `${shape.owner}${name}`, () =>
    failureResponse(
      components,
      shape,
      phrases[status] ?? `Status ${status}`,
      errors,
      shapedSchema(shape, errorsSchema(codes), status),
    ),
  )
}

/** Statuses whose codes depend on what the operation does. */
const ofDoing: readonly number[] = [400, 409, 412, 422]

/** Occasions that change the codes of a status, each with the word that it adds to the name of the response. */
const ofOccasion: Readonly<Record<number, Readonly<Partial<Record<Occasion, string>>>>> = {
  400: { join: 'Joined', position: 'AtPosition', cascade: 'Cascading' },
  401: { password: 'OfPassword', refresh: 'OfRefreshToken' },
  403: { refresh: 'RefreshToken', reach: 'Join', cookie: 'CrossSite' },
  404: { ruled: 'OrHidden' },
}

/** Returns the name of an error response. It depends only on the operation and its settings, not on other parts of the document. */
function nameOf(status: number, kind: OperationKind, occasions: ReadonlySet<Occasion>): string {
  const phrase = (phrases[status] ?? `Status ${status}`).replace(/[^A-Za-z0-9]/g, '')
  const words = Object.entries(ofOccasion[status] ?? {}).flatMap(([occasion, word]) =>
    occasions.has(occasion as Occasion) ? [word] : [],
  )
  const on = ofDoing.includes(status) ? ['On', ...words, kind] : words
  return [phrase, ...on].join('')
}

const anyOther = (components: Components, shape: FailureShape): ReferenceObject =>
  components.response(`default ${shapeKey(shape)}`, `${shape.owner}Failure`, () =>
    failureResponse(
      components,
      shape,
      'Any other failure, as every operation can have it',
      catalogue.flatMap(({ error, on }) =>
        on.includes('elsewhere') || everywhere.includes(error.status) ? [error] : [],
      ),
      failureRef(components, shape),
    ),
  )

function failureResponse(
  components: Components,
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
    content: contentOf(components, shape, {
      schema,
      examples: Object.fromEntries(
        errors.map((error) => [error.body.code ?? 'failure', example(shape, error)]),
      ),
    }),
  }
}

const contentOf = (
  components: Components,
  shape: FailureShape,
  json: MediaTypeObject,
): ContentObject => ({
  'application/json': json,
  ...(shape.listsProblems ? { [problemMediaType]: { schema: problemRef(components) } } : {}),
})

/** Returns a reference to the schema of problem details, which is the same for all errors. */
const problemRef = (components: Components): ReferenceObject =>
  components.schema('problem details', 'ProblemDetails', () => problemSchema)

export const problemSchema: Schema = {
  type: 'object',
  description:
    'An error in the form of RFC 9457, sent if `Accept` names `application/problem+json`.',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string', description: 'As `errors.error` of the envelope.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was expected.' },
    instance: { type: 'string', format: 'uri-reference', description: 'The request id.' },
    code: { type: 'string', description: 'Stable identifier of the error.' },
    at: { type: 'string', description: 'The part of the request that caused the error.' },
    problems: { description: 'Where a body is wrong: path → messages.' },
  },
  required: ['type', 'title', 'status', 'instance'],
  additionalProperties: false,
}

/** Returns a sample body. */
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

const failureRef = (
  components: Components,
  shape: FailureShape,
  codes?: readonly string[],
): ReferenceObject =>
  components.schema(`failure ${shapeKey(shape)}`, `${shape.owner}Failure`, () =>
    shapedSchema(shape, errorsSchema(codes)),
  )

const allCodes = [...new Set(catalogue.flatMap(({ error }) => error.body.code ?? []))].sort()

/** Returns the schema of the body, marked if a final callback changes the body. */
const shapedSchema = ({ dump, final }: FailureShape, errors: Schema, status?: number): Schema => ({
  ...failureSchema(errors, dump, status),
  ...(final ? { [shapedByCallback]: true } : {}),
})

/** Identifies a shape: each shape has its own components. */
const shapeKey = ({ dump, final, owner }: FailureShape): string =>
  JSON.stringify([dump, final, owner])

/** Returns the schema of `errors`, with the possible codes if they are known. */
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
