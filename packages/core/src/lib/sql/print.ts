// Prints a fragment as SQL text and parameters: for the driver (printFragment), for a stored statement (printed), or as a part of further
// fragments (printedOnce). Printing with Kysely's compiler would double the cost of a small query.

import { type CompiledQuery, createQueryId, type RootOperationNode } from 'kysely'
import {
  type Aliased,
  type Fragment,
  isFragment,
  isIdentifier,
  isNodeSource,
  isPart,
  sql,
  Tuples,
} from './fragment.ts'
import { Param, type Recipe } from './param.ts'

/** How a database writes identifiers and bound values. */
export interface TextStyle {
  /** The quote around identifiers; inside an identifier it is doubled. */
  readonly quote: '"' | '`'
  /** `?`, or `$1`, `$2` … */
  readonly placeholders: 'question marks' | 'numbered'
}

/** The SQL of a statement with placeholders, and the values for these. */
export interface Printed {
  readonly text: string
  readonly parameters: readonly unknown[]
}

interface Printer {
  readonly style: TextStyle
  readonly parameters: unknown[]
  /** Collects how each parameter is made, for a statement that is stored; undefined for other statements. */
  readonly recipes: Recipe[] | undefined
  sql: string
}

/**
 * Prints a statement. Undefined if a part of it is a Kysely expression (a policy's query, a computed column): Kysely must then print
 * the whole statement.
 */
export function printFragment(fragment: Fragment, style: TextStyle): CompiledQuery | undefined {
  const whole = printed(fragment, style)
  return whole && printedQuery(whole.text, whole.parameters)
}

/** Like `CompiledQuery.raw`, but all queries share one empty tree, because nothing reads it. */
export const printedQuery = (sql: string, parameters: readonly unknown[]): CompiledQuery => ({
  query: emptyQuery,
  queryId: createQueryId(),
  sql,
  parameters,
})

const emptyQuery = {
  kind: 'RawNode',
  sqlFragments: [],
  parameters: [],
} as unknown as RootOperationNode

/** Prints a fragment as `printFragment` does, undefined included. Adds to `recipes`, if given, how each parameter is made. */
export function printed(
  fragment: Fragment,
  style: TextStyle,
  recipes?: Recipe[],
): Printed | undefined {
  const printer: Printer = { style, parameters: [], recipes, sql: '' }
  if (!print(printer, fragment)) return undefined
  return { text: printer.sql, parameters: printer.parameters }
}

/**
 * Returns the fragment as plain text, so that it is printed only once; unchanged if it has parameters or Kysely must print a part
 * of it.
 */
export function printedOnce(fragment: Fragment, style: TextStyle | undefined): Fragment {
  const whole = style && printed(fragment, style)
  return whole === undefined || whole.parameters.length > 0 ? fragment : sql([whole.text])
}

function print(printer: Printer, { strings, values }: Fragment | Aliased): boolean {
  for (let i = 0; i < values.length; i++) {
    printer.sql += strings[i]
    const value = values[i]
    if (isFragment(value)) {
      if (!printInner(printer, value)) return false
    } else if (isIdentifier(value)) printIdentifier(printer, value.identifier)
    else if (isNodeSource(value) && !(value instanceof Param)) return false
    else printValue(printer, value)
  }
  printer.sql += strings[values.length]
  return true
}

function printInner(printer: Printer, fragment: Fragment | Aliased): boolean {
  return fragment instanceof Tuples ? printTuples(printer, fragment) : print(printer, fragment)
}

/** Prints tuples as copies of one text, unless a value is SQL or the placeholders have numbers. */
function printTuples(printer: Printer, tuples: Tuples): boolean {
  const { columns, rows } = tuples
  const isNumbered = printer.style.placeholders === 'numbered'
  if (rows === 0 || isNumbered || columns.some(hasPart)) return print(printer, tuples)
  const tuple = `(${columns.map(() => '?').join(', ')})`
  printer.sql += tuple + `, ${tuple}`.repeat(rows - 1)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns.length; j++) addParameter(printer, columns[j]?.[i])
  }
  return true
}

const hasPart = (values: readonly unknown[]): boolean => values.some(isPart)

function printIdentifier(printer: Printer, parts: readonly string[]): void {
  const { quote } = printer.style
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) printer.sql += '.'
    const part = parts[i] ?? ''
    printer.sql +=
      quote + (part.includes(quote) ? part.replaceAll(quote, quote + quote) : part) + quote
  }
}

function addParameter({ parameters, recipes }: Printer, value: unknown): void {
  if (value instanceof Param) {
    parameters.push(Param.valueOf(value))
    recipes?.push(Param.recipeOf(value))
  } else {
    parameters.push(value)
    recipes?.push({ kind: 'constant', value })
  }
}

function printValue(printer: Printer, value: unknown): void {
  addParameter(printer, value)
  printer.sql += printer.style.placeholders === 'numbered' ? `$${printer.parameters.length}` : '?'
}
