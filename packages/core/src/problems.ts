// The problems of bodies, one function or constant each, with their messages in English: `{ "path": "title", "code": "required", … }` of a 400.
// Body checks add them to an `InputProblems` with the path of the field. `lib/problems/problem-codes.ts` has their codes.

import { excerpt } from './lib/error-size.ts'
import { type Expectation, expectation, expectedType } from './lib/problems/expectation.ts'
import { type CodedProblem, problem } from './lib/problems/problem-codes.ts'

/** The problem of a value that is not what was expected. */
const unexpected = (expected: Expectation): CodedProblem => expected.problem

// ---------------------------------------------------------------- the text of the body

export const nulCharacter: CodedProblem = problem(
  'forbidden_character',
  {},
  'A string cannot contain the character NUL.',
)

export const loneSurrogate: CodedProblem = problem(
  'forbidden_character',
  {},
  'A string cannot contain half of a surrogate pair.',
)

export const numberTooLarge: CodedProblem = problem(
  'number_too_large',
  {},
  'The number is too large.',
)

export const keyGivenTwice: CodedProblem = problem('repeated_key', {}, 'The key is given twice.')

export const forbiddenKey = (key: string): CodedProblem =>
  problem('forbidden_key', { key }, `The key "${key}" is not allowed in a body.`)

export const notJsonValue: CodedProblem = problem('not_json', {}, 'This is not a JSON value.')

// ---------------------------------------------------------------- fields and their values

/** A member of a record that is no field. `hint` suggests a similar one. */
export const unknownField = (name: string, hint: string): CodedProblem =>
  problem('unknown_field', { field: excerpt(name) }, `Unknown field "${excerpt(name)}".${hint}`)

/** A member of a batch that is none of the `allowed` ones. */
export const unknownMember = (name: string, allowed: readonly string[]): CodedProblem =>
  problem('unknown_field', { field: excerpt(name) }, `Unknown; allowed: ${allowed.join(', ')}.`)

const needed = (message: string): CodedProblem => problem('required', {}, message)

export const missingField: CodedProblem = needed('This field is required.')
export const missingKey: CodedProblem = needed('The key of the record to change is needed.')
export const missingOperations: CodedProblem = needed('A list of at least one operation is needed.')
export const untoldDefault: CodedProblem = needed(
  'The database has a default for this field, but does not tell the value that it gives: send one.',
)

const notNull = (what: string): CodedProblem =>
  problem('null_not_allowed', {}, `This ${what} cannot be null.`)

export const nullField: CodedProblem = notNull('field')
export const nullRelation: CodedProblem = notNull('relation')

/** Why a field or relation cannot be written, as the end of a sentence. */
export const readOnlyReasons = {
  read_only: 'is read-only',
  generated: 'is generated',
  managed: 'is set by the service',
  soft_delete: 'is set by DELETE and restore',
  key: 'is part of the key, which does not change',
  new_only: 'is set only in a new record',
  stored: 'is read-only in a stored record',
  parent: 'is set by the parent record',
} as const

export type ReadOnlyReason = keyof typeof readOnlyReasons

/** A field or relation that the body cannot have. */
export const unwritten = (what: 'field' | 'relation', why: ReadOnlyReason): CodedProblem =>
  problem('read_only', { why }, `This ${what} ${readOnlyReasons[why]}.`)

export const fieldOfParent: CodedProblem = problem(
  'read_only',
  { why: 'parent' },
  'The parent record sets this field.',
)

export const relationOfParent: CodedProblem = problem(
  'read_only',
  { why: 'parent' },
  'The parent record sets this relation.',
)

/** A field of a record that the request only links. */
export const unchangedHere: CodedProblem = problem(
  'read_only',
  { why: 'linked' },
  'This field cannot be changed here.',
)

export const notAnObject: CodedProblem = unexpected(expectedType('object', 'an object'))
export const notAListOfObjects: CodedProblem = unexpected(expectedType('list', 'a list of objects'))
export const notAString: CodedProblem = unexpected(expectedType('string', 'a string'))
export const notAKey: CodedProblem = unexpected(expectedType('key', 'a key'))

