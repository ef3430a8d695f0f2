// Reads the body of a batch, `{ "operations": [{ "id": "a", "method": "POST", "url": "/api/authors", "body": { … } }], "dry_run": false }`,
// before any operation is routed; checks its members and that references name earlier operations.

import { atOperation, limitExceeded } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { isVerbatim } from '../../lib/json/verbatim.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import {
  headerOfBatch,
  malformedMember,
  missingOperations,
  notOfType,
  repeatedId,
  unknownMember,
  unknownReference,
} from '../../problems.ts'
import { type InputProblems, inputProblems } from '../../write/body/input-problems.ts'
import { refuseLongUrl } from '../endpoints/routing/route-request.ts'
import {
  type BatchReference,
  bodyReferences,
  isOperationId,
  type UrlPart,
  urlParts,
} from './batch-references.ts'

/** One request of a batch. */
export interface Operation {
  readonly id: string
  /** In upper case. */
  readonly method: string
  readonly url: readonly UrlPart[]
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if there is none. */
  readonly body: JsonValue | undefined
  /** Whether the URL or the body contains references. */
  readonly refers: { readonly inUrl: boolean; readonly inBody: boolean }
}

/** The body of a batch after its form was checked. */
export interface BatchBody {
  readonly operations: readonly Operation[]
  /** The ids of the operations that others refer to. */
  readonly referredTo: ReadonlySet<string>
  readonly dryRun: boolean
}

/**
 * The headers that an operation may have. All other headers, in particular credentials, come from the batch's request: a proxy that
 * sets or removes headers sees only that request.
 */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'prefer',
  'x-http-method-override',
])

const members: Readonly<Record<string, readonly string[]>> = {
  batch: ['operations', 'dry_run'],
  operation: ['id', 'method', 'url', 'headers', 'body'],
}

type JsonObject = { readonly [key: string]: JsonValue }

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isVerbatim(value)

/**
 * Reads the body of a batch; throws 400 with all problems, and for too many operations, and 414 for a URL that is too long.
 * `settings.batch` is set wherever a batch is read.
 */
export function readOperations(
  settings: Pick<ApiSettings, 'batch' | 'limits' | 'bodyLimit'>,
  body: JsonValue,
  problems: InputProblems,
): BatchBody {
  const max = settings.batch?.max ?? 0
  const operations: Operation[] = []
  const referredTo = new Set<string>()
  const known = new Set<string>()
  const { operations: list, dry_run: dryRun = false } = isObject(body) ? body : {}
  if (!Array.isArray(list) || list.length === 0) {
    problems.add('operations', missingOperations)
  } else if (list.length > max) {
    throw limitExceeded(settingNames.maxBatch, max, `The batch has ${list.length} operations`)
  }
  if (isObject(body)) refuseOthers(body, members.batch, '', problems)
  if (typeof dryRun !== 'boolean')
    problems.add('dry_run', notOfType('boolean', 'Must be true or false.'))
  for (const [i, item] of (Array.isArray(list) ? list : []).entries()) {
    const path = `operations[${i}]`
    refuseLongTemplate(settings, item, i)
    const read = readOperation(item, i, problems)
    if (read === undefined) continue
    const { operation, references } = read
    for (const { reference, at } of references) {
      if (known.has(reference.operation)) referredTo.add(reference.operation)
      else problems.add(at, unknownReference(reference.text))
    }
    if (known.has(operation.id)) problems.add(`${path}.id`, repeatedId)
    known.add(operation.id)
    operations.push(operation)
  }
  problems.refuse()
  const whole = operations.map((operation) =>
    referredTo.has(operation.id) ? withoutPreference(operation) : operation,
  )
  return { operations: whole, referredTo, dryRun: dryRun === true }
}

/** Removes `Prefer`: the value of an operation that others refer to is always returned. */
function withoutPreference(operation: Operation): Operation {
  const { prefer: _, ...headers } = operation.headers
  return { ...operation, headers }
}

/** Adds a problem for each member of an object that is not allowed. */
function refuseOthers(
  object: JsonObject,
  allowed: readonly string[] = [],
  path: string,
  problems: InputProblems,
): void {
  for (const name of Object.keys(object)) {
    if (allowed.includes(name)) continue
    problems.add(path === '' ? name : `${path}.${name}`, unknownMember(name, allowed))
  }
}

