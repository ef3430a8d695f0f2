// The error responses of an operation in the OpenAPI document, by status: the errors of the catalogue that its occasions allow, and the codes
// of the host, with sample bodies (docs/reference/errors.md). Operations with the same errors share components such as `BadRequestOnList`.
// `phrases` names all statuses, also those of successes.

import type { ExampleObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
import { type ApiError, apiError } from '../errors.ts'
import { failureBody } from '../http/envelope.ts'
import { problemCodes } from '../lib/problems/problem-codes.ts'
import type { DeclaredCode } from '../model/settings/error-codes.ts'
import type { ApiSettings, DumpSettings } from '../model/settings/settings.ts'
import { noCodes, type OperationCodes, type OperationKind } from './declared-codes.ts'
import { catalogue, type Occasion } from './error-catalogue.ts'
import type { Components } from './schemas/components.ts'
import { failureSchema } from './schemas/envelope-schemas.ts'
import { type Schema, shapedByCallback } from './schemas/schema.ts'

/** The settings that shape error bodies: those of the resource, or of the API if there is no resource. */
export interface FailureShape {
  readonly version: string
  readonly dump: DumpSettings
  /** Whether a final callback changes the body. */
  readonly final: boolean
  /** The prefix of component names: the resource, if its shape differs from that of the API; else empty. */
  readonly owner: string
}

/**
 * Returns a response for each status; `default` stands for the errors that every operation can have, and for those of hooks that are
 * not declared.
 */
export const failuresByStatus = (
  components: Components,
  shape: FailureShape,
  kind: OperationKind,
  occasions: ReadonlySet<Occasion>,
  declared: OperationCodes,
): Record<string, ReferenceObject> =>
  components.once(
    `failures ${kind} ${[...occasions].sort()} ${declaredKey(declared)} ${shapeKey(shape)}`,
    () => responsesByStatus(components, shape, kind, occasions, declared),
  )

/** Returns the error responses of an operation that belongs to no resource. */
export const failuresOf = (
  { components, settings }: { readonly components: Components; readonly settings: ApiSettings },
  kind: OperationKind,
  occasions: readonly Occasion[],
  declared: OperationCodes = noCodes,
): Record<string, ReferenceObject> =>
  failuresByStatus(
    components,
    {
      version: settings.version,
      dump: settings.dump,
      final: settings.hooks.final !== undefined,
      owner: '',
    },
    kind,
    new Set(occasions),
    declared,
  )

/** The statuses of every operation; they are documented once, as `default`, unless the host declares a code with the status. */
const statusesOfAll: readonly number[] = [414, 500, 503]

/**
 * The errors of the service that are documented as `default`: those of every operation, and (`elsewhere`) those of no operation of the
 * document.
 */
const errorsOfDefault: readonly ApiError[] = catalogue.flatMap(({ error, on }) =>
  on.includes('elsewhere') || statusesOfAll.includes(error.status) ? [error] : [],
)

/** `failuresByStatus` without its cache. */
function responsesByStatus(
  components: Components,
  shape: FailureShape,
  kind: OperationKind,
  occasions: ReadonlySet<Occasion>,
  declared: OperationCodes,
): Record<string, ReferenceObject> {
  const errors = catalogue.flatMap(({ error, on }) =>
    on.some((occasion) => occasions.has(occasion)) ? [error] : [],
  )
  const listed = new Set(
    errors.map(({ status }) => status).filter((status) => !statusesOfAll.includes(status)),
  )
  const statuses = new Set([...listed, ...declared.codes.map(({ status }) => status)])
  return {
    ...Object.fromEntries(
      [...statuses]
        .sort((a, b) => a - b)
        .map((status) => {
          // A status that only the host's codes list also has the errors that `default` would otherwise describe.
          const those = (listed.has(status) ? errors : errorsOfDefault).filter(
            (error) => error.status === status,
          )
          const own = declared.codes.filter((code) => code.status === status)
          const name =
            own.length === 0
              ? nameOf(status, kind, occasions)
              : nameWithCodes(shape, status, occasions, declared, listed.has(status))
          return [status, errorResponse(components, shape, name, status, those, own)]
        }),
    ),
    default: anyOther(components, shape),
  }
}

/** Returns the response of a status, as a component that operations with the same codes share. */
function errorResponse(
  components: Components,
  shape: FailureShape,
  name: string,
  status: number,
  ofService: readonly ApiError[],
  declared: readonly DeclaredCode[],
): ReferenceObject {
  const errors = [...ofService, ...declared.map(sampleOf)]
  const codes = [...new Set(errors.map(({ body }) => body.code ?? ''))]
  return components.response(`${name} ${codes} ${shapeKey(shape)}`, `${shape.owner}${name}`, () =>
    failureResponse(
      shape,
      [`${phraseOf(status)}.`, ...declared.map(describedCode)].join(' '),
      errors,
      shapedSchema(shape, errorsSchema(components, codesSchema(codes)), status),
    ),
  )
}

/** Returns a sample of an error that the host declares. */
const sampleOf = ({ code, status, description }: DeclaredCode): ApiError =>
  apiError(status, phraseOf(status), description, code)

/** Returns a code with its description, as a sentence in Markdown. */
const describedCode = ({ code, description }: DeclaredCode): string =>
  `\`${code}\`: ${description}${/[.!?]$/.test(description) ? '' : '.'}`

/** Statuses whose codes depend on the kind of operation, which is therefore part of the name of the response: `ConflictOnCreate`. */
const statusesByKind: readonly number[] = [400, 409, 412, 422]

/** Occasions that change the codes of a status, each with the word that it adds to the name of the response. */
const wordsByOccasion: Readonly<Record<number, Readonly<Partial<Record<Occasion, string>>>>> = {
  400: { join: 'Joined', position: 'AtPosition', cascade: 'Cascading' },
  401: { password: 'OfPassword', refresh: 'OfRefreshToken' },
  403: { refresh: 'RefreshToken', otherResource: 'Join', cookie: 'CrossSite' },
  404: { relationRight: 'OrHidden' },
}

/** Returns the name of an error response. It depends only on the operation and its settings, not on other parts of the document. */
function nameOf(status: number, kind: OperationKind, occasions: ReadonlySet<Occasion>): string {
  const words = wordsOf(status, occasions)
  const on = statusesByKind.includes(status) ? ['On', ...words, kind] : words
  return [phraseInName(status), ...on].join('')
}

/**
 * Returns the name of an error response with codes of the host, which depend on the operation and perhaps on the resource. It ends in
 * `OfHost` if the operation has no error of the service with this status, and other operations have. `kind` is that of the codes: unlike
 * `OperationKind`, it tells PUT (`Replace`) from PATCH (`Update`).
 */
const nameWithCodes = (
  { owner }: FailureShape,
  status: number,
  occasions: ReadonlySet<Occasion>,
  { kind, ownerOf }: OperationCodes,
  isListed: boolean,
): string =>
  [
    // `errorResponse` adds `owner` itself.
    owner === '' ? ownerOf(status) : '',
    phraseInName(status),
    'On',
    ...wordsOf(status, occasions),
    kind,
    isListed || !listable.has(status) ? '' : 'OfHost',
  ].join('')

/** The statuses that the service has in some operations. */
const listable: ReadonlySet<number> = new Set(
  catalogue.flatMap(({ error: { status }, on }) =>
    statusesOfAll.includes(status) || on.every((occasion) => occasion === 'elsewhere')
      ? []
      : [status],
  ),
)

const phraseInName = (status: number): string => phraseOf(status).replace(/[^A-Za-z0-9]/g, '')

const wordsOf = (status: number, occasions: ReadonlySet<Occasion>): string[] =>
  Object.entries(wordsByOccasion[status] ?? {}).flatMap(([occasion, word]) =>
    occasions.has(occasion as Occasion) ? [word] : [],
  )

/** Returns the response `default`. */
const anyOther = (components: Components, shape: FailureShape): ReferenceObject =>
  components.response(`default ${shapeKey(shape)}`, `${shape.owner}Failure`, () =>
    failureResponse(
      shape,
      'Any other failure, as every operation can have it.',
      errorsOfDefault,
      failureRef(components, shape),
    ),
  )

/** Returns a response with a sample body and the headers of each error. */
function failureResponse(
  shape: FailureShape,
  description: string,
  errors: readonly ApiError[],
  schema: Schema | ReferenceObject,
): ResponseObject {
  const headers = [...new Set(errors.flatMap((error) => Object.keys(error.headers)))]
  return {
    description,
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
          errors.map((error) => [error.body.code ?? 'failure', errorExample(shape, error)]),
        ),
      },
    },
  }
}

