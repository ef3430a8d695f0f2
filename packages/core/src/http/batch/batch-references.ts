// References of a batch: `{ "$ref": "a.id" }` in a body and `{a.id}` in a URL stand for a member of the value of an earlier operation.

import { unresolvedReference } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { isVerbatim } from '../../lib/json/verbatim.ts'
import type { OperationValues } from './operation-values.ts'

/** A member of the value of an operation: `a.id`, `a.author.name`, `a.0.id` of a list. */
export interface BatchReference {
  readonly text: string
  /** The id of the operation. */
  readonly operation: string
  readonly members: readonly string[]
}

/** A URL in parts: text, and references in its path or its query. */
export type UrlPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path' | 'query'; readonly reference: BatchReference }

/** The values of the operations that have run. */
export type BatchValues = Pick<OperationValues, 'get' | 'repeat'>

const idPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Whether a text can be the id of an operation: references begin with it. */
export const isOperationId = (text: string): boolean => idPattern.test(text)

/** Parses `a.id`; undefined if the text is not a reference. */
function parseReference(text: string): BatchReference | undefined {
  const [operation = '', ...members] = text.split('.')
  const isWhole = members.length > 0 && members.every((name) => /^[A-Za-z0-9_]+$/.test(name))
  return isWhole && isOperationId(operation) ? { text, operation, members } : undefined
}

/** The characters that may stand before and after a reference. */
const neighbours = {
  path: { before: '/,', after: '/,?#' },
  query: { before: '=(,', after: '&,)]#' },
} as const

/**
 * Splits a URL at its references. Returns a string that says what is wrong if a reference is invalid.
 *
 * `/api/books/{a.id}?author_id__eq={b.id}` → text, path reference, text, query reference
 */
export function urlParts(url: string): readonly UrlPart[] | string {
  if (!url.includes('{') && !url.includes('}')) return [{ kind: 'text', text: url }]
  const parts: UrlPart[] = []
  const mark = url.indexOf('?')
  let end = 0
  for (const { 0: whole, 1: inner = '', index } of url.matchAll(/\{([^{}]*)\}/g)) {
    const reference = parseReference(inner)
    if (reference === undefined) return malformed(whole)
    const kind = mark !== -1 && mark < index ? 'query' : 'path'
    const { before, after } = neighbours[kind]
    const next = url.charAt(index + whole.length)
    if (index === 0 || !before.includes(url.charAt(index - 1)) || !after.includes(next)) {
      return misplaced(whole)
    }
    parts.push({ kind: 'text', text: url.slice(end, index) }, { kind, reference })
    end = index + whole.length
  }
  const rest = url.slice(end)
  const brace = /[{}]/.exec(rest)
  if (brace !== null) return malformed(rest.slice(brace.index))
  return [...parts, { kind: 'text', text: rest }]
}

const malformed = (text: string): string =>
  `"${text.slice(0, 80)}" is no reference such as {a.id}; a brace in a value is written %7B or %7D.`

const misplaced = (text: string): string =>
  `The reference ${text.slice(0, 80)} must be a whole segment of the path or a whole value of the query.`

/** Replaces each reference in a URL by a placeholder, so that it can be routed before its values are known: routes do not depend on keys. */
export const urlWithStandIns = (parts: readonly UrlPart[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '0')).join('')

/** Replaces the references in a URL by their values; throws 413 if these are too large. */
export const resolvedUrl = (parts: readonly UrlPart[], values: BatchValues): string =>
  parts
    .map((part) => (part.kind === 'text' ? part.text : inUrl(part.kind, part.reference, values)))
    .join('')

/** Returns the value of a reference as it stands in a path or a query: encoded, and in quotes if the query language needs them. */
function inUrl(kind: 'path' | 'query', reference: BatchReference, values: BatchValues): string {
  const text = scalarText(values.repeat(referredValue(reference, values)))
  if (text === undefined) {
    throw unresolvedReference(reference.text, 'is no text, number or boolean, which a URL can hold')
  }
  if (kind === 'query') return isPlainValue(text) ? text : encodeURIComponent(inQuotes(text))
  if (['', '.', '..'].includes(text)) {
    throw unresolvedReference(reference.text, `is "${text}", which no path can hold`)
  }
  return encodeURIComponent(text)
}

/** Whether a value contains no character that is syntax in the query language. */
const isPlainValue = (text: string): boolean => /^[A-Za-z0-9_.~:-]+$/.test(text)

/** Quotes a value, so that the query language reads it as text. */
const inQuotes = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' && value !== null && isVerbatim(value)
    ? value.verbatim
    : undefined
}

/** Returns the value of `$ref` if that is the object's only member; otherwise undefined. */
const referenceText = (value: object): JsonValue | undefined => {
  const [key, ...others] = Object.keys(value)
  return key === '$ref' && others.length === 0
    ? (value as { readonly $ref: JsonValue }).$ref
    : undefined
}

/** Adds the references of a body to `found`, in order; calls `malformed` with the path of each object `{ "$ref": … }` that is none. */
export function bodyReferences(
  body: JsonValue,
  path: string,
  found: BatchReference[],
  malformed: (path: string) => void,
): void {
  if (typeof body !== 'object' || body === null || isVerbatim(body)) return
  if (Array.isArray(body)) {
    for (const [i, item] of body.entries()) bodyReferences(item, `${path}[${i}]`, found, malformed)
    return
  }
  const text = referenceText(body)
  if (text === undefined) {
    for (const [key, member] of Object.entries(body)) {
      // Most members are scalars, which need no path.
      if (typeof member === 'object') bodyReferences(member, `${path}.${key}`, found, malformed)
    }
    return
  }
  const reference = typeof text === 'string' ? parseReference(text) : undefined
  if (reference === undefined) malformed(path)
  else found.push(reference)
}

/** Replaces the references in a body by their values; throws 413 if these are too large. */
export function resolvedBody(body: JsonValue, values: BatchValues): JsonValue {
  if (typeof body !== 'object' || body === null || isVerbatim(body)) return body
  if (Array.isArray(body)) return body.map((item) => resolvedBody(item, values))
  const text = referenceText(body)
  const reference = typeof text === 'string' ? parseReference(text) : undefined
  if (reference !== undefined) return values.repeat(referredValue(reference, values))
  return Object.fromEntries(
    Object.entries(body).map(([key, member]) => [key, resolvedBody(member, values)]),
  )
}

/** Returns the value of a reference; throws 400 if the operation's value has no such member. */
function referredValue(
  { text, operation, members }: BatchReference,
  values: BatchValues,
): JsonValue {
  let value: JsonValue | undefined = values.get(operation)
  for (const name of members) value = memberOf(value, name)
  if (value === undefined) throw unresolvedReference(text, 'is no member of the value it answered')
  return value
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || isVerbatim(value)) return undefined
  if (Array.isArray(value))
    return /^(?:0|[1-9][0-9]{0,8})$/.test(name) ? value[Number(name)] : undefined
  return Object.hasOwn(value, name) ? (value as Record<string, JsonValue>)[name] : undefined
}