/** Throws 414 for a URL that is too long as it was sent, with its references in it, before these are parsed and replaced. */
function refuseLongTemplate(
  settings: Pick<ApiSettings, 'limits' | 'bodyLimit'>,
  item: JsonValue,
  index: number,
): void {
  if (!isObject(item) || typeof item.url !== 'string' || typeof item.method !== 'string') return
  const { url, method } = item
  if (url.length <= settings.limits.urlLength) return
  // X-HTTP-Method-Override may make it a QUERY; `readOperation` reports wrong headers.
  const headers = readHeaders(item.headers, '', inputProblems())
  try {
    refuseLongUrl(settings, { method, url, headers })
  } catch (error) {
    throw atOperation(error, index)
  }
}

/** An operation of the body, and the references in it with their paths, `operations[1].body.author_id`. */
interface Read {
  readonly operation: Operation
  readonly references: readonly { readonly reference: BatchReference; readonly at: string }[]
}

/** Reads one operation; adds its mistakes to `problems`. Undefined if it has no usable id, method or URL. */
function readOperation(item: JsonValue, index: number, problems: InputProblems): Read | undefined {
  const path = `operations[${index}]`
  if (!isObject(item)) {
    problems.add(path, notOfType('object', 'Must be an object with method and url.'))
    return undefined
  }
  refuseOthers(item, members.operation, path, problems)
  const { method, url, body } = item
  // No reference can name the default, since an id begins with a letter or "_".
  const { id = String(index) } = item
  if (item.id !== undefined && (typeof id !== 'string' || !isOperationId(id))) {
    problems.add(
      `${path}.id`,
      malformedMember(
        'Must be a text of up to 64 letters, digits, "_" and "-" that begins with a letter or "_".',
      ),
    )
  }
  if (typeof method !== 'string' || !/^[A-Za-z]{1,20}$/.test(method)) {
    problems.add(`${path}.method`, malformedMember('Must be an HTTP method such as "POST".'))
  }
  const parts = typeof url === 'string' ? urlParts(url) : 'Must be a URL such as "/api/books/1".'
  if (typeof parts === 'string') problems.add(`${path}.url`, malformedMember(parts))
  const headers = readHeaders(item.headers, `${path}.headers`, problems)
  if (typeof body === 'string' && headers['content-type'] === undefined) {
    problems.add(
      `${path}.body`,
      malformedMember('A body that is text needs the header content-type.'),
    )
  }
  const inBody: BatchReference[] = []
  bodyReferences(body ?? null, `${path}.body`, inBody, (at) =>
    problems.add(
      at,
      malformedMember(
        'A reference is written { "$ref": "a.id" }: an operation, and a member of its value.',
      ),
    ),
  )
  if (typeof id !== 'string' || typeof method !== 'string' || typeof parts === 'string') {
    return undefined
  }
  const references: { readonly reference: BatchReference; readonly at: string }[] = []
  for (const part of parts) {
    if (part.kind !== 'text') references.push({ reference: part.reference, at: `${path}.url` })
  }
  const inUrl = references.length > 0
  for (const reference of inBody) references.push({ reference, at: `${path}.body` })
  return {
    operation: {
      id,
      method: method.toUpperCase(),
      url: parts,
      headers,
      body,
      refers: { inUrl, inBody: inBody.length > 0 },
    },
    references,
  }
}

/** The headers of every operation without headers; frozen, because they share this object. */
export const noHeaders: Operation['headers'] = Object.freeze({})

/** Reads the headers of an operation, by names in lower case; adds a problem for each that it may not have. */
function readHeaders(
  given: JsonValue | undefined,
  path: string,
  problems: InputProblems,
): Operation['headers'] {
  if (given === undefined) return noHeaders
  const headers: Record<string, string> = {}
  if (!isObject(given)) problems.add(path, notOfType('object', 'Must be an object of texts.'))
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    const lower = name.toLowerCase()
    if (!ownHeaders.has(lower)) {
      problems.add(`${path}.${name}`, headerOfBatch([...ownHeaders]))
    } else if (typeof value !== 'string')
      problems.add(`${path}.${name}`, notOfType('string', 'Must be a text.'))
    else headers[lower] = value
  }
  return headers
}