export const notAListOfNames: CodedProblem = unexpected(expectedType('list', 'a list of strings'))

/** A name that is none of those allowed. */
export const nameNotListed = (allowed: readonly string[]): CodedProblem =>
  unexpected(
    expectation(
      'not_listed',
      { allowed },
      allowed.length === 0
        ? 'no entry'
        : `one of ${allowed.map((name) => excerpt(name)).join(', ')}`,
    ),
  )

/** A moment that must lie in the future. */
export const momentIsPast: CodedProblem = problem('refused', {}, 'Expected a time in the future.')

/** A nested record that is no object, such as a plain key: the message shows how a stored record is named. */
export const notANestedObject = (key: readonly string[]): CodedProblem => {
  const members = key.map((name) => `"${name}": …`).join(', ')
  const shown = `an object; a stored record is named by its key, { ${members} }`
  return unexpected(expectedType('object', shown))
}

/** A part of a batch of another type. */
export const notOfType = (type: string, message: string): CodedProblem =>
  problem('wrong_type', { type }, message)

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`

export const textTooLong = (max: number, length: number): CodedProblem =>
  problem('too_long', { max, length }, `Expected at most ${max} characters, got ${length}.`)

export const textTooShort = (min: number, length: number): CodedProblem =>
  problem('too_short', { min, length }, `Expected at least ${characters(min)}, got ${length}.`)

export const emptyText: CodedProblem = problem(
  'too_short',
  { min: 1, length: 0 },
  'This field cannot be empty.',
)

/** A limit of a number: the value itself is allowed, or is the first one that is not. */
export interface NumberLimit {
  readonly limit: number | string
  readonly exclusive: boolean
}

/** A number below its limit. `got` quotes it. */
export const numberTooSmall = ({ limit: min, exclusive }: NumberLimit, got: string): CodedProblem =>
  problem(
    'too_small',
    { min, exclusive },
    `Expected ${exclusive ? 'more than' : 'at least'} ${min}${got}.`,
  )

/** A number above its limit. `got` quotes it. */
export const numberAboveLimit = (
  { limit: max, exclusive }: NumberLimit,
  got: string,
): CodedProblem =>
  problem(
    'too_large',
    { max, exclusive },
    `Expected ${exclusive ? 'less than' : 'at most'} ${max}${got}.`,
  )

const inDigits = (digits: number): string => `at most ${digits} digit${digits === 1 ? '' : 's'}`

/** A time with more digits after the second than its column holds. */
export const momentTooPrecise = (digits: number): CodedProblem =>
  problem(
    'too_precise',
    { max: digits },
    digits === 0
      ? 'Expected a date and time without a fraction of a second.'
      : `Expected a date and time with ${inDigits(digits)} after the second.`,
  )

/** A number with more digits after the point than its column holds. */
export const numberTooPrecise = (digits: number): CodedProblem => {
  const message =
    digits < 0
      ? `Expected a multiple of 1${'0'.repeat(-digits)}.`
      : digits === 0
        ? 'Expected a decimal number without digits after the point.'
        : `Expected a decimal number with ${inDigits(digits)} after the point.`
  return problem('too_precise', { max: digits }, message)
}

/** A number that a 32-bit float rounds. */
export const roundedBySingle = (nearest: number): CodedProblem =>
  unexpected(
    expectation(
      'inexact_number',
      { nearest: String(nearest) },
      `a number that a 32-bit float holds, such as ${nearest}`,
    ),
  )

export const tooManyBytes = (max: number, size: number): CodedProblem =>
  problem('too_many_bytes', { max, size }, `Expected at most ${max} bytes, got ${size}.`)

/** Bytes for a column that fills its values up to a fixed size. */
export const wrongSize = (size: number, sent: number): CodedProblem =>
  problem('wrong_size', { size }, `Expected ${size} byte${size === 1 ? '' : 's'}, got ${sent}.`)

const notHeld = (message: string): CodedProblem => problem('not_held', {}, message)

export const shortYear: CodedProblem = notHeld(
  'Expected a year of four digits, for which a shorter number would be taken.',
)
export const generatingZero: CodedProblem = notHeld(
  'Expected another number than 0, for which the database generates one.',
)
export const blankAtEnd: CodedProblem = notHeld('Expected a text that does not end in a blank.')

export const unaddressableKey: CodedProblem = problem(
  'unaddressable_key',
  {},
  'A key cannot be empty, "." or "..", because no URL path can contain it.',
)

const notCurrent = (message: string): CodedProblem => problem('not_current', {}, message)

export const otherRelationUrl: CodedProblem = notCurrent(
  'This is not the URL of the relation; send records instead.',
)
export const otherRelationValue: CodedProblem = notCurrent(
  'This is not what the relation holds; leave it out.',
)

/** A document that a merge patch would make too large. */
export const documentTooLarge = (size: number, max: number, setting: string): CodedProblem =>
  problem(
    'document_too_large',
    { max, size },
    `The merged document has ${size} bytes; at most ${max} are allowed (${setting}).`,
  )

export const documentOfManyKeys: CodedProblem = problem(
  'too_many_keys',
  {},
  'The merged document has an object of too many keys.',
)

/** A text that a named validator refuses. */
export const invalidFormat = (format: string, message: string): CodedProblem =>
  problem('invalid_format', { format }, message)

/** What a function of the host refuses. */
export const refusedByHost = (message: string): CodedProblem => problem('refused', {}, message)

// ---------------------------------------------------------------- related records

const noNested = (message: string): CodedProblem => problem('nested_not_allowed', {}, message)

export const nestedWritesOff = (setting: string): CodedProblem =>
  noNested(`Related records cannot be written here (${setting}).`)
/** Related records in a body that may change a stored record; `inPatch`: a PATCH of that record may contain them. */
export const nestedElsewhere = (
  relation: string,
  endpoint: string,
  inPatch: boolean,
): CodedProblem =>
  noNested(
    inPatch
      ? `Omit "${relation}" here, because the record may exist already; send it in a PATCH of the record, or write to its own endpoint, ${endpoint}.`
      : `Omit "${relation}" of an existing record; write to its own endpoint, ${endpoint}.`,
  )
export const nestedInMergePatch: CodedProblem = noNested(
  'A merge patch has no related records; send application/json.',
)

export const nestedTooDeep = (max: number, setting: string): CodedProblem =>
  problem('too_deep', { max }, `Records are nested deeper than ${max} levels (${setting}).`)

export const tooManyItems = (
  max: number,
  count: number,
  endpoint: string,
  setting: string,
): CodedProblem =>
  problem(
    'too_many_items',
    { max, count },
    `Expected at most ${max} records of ${endpoint}, got ${count} (${setting}).`,
  )

export const changedTwice: CodedProblem = problem(
  'repeated_record',
  {},
  'The list changes this record twice.',
)

/** Two relations that set the same foreign key. */
export const alsoSetBy = (other: string, column: string): CodedProblem =>
  problem('conflicting_field', { other }, `"${other}" also sets ${column}; send only one of them.`)

/** A foreign key beside the nested object that also sets it. */
export const determinedBy = (relation: string): CodedProblem =>
  problem(
    'conflicting_field',
    { other: relation },
    `"${relation}" already determines the record; omit this field.`,
  )

/** A nested object in an object that refers to a stored record. */
export const linkedIsNotChanged: CodedProblem = problem(
  'link_only',
  { missing: [] },
  'This object links to an existing record, which is not changed here; omit this field.',
)

/** A nested object in an object that lacks what a new record needs. */
export const linksUnlessComplete = (missing: readonly string[]): CodedProblem =>
  problem(
    'link_only',
    { missing },
    `This object can only link to an existing record, because a new one needs ${quotedNames(missing)}; send that too, or omit this field.`,
  )

const quotedNames = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(', ')

/** A link whose record has required fields of its own. */
export const linkNeedsFields = (fields: readonly string[], model: string): CodedProblem =>
  problem(
    'link_needs_fields',
    { fields },
    `This link cannot be made here, because its record needs ${quotedNames(fields)}. Create the ${model} itself.`,
  )

/** The field by which records differ; the client does not know a hidden one. */
interface SharedField {
  readonly name: string
  readonly hidden: boolean
}

const shown = ({ name, hidden }: SharedField, instead: string): string =>
  hidden ? instead : `"${name}"`

const fieldOf = ({ name, hidden }: SharedField): string => (hidden ? '' : name)

/** A record that cannot be linked, because a column that both share differs. */
export const differsFromRecord = (column: SharedField): CodedProblem =>
  problem(
    'different_parent',
    { field: fieldOf(column) },
    `It cannot be linked here: its ${shown(column, 'key')} differs from that of the record.`,
  )

/** A nested object that would give the record another parent. */
export const differsFromParent = (column: SharedField): CodedProblem =>
  problem(
    'different_parent',
    { field: fieldOf(column) },
    `Its ${shown(column, 'key')} differs from that of the parent record.`,
  )

/** A record whose foreign key to its parent cannot be written. */
export const cannotMove = (column: SharedField): CodedProblem =>
  problem(
    'cannot_move',
    { field: fieldOf(column) },
    `The record cannot be moved here: its ${shown(column, 'relation to its parent')} is read-only.`,
  )

/** The end of a period that is not after its start. */
export const endBeforeStart = (start: SharedField): CodedProblem =>
  problem(
    'not_after',
    { field: fieldOf(start) },
    `Expected a value after ${shown(start, 'the start')}.`,
  )

// ---------------------------------------------------------------- batches

/** A member of an operation that is not in its form. */
export const malformedMember = (message: string): CodedProblem => problem('malformed', {}, message)

export const unknownReference = (reference: string): CodedProblem =>
  problem('unknown_reference', { reference }, `"${reference}" refers to no earlier operation.`)

export const repeatedId: CodedProblem = problem('repeated_id', {}, 'Another operation has this id.')

export const headerOfBatch = (allowed: readonly string[]): CodedProblem =>
  problem(
    'header_not_allowed',
    { allowed },
    `Set it on the request of the batch; an operation may have ${allowed.join(', ')}.`,
  )

// ---------------------------------------------------------------- with the code of the error

export const forbiddenRecord: CodedProblem = problem(
  'forbidden',
  {},
  'This is not allowed for the current user.',
)

export const noSuchRecord: CodedProblem = problem('record_not_found', {}, 'No such record.')

export const takenValue: CodedProblem = problem(
  'unique_violation',
  { combination: false },
  'Another record has this value.',
)

export const takenCombination: CodedProblem = problem(
  'unique_violation',
  { combination: true },
  'Another record has this combination of values.',
)

/** A record that overlaps another one; `rule` is the name of the rule that it breaks. */
export const overlapOf = (rule: string): CodedProblem =>
  problem(
    'overlap',
    { rule: excerpt(rule) },
    `Another record overlaps this one (${excerpt(rule)}).`,
  )

export const noReferredRecord: CodedProblem = problem('missing_reference', {}, 'No such record.')

export const valueNeeded: CodedProblem = problem(
  'not_null_violation',
  {},
  'A value is needed here.',
)

/** A value that a CHECK constraint refuses; `rule` is its name, if it is known. */
export const brokenRule = (rule: string | undefined): CodedProblem =>
  problem(
    'check_violation',
    { rule: rule === undefined ? '' : excerpt(rule) },
    rule === undefined
      ? 'A value breaks a rule of the database.'
      : `A value breaks the rule "${excerpt(rule)}" of the database.`,
  )

export const refusedByTrigger: CodedProblem = problem(
  'refused_by_database',
  {},
  'A rule of the database refuses this change.',
)

export const tooLongOrOutOfRange: CodedProblem = problem(
  'value_not_storable',
  {},
  'The value is too long or out of range.',
)

/** Records that refer to one to delete, by the names of their resources. */
export const referringRecords = (by: readonly string[], shown: readonly string[]): CodedProblem =>
  problem(
    'referred_to',
    { by },
    shown.length === 0
      ? 'Other records refer to this one.'
      : `Other records refer to this one: ${shown.join(', ')}.`,
  )
