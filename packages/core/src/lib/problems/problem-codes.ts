// The catalogue of problems: the code of each, what it means, and its params. The types, the OpenAPI document and the errors page
// (docs/reference/errors.md) are made of it.

/** What the params of a problem may be. */
interface ParamTypes {
  readonly text: string
  readonly texts: readonly string[]
  readonly number: number
  /** A number, or the digits of one that JavaScript would round. */
  readonly digits: number | string
  readonly flag: boolean
}

/**
 * The problems by code: when each occurs, and its params with the names of their types in `ParamTypes`. Codes are stable, like those of
 * errors.
 */
export const problemCodes = {
  // The text of the body
  forbidden_character: { when: 'A text has NUL or half of a surrogate pair.', params: {} },
  number_too_large: { when: 'The number exceeds 64 bits.', params: {} },
  repeated_key: { when: 'An object has the key twice.', params: {} },
  forbidden_key: { when: 'A body cannot have this key.', params: { key: 'text' } },
  not_json: { when: 'The host parsed the body to something that is not JSON.', params: {} },

  // Fields and their values
  unknown_field: { when: 'No field has this name.', params: { field: 'text' } },
  required: { when: 'The value is needed.', params: {} },
  null_not_allowed: { when: 'The field or relation cannot be null.', params: {} },
  read_only: { when: 'The field cannot be written here.', params: { why: 'text' } },
  wrong_type: { when: 'The value is not of the type.', params: { type: 'text' } },
  not_listed: { when: 'The value is not one of those allowed.', params: { allowed: 'texts' } },
  too_short: {
    when: 'The text has too few characters.',
    params: { min: 'number', length: 'number' },
  },
  too_long: {
    when: 'The text has too many characters.',
    params: { max: 'number', length: 'number' },
  },
  too_small: {
    when: 'The number is too small.',
    params: { min: 'digits', exclusive: 'flag' },
  },
  too_large: {
    when: 'The number is too large.',
    params: { max: 'digits', exclusive: 'flag' },
  },
  too_many_digits: {
    when: 'The number has too many digits before the point.',
    params: { max: 'number' },
  },
  too_precise: {
    when: 'The number or time has too many digits after the point. A negative `max`: so many zeros must precede it.',
    params: { max: 'number' },
  },
  inexact_number: {
    when: 'A float would change the number to the nearest one.',
    params: { nearest: 'text' },
  },
  unsafe_number: { when: 'JSON readers round the number: send it as a text.', params: {} },
  too_many_bytes: {
    when: 'The text has too many bytes.',
    params: { max: 'number', size: 'number' },
  },
  wrong_size: { when: 'The bytes are not as many as these.', params: { size: 'number' } },
  not_held: { when: 'The database would store another value.', params: {} },
  not_after: { when: 'The period ends before it has begun.', params: { field: 'text' } },
  unaddressable_key: { when: 'No URL can have this key.', params: {} },
  not_current: { when: 'The value sent back is not the stored one.', params: {} },
  document_too_large: {
    when: 'The merged document is too large.',
    params: { max: 'number', size: 'number' },
  },
  too_many_keys: { when: 'The merged document has an object of too many keys.', params: {} },
  invalid_format: {
    when: 'The text does not meet the named validator.',
    params: { format: 'text' },
  },
  refused: { when: 'A validator or another function of the service refuses it.', params: {} },

  // Related records
  nested_not_allowed: { when: 'Related records cannot be written here.', params: {} },
  too_deep: { when: 'Records are nested too deeply.', params: { max: 'number' } },
  too_many_items: {
    when: 'The list has too many records.',
    params: { max: 'number', count: 'number' },
  },
  repeated_record: { when: 'The list names this record twice.', params: {} },
  conflicting_field: {
    when: 'Another field or relation sets the same.',
    params: { other: 'text' },
  },
  link_only: { when: 'The object only links to a record.', params: { missing: 'texts' } },
  link_needs_fields: {
    when: 'The record of the link needs fields that a link does not set.',
    params: { fields: 'texts' },
  },
  different_parent: {
    when: 'The record belongs elsewhere, by this field.',
    params: { field: 'text' },
  },
  cannot_move: { when: 'The record cannot get another parent.', params: { field: 'text' } },

  // Batches
  malformed: { when: 'A member of an operation is not in its form.', params: {} },
  unknown_reference: {
    when: 'The reference names no earlier operation.',
    params: { reference: 'text' },
  },
  repeated_id: { when: 'Another operation has this id.', params: {} },
  header_not_allowed: {
    when: 'An operation cannot have this header.',
    params: { allowed: 'texts' },
  },

  // With the code of the error
  forbidden: { when: 'The caller may not write this record.', params: {} },
  record_not_found: { when: 'No such record.', params: {} },
  unique_violation: {
    when: 'Another record has this value, or this combination.',
    params: { combination: 'flag' },
  },
  overlap: { when: 'Another record overlaps this one.', params: { rule: 'text' } },
  missing_reference: { when: 'The record that it refers to does not exist.', params: {} },
  not_null_violation: { when: 'The database requires a value.', params: {} },
  check_violation: { when: 'The value violates a rule of the database.', params: { rule: 'text' } },
  refused_by_database: { when: 'A trigger refused the write.', params: {} },
  value_not_storable: { when: 'The value is too long or out of range.', params: {} },
  referred_to: { when: 'Other records refer to this one.', params: { by: 'texts' } },

  more_problems: { when: 'So many problems are not listed.', params: { count: 'number' } },
} as const

/** The code of a problem. */
export type ProblemCode = keyof typeof problemCodes

/** The params of a problem with this code: what a message in another language needs. */
export type ProblemParams<Code extends ProblemCode = ProblemCode> = {
  readonly [Name in keyof (typeof problemCodes)[Code]['params']]: ParamTypes[(typeof problemCodes)[Code]['params'][Name] &
    keyof ParamTypes]
}

/** What is wrong with a value: a stable code, the params of its message, and the message in English. */
export type CodedProblem = {
  readonly [Code in ProblemCode]: {
    readonly code: Code
    readonly params: ProblemParams<Code>
    readonly message: string
  }
}[ProblemCode]

/**
 * A problem at a path in the body, such as `items[0].title`; the empty path is the whole body. `code` tells which `params` there are:
 *
 * ```ts
 * const german = (problem: FieldProblem): string =>
 *   problem.code === 'too_long' ? `Höchstens ${problem.params.max} Zeichen` : problem.message
 * ```
 */
export type FieldProblem = { readonly path: string } & CodedProblem

/** Creates a problem. */
export const problem = <Code extends ProblemCode>(
  code: Code,
  params: ProblemParams<Code>,
  message: string,
): CodedProblem => ({ code, params, message }) as CodedProblem
