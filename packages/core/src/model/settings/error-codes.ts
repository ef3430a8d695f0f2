// ErrorCodes: the codes that functions of the host give their errors, for the OpenAPI document; and their check.

import { toCase } from '../../lib/naming/case.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import {
  type Check,
  integer,
  listOf,
  object,
  oneOf,
  shownValue,
  text,
  together,
} from './setting-checks.ts'

/** The error that a code of the host stands for. */
export interface ErrorCode {
  /** The status of the response, from 400 to 599. */
  readonly status: number
  /** What is wrong and what the client can do, in one sentence. */
  readonly description: string
  /** The methods that can fail with this code. Default: all methods of the model. */
  readonly methods?: readonly ('GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE')[]
}

/** Codes of the host, each with its error. */
export type ErrorCodes = Readonly<Record<string, ErrorCode>>

/** A declared code with its defaults, and where it is declared. */
export interface DeclaredCode {
  /** `config.API_ERROR_CODES.issue_closed` */
  readonly at: string
  readonly code: string
  readonly status: number
  readonly description: string
  readonly methods: NonNullable<ErrorCode['methods']>
}

/** All methods that can fail with a code. */
export const codeMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** Words in lower case with `_` between them. Prefixes may end in a dot: `library.on_loan`. */
const form = /^(?=.{1,100}$)[a-z][a-z0-9]*(?:[._][a-z0-9]+)*$/

/** Returns what is wrong with the spelling of a code. */
function codeProblem(code: string): string | undefined {
  if (form.test(code)) return undefined
  const snakeCase = toCase(code.slice(0, 100), 'snake')
  const suggestion = form.test(snakeCase) ? ` Did you mean "${snakeCase}"?` : ''
  return `expected a code in snake_case of at most 100 characters, such as "issue_closed".${suggestion}`
}

const members: Readonly<Record<keyof ErrorCode, Check>> = {
  status: integer(400, 599),
  description: text,
  methods: (value) =>
    Array.isArray(value) && value.length === 0
      ? 'expected at least one method; leave it out for all methods.'
      : listOf(oneOf(...codeMethods))(value),
}

const names = Object.keys(members)

/** Accepts an `ErrorCode`. */
const errorCode: Check = (value) => {
  const wrong = object(value)
  if (wrong !== undefined) return wrong
  const declared = value as Readonly<Record<string, unknown>>
  return together([
    ...Object.keys(declared)
      .filter((name) => !names.includes(name))
      .map(
        (name) =>
          `unknown member ${shownValue(name)}.${didYouMean(name, names) || ` It takes ${names.join(', ')}.`}`,
      ),
    ...Object.entries(members).map(([name, check]) => {
      if (name === 'methods' && declared[name] === undefined) return undefined
      const problem = check(declared[name])
      return problem === undefined ? undefined : `${name}: ${problem}`
    }),
  ])
}

/** Accepts a map from codes to their errors. */
export const errorCodes: Check = (value) => {
  const wrong = object(value)
  if (wrong !== undefined) return wrong
  return together(
    Object.entries(value as object).map(([code, error]) => {
      const problem = codeProblem(code) ?? errorCode(error)
      return problem === undefined ? undefined : `${shownValue(code)}: ${problem}`
    }),
  )
}
