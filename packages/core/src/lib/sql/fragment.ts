// SQL fragments: templates of text, identifiers and bound values, of which all statements of the service consist. `print.ts` prints them,
// or Kysely if they contain its expressions.

import {
  type AliasedExpression,
  AliasNode,
  type Expression,
  IdentifierNode,
  type OperationNode,
  RawNode,
  ValueNode,
} from 'kysely'
import { Param } from './param.ts'

/** A piece of SQL; also an expression for Kysely, so that both can be combined. */
export interface Fragment<T = unknown> extends Expression<T> {
  /** The texts before, between and after the values. */
  readonly strings: readonly string[]
  /** Fragments, identifiers and Kysely's own expressions; anything else is a bound value. */
  readonly values: readonly unknown[]
  as<A extends string>(alias: A): Aliased<T, A>
}

/** `fragment as "alias"`, for Kysely's builders and for our own select lists. */
export interface Aliased<T = unknown, A extends string = string>
  extends Pick<Fragment, 'strings' | 'values'>,
    AliasedExpression<T, A> {}

/** A possibly qualified identifier; its parts come from the registry. */
export interface Identifier {
  readonly identifier: readonly string[]
}

/** Whether a value in a template is SQL of this library, and no parameter. */
export const isFragment = (value: unknown): value is Fragment | Aliased =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value

/** Whether a value in a template is an identifier. */
export const isIdentifier = (value: unknown): value is Identifier =>
  typeof value === 'object' && value !== null && 'identifier' in value

// Shared by all fragments: a statement consists of dozens, and a function for each would cost time.
function toOperationNode(this: Fragment): RawNode {
  return RawNode.create(this.strings, this.values.map(nodeOf))
}

/** Whether Kysely can print the value: one of its own expressions or queries, or a fragment. */
export const isNodeSource = (value: unknown): value is { toOperationNode(): OperationNode } =>
  typeof value === 'object' && value !== null && 'toOperationNode' in value

/** Whether a value in a fragment is SQL (a fragment, an identifier or a Kysely expression) and not a parameter. */
export const isPart = (value: unknown): boolean =>
  isFragment(value) || isIdentifier(value) || (isNodeSource(value) && !(value instanceof Param))

/** The node by which Kysely prints a value of a template. */
function nodeOf(value: unknown): OperationNode {
  if (isIdentifier(value)) {
    const dots = value.identifier.map((_, i) => (i === 0 ? '' : '.'))
    return RawNode.create([...dots, ''], value.identifier.map(IdentifierNode.create))
  }
  return isNodeSource(value) ? value.toOperationNode() : ValueNode.create(value)
}

function as<A extends string>(this: Fragment, alias: A): Aliased<unknown, A> {
  return {
    strings: aliasing,
    values: [this, { identifier: [alias] }],
    alias,
    expression: this,
    toOperationNode: toAliasNode,
  } as unknown as Aliased<unknown, A>
}

const aliasing: readonly string[] = ['', ' as ', '']

function toAliasNode(this: Aliased): AliasNode {
  return AliasNode.create(
    this.expression.toOperationNode(),
    IdentifierNode.create(this.alias as string),
  )
}

function fragmentOf<T>(strings: readonly string[], values: readonly unknown[]): Fragment<T> {
  return { strings, values, toOperationNode, as, expressionType: undefined } as Fragment<T>
}

function template<T = unknown>(
  strings: TemplateStringsArray | readonly string[],
  ...values: readonly unknown[]
): Fragment<T> {
  return fragmentOf(strings, values)
}

/** The empty texts before and after the only value of a fragment. */
const whole: readonly string[] = ['', '']

const comma = fragmentOf([', '], [])

/** Joins fragments with a separator, a comma by default. */
function join(items: readonly unknown[], separator: Fragment = comma): Fragment {
  if (items.length === 0) return fragmentOf([''], [])
  if (items.length === 1) return fragmentOf(whole, items)
  const [between = ''] = separator.strings
  const strings = ['']
  for (let i = 1; i < items.length; i++) strings.push(between)
  strings.push('')
  return fragmentOf(strings, items)
}

/** `(a, b), (c, d)` from the columns `[a, c]` and `[b, d]`. A statement may have thousands of values, so `print.ts` prints it from the columns. */
export class Tuples implements Fragment {
  readonly columns: readonly (readonly unknown[])[]
  readonly rows: number
  readonly expressionType = undefined

  constructor(columns: readonly (readonly unknown[])[]) {
    this.columns = columns
    this.rows = columns[0]?.length ?? 0
  }

  get strings(): readonly string[] {
    const strings: string[] = []
    for (let i = 0; i < this.rows; i++) {
      this.columns.forEach((_, j) => {
        strings.push(j > 0 ? ', ' : i > 0 ? '), (' : '(')
      })
    }
    strings.push(this.rows === 0 ? '' : ')')
    return strings
  }

  get values(): readonly unknown[] {
    const values: unknown[] = []
    for (let i = 0; i < this.rows; i++) for (const column of this.columns) values.push(column[i])
    return values
  }

  toOperationNode(): RawNode {
    return toOperationNode.call(this)
  }

  as<A extends string>(alias: A): Aliased<unknown, A> {
    return as.call(this, alias) as Aliased<unknown, A>
  }
}

const tuples = (columns: readonly (readonly unknown[])[]): Fragment => new Tuples(columns)

const id = (...identifier: readonly string[]): Fragment => fragmentOf(['', ''], [{ identifier }])

/** Characters without a special meaning inside an SQL string in any database. */
const plainText = /^[A-Za-z0-9_$.,"{}-]*$/

/**
 * Writes a string of a model, such as a path, as an SQL literal: GROUP BY and SELECT must contain the same expression, and two
 * parameters are never the same. The string may contain only letters, digits and `_ - $ . , " { }`.
 */
function quoted(text: string): Fragment {
  if (!plainText.test(text)) throw new RangeError('not a plain text: it cannot stand in SQL')
  return fragmentOf([`'${text}'`], [])
}

/**
 * Creates a fragment: every `${value}` that is not a fragment, an identifier or a Kysely expression becomes a parameter, as every `Param`
 * does.
 *
 * ```ts
 * sql`${sql.id('books', 'price')} >= ${30}` // "books"."price" >= ?   [30]
 * ```
 */
export const sql: typeof template & {
  /** `"books"."price"`: an identifier, quoted for the database. */
  readonly id: typeof id
  /** `a, b, c`; the separator is text without values. */
  readonly join: typeof join
  /** `'address.city'`: a string of a model, without any character that could end the literal. */
  readonly quoted: typeof quoted
  /** `(a, b), (c, d)` from the columns `[a, c]` and `[b, d]`. */
  readonly tuples: typeof tuples
} = Object.assign(template, { id, join, quoted, tuples })