/** Returns a sample body. */
function errorExample({ version, dump }: FailureShape, { status, body }: ApiError): ExampleObject {
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
  components.schema(`failure ${shapeKey(shape)}`, `${shape.owner}Failure`, () =>
    shapedSchema(shape, errorsSchema(components)),
  )

const codeText = 'Stable identifier of the error.'

/** Returns the schema of `code` with some codes. */
const codesSchema = (codes: readonly string[]): Schema => ({
  type: 'string',
  description: codeText,
  enum: [...codes],
})

/** Returns the schema of the body, marked if a final callback changes the body; for `default`, which has several statuses, without `status`. */
const shapedSchema = ({ dump, final }: FailureShape, errors: Schema, status?: number): Schema => ({
  ...failureSchema(errors, dump, status),
  ...(final ? { [shapedByCallback]: true } : {}),
})

/** Identifies a shape: each shape has its own components. */
const shapeKey = ({ dump, final, owner }: FailureShape): string =>
  JSON.stringify([dump, final, owner])

/** Identifies the codes of an operation, with the names of the responses that have them. */
const declaredKey = ({ codes, kind, ownerOf }: OperationCodes): string =>
  JSON.stringify([
    kind,
    codes.map((declared) => [
      declared.status,
      ownerOf(declared.status),
      declared.code,
      declared.description,
    ]),
  ])

/** Returns the schema of `errors`; `code` has the possible codes if they are known. */
function errorsSchema(
  components: Components,
  code: Schema = { type: 'string', description: codeText },
): Schema {
  return {
    type: 'object',
    description: 'What went wrong.',
    properties: {
      error: {
        type: 'string',
        description: 'The HTTP reason phrase, or a more specific text.',
      },
      reason: { description: 'What was expected; for a body, by path.' },
      code,
      at: { type: 'string', description: 'The part of the request that caused the error.' },
      problems: {
        type: 'array',
        description: 'The messages of a reason by path, with codes.',
        items: components.schema('field problem', 'FieldProblem', () => fieldProblem),
      },
    },
    required: ['error'],
    additionalProperties: false,
  }
}

const fieldProblem: Schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where it is in the body; empty for the whole body.' },
    code: {
      type: 'string',
      description: 'Stable identifier of the problem.',
      enum: Object.keys(problemCodes),
    },
    params: {
      type: 'object',
      description: 'What the message contains, for one in another language; each code has its own.',
    },
    message: { type: 'string' },
  },
  required: ['path', 'code', 'params', 'message'],
  additionalProperties: false,
}

/** Returns the usual spelling of a header: `retry-after` → `Retry-After`. */
const canonical = (header: string): string =>
  header.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())

const phraseOf = (status: number): string => phrases[status] ?? `Status ${status}`

/** The reason phrases by status. */
export const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
}
