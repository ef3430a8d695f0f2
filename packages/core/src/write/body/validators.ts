// problemsOf: runs the validator that a column of the model declares: a named one (`validator: 'email'`), a function of the host, or a
// Standard Schema. It is called for values of a body and, if the validator takes the whole record, in the transaction.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import { type CallHook, returned } from '../../model/hooks/call-hook.ts'
import { recordForHost, valueForHost } from '../../model/hooks/host-values.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { HookArgs } from '../../model/settings/access/hook-types.ts'
import type { StandardIssue, StandardSchema } from '../../model/standard-schema.ts'
import type { ValidatorName } from '../../model/validator-names.ts'
import { invalidFormat, refusedByHost } from '../../problems.ts'

/** The longest string, in characters, that named validators accept, because a pattern takes longer for longer strings. */
const longest = 10_000

/** A local part of printable characters, and a domain of at least two labels. */
const email =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** `example.org`: labels of at most 63 characters, 253 in all. */
const hostname =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** `192.0.2.1`: four numbers up to 255. */
const ipv4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/

/** Whether a string is an http or https URL; a link with another scheme could run a script or read a file. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /[\s<>"\\^`{|}]/.test(text) || !URL.canParse(text))
    return false
  const { username, password, hostname: host } = new URL(text)
  return username === '' && password === '' && host !== ''
}

/** A named validator. */
interface Named {
  readonly test: (text: string) => boolean
  readonly message: string
}

const webAddress: Named = {
  test: isWebAddress,
  message: 'Expected a web address such as https://example.org/page.',
}

/** The named validators. The lengths of e-mail addresses are those of RFC 5321. */
const byName: Readonly<Record<ValidatorName, Named>> = {
  email: {
    test: (text) => text.length <= 254 && email.test(text) && !/^\.|\.\.|\.@/.test(text),
    message: 'Expected an e-mail address such as ann@example.org.',
  },
  uri: webAddress,
  url: webAddress,
  uuid: {
    test: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    message: 'Expected a UUID.',
  },
  slug: {
    test: (text) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text),
    message: 'Expected lower-case letters and digits, in words joined by "-".',
  },
  hostname: { test: (text) => hostname.test(text), message: 'Expected a host name.' },
  ipv4: {
    test: (text) => ipv4.test(text),
    message: 'Expected an IPv4 address such as 192.0.2.1.',
  },
}

/** The values of a record by field name, in their JSON forms. */
type Row = Readonly<Record<string, JsonValue>>

/** A value to check with the validator of its column. */
export interface ValueCheck {
  readonly resource: Resource
  readonly column: NamedColumn
  readonly value: JsonValue
  /** For validators that compare fields: the record as it is to be stored. */
  readonly row: Row
  /** The stored record; null if it is new or not known. */
  readonly before: Row | null
  readonly path: string
}

/** How host validators are called. */
export interface ValidatorHost {
  readonly callHook: CallHook
  /** The time and the UUIDs of new records. */
  readonly sources: { now(): string; uuid(): string }
  /** The arguments that all functions of the host receive; `before` is the stored record. */
  args(resource: Resource, before: Row | null): MaybePromise<HookArgs>
  /** The dialect of the request's connection. */
  dialect(): MaybePromise<InternalDialect>
}

/** Whether the column's validator takes the whole record (a second parameter). */
export const wantsWholeRecord = ({ definition: { validator } }: NamedColumn): boolean =>
  typeof validator === 'function' && validator.length > 1

/** What a validator finds wrong, and its path in the value, such as `[3].price`; empty for the value itself. */
export interface Finding {
  readonly at: string
  readonly problem: CodedProblem
}

/** Runs the validator of a value; returns what it finds, or one finding with `validator_message` instead. */
export async function problemsOf(
  check: ValueCheck,
  host: ValidatorHost,
): Promise<readonly Finding[]> {
  const { column, value } = check
  const { format, validator, validator_message: own } = column.definition
  const found: Finding[] = []
  if (format === 'uri') found.push(...ofValue(checkByName('uri', value)))
  if (typeof validator === 'string')
    found.push(...ofValue(checkByName(validator as ValidatorName, value)))
  else if (typeof validator === 'function')
    found.push(...ofValue(await checkByFunction(validator, check, host)))
  else if (validator !== undefined) found.push(...(await checkBySchema(validator, check, host)))
  const [first] = found
  return first !== undefined && own !== undefined
    ? ofValue([{ ...first.problem, message: own }])
    : found
}

/** Findings about the value itself. */
const ofValue = (problems: readonly CodedProblem[]): readonly Finding[] =>
  problems.map((problem) => ({ at: '', problem }))

/** Tests a value by a named validator. */
function checkByName(name: ValidatorName, value: JsonValue): readonly CodedProblem[] {
  const { test, message } = byName[name]
  const good = typeof value === 'string' && value.length <= longest && test(value)
  return good ? [] : [invalidFormat(name, message)]
}

const invalid = refusedByHost('This value is not valid.')

const nameOf = ({ resource, column }: ValueCheck): string =>
  `validator of ${resource.name}.${column.name}`

/** Calls a validator function: true accepts, false refuses, a string refuses with that message. */
async function checkByFunction(
  validator: Extract<NamedColumn['definition']['validator'], (...parameters: never) => unknown>,
  check: ValueCheck,
  { callHook, args }: ValidatorHost,
): Promise<readonly CodedProblem[]> {
  const { resource, value, row, before } = check
  const hookArgs = await args(resource, before)
  const name = nameOf(check)
  const call = () => validator(valueForHost(value), recordForHost(resource, row), hookArgs)
  const answer = returned(name, await callHook(name, call))
  if (answer === true) return []
  return [typeof answer === 'string' && answer !== '' ? refusedByHost(answer) : invalid]
}

/** Validates with a Standard Schema; only its issues are used, a transformed value is ignored. */
async function checkBySchema(
  schema: StandardSchema,
  check: ValueCheck,
  { callHook }: ValidatorHost,
): Promise<readonly Finding[]> {
  const validate = () => schema['~standard'].validate(valueForHost(check.value))
  const { issues } = await callHook(nameOf(check), validate)
  return (issues ?? []).map(({ message, path }) => ({
    at: (path ?? []).map(pathStep).join(''),
    problem: refusedByHost(message),
  }))
}

/** A step of an issue's path: the index of a list, or the name of a member. */
function pathStep(part: NonNullable<StandardIssue['path']>[number]): string {
  const key = typeof part === 'object' ? part.key : part
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}
